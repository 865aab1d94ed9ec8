# SPDX-License-Identifier: GPL-2.0-only
"""kill -9 under load, restart, look whether every acknowledged commit is there and nothing else.

client.py     what all clients share: the journal, the thread, errors that are no fault
ledger.py     rows whose whole expected state is known; single-row counters; two engines at once
bank.py       transfers between shared accounts: invariant sums, lock waits, deadlocks
events.py     AUTO_INCREMENT values are never given twice
prepared.py   user XA transactions that are left prepared
large.py      statements of many thousand rows: whole or absent
scratch.py    CREATE, TRUNCATE, RENAME, DROP
ddl.py        every kind of DDL: the old shape of a table or the new one (shapes.py)
point_harness.py  statements killed before each of their file operations (kill_point.py):
ddl_points.py, commit_points.py
harness.py    load, kill, restart, check; again and again
"""
