# SPDX-License-Identifier: GPL-2.0-only
"""The tier `package`: see README.md."""
