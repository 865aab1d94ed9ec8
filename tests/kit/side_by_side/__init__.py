# SPDX-License-Identifier: GPL-2.0-only
"""The same statements on two engines of one server; everything a client can see must agree.

values.py         column types and literals for them
schema.py         tables, keys, partitions
statement.py      one statement in pieces that a shrinker can take away
runner.py         runs a history on both engines, compares, checks the tables at the end
shrink.py         the shortest history that still disagrees
final_check.py    what must be equal at the end
time_limit.py     ends what hangs
server_options.py the engines that can be tested, and the options of their servers
"""
