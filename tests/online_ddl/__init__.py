# SPDX-License-Identifier: GPL-2.0-only
"""Long statements while others work.

killed.py  KILL in the middle of each kind: it ends, and nothing is left
"""
