# SPDX-License-Identifier: GPL-2.0-only
"""SPATIAL indexes against scans and InnoDB."""
