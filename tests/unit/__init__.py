# SPDX-License-Identifier: GPL-2.0-only
"""Tests without a server: GoogleTest binaries of the layers, and Python's in python/."""
