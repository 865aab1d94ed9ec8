# SPDX-License-Identifier: GPL-2.0-only
"""The suite `basalt` of the server's own test runner."""
