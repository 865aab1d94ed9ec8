# SPDX-License-Identifier: GPL-2.0-only
"""The tools behind ./dev: set-up, build, private servers, tests, benchmarks and rules."""
