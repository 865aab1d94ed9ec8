# SPDX-License-Identifier: GPL-2.0-only
"""Random SQL on two engines of one server; everything a client can see must agree.

generator.py       histories: writes, transactions, DDL          (feeds on a seed only)
interleaved.py     histories of two connections
queries.py         SELECTs
schema_changes.py  statements that change a table
Tables, statements, the comparison and the shrinker are in kit/side_by_side.
"""
