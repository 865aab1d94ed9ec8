# SPDX-License-Identifier: GPL-2.0-only
"""FULLTEXT indexes; see README.md."""
