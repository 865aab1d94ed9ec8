# SPDX-License-Identifier: GPL-2.0-only
"""One module a command; see tools/main.py for what a command defines."""
