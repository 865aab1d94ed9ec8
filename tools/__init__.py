# SPDX-License-Identifier: GPL-2.0-only
"""The tools behind ./dev: commands, set-up, build, private servers, rules, sample data."""
