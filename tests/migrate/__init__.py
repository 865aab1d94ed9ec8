# SPDX-License-Identifier: GPL-2.0-only
"""The tier `migrate`: see README.md."""
