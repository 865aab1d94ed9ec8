# SPDX-License-Identifier: GPL-2.0-only
"""The tier `console`: see README.md."""
