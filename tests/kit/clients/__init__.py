# SPDX-License-Identifier: GPL-2.0-only
"""Clients that write, know what was acknowledged, and check it after a crash.

client.py     what all clients share: the journal, the thread, errors that are no fault
numbered.py   transactions with numbers, each with a row that has its own
ledger.py     rows whose whole expected state is known; single-row counters; two engines at once
places.py     a ledger of geometries, with a SPATIAL index
articles.py   a ledger of texts, with a FULLTEXT index
bank.py       transfers between shared accounts: invariant sums, lock waits, deadlocks
events.py     AUTO_INCREMENT values are never given twice
prepared.py   user XA transactions that are left prepared
large.py      statements of many thousand rows: whole or absent
scratch.py    CREATE, TRUNCATE, RENAME, DROP
family.py     rows with foreign keys, whose state after each cascade is known
rival.py      children of shared parents, which others delete and renumber
prepared_family.py  cascades, and children of parents, in XA transactions that are left prepared
"""
