# SPDX-License-Identifier: GPL-2.0-only
"""Flipped bytes in table files."""
