# SPDX-License-Identifier: GPL-2.0-only
"""Random SQL on two engines of one server; everything a client can see must agree.

values.py     column types and literals for them
schema.py     tables, keys, partitions
statement.py  one statement in pieces that the shrinker can take away
generator.py  histories: writes, transactions, DDL          (feeds on a seed only)
queries.py    SELECTs
runner.py     runs a history on both engines, compares, checks the tables at the end
shrink.py     the shortest history that still disagrees
"""
