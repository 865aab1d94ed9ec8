# SPDX-License-Identifier: GPL-2.0-only
"""The published isolation anomalies as histories of two or three connections."""
