# SPDX-License-Identifier: GPL-2.0-only
"""Long statements while others work: see README.md."""
