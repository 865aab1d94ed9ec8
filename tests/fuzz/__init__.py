# SPDX-License-Identifier: GPL-2.0-only
"""Decoders and parsers against made-up bytes."""
