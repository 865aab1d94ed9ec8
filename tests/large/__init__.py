# SPDX-License-Identifier: GPL-2.0-only
"""Statements of millions of rows on default settings."""
