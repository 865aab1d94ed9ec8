# SPDX-License-Identifier: GPL-2.0-only
"""Directories of stock MyRocks opened in place, and the way back: the tier `upgrade`.

Every ROCKSDB table has a twin in InnoDB in the same server, filled by the same statements. The
twin stays as it is when the plugin is swapped, so it says what must be read afterwards.
"""
