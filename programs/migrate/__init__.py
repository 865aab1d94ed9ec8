# SPDX-License-Identifier: GPL-2.0-only
"""basalt-migrate: moves tables of a server into ROCKSDB, and back.

errors.py          what a user is told
names.py           names of tables; what the user has chosen
server.py          one connection and its session
catalog.py         tables, foreign keys and triggers, as the server's dictionary has them
order.py           tables that move together, parents first
scratch.py         empty copies and samples that are really moved
plan.py            what moves, what stays and why, and the room for it
journal.py         what has moved, kept in the server
mover.py           a group of tables by ALTER TABLE; foreign keys off and on
online.py          one table by pt-online-schema-change
compare.py         the same rows before and after
interrupt.py       signals, noted while a group moves
progress.py        how far a statement is
throttle.py        waits for replicas and for the load
runner.py          all groups, there or back; goes on with what was cut off
dump.py            dumps of other engines
before_opening.py  a data directory of MyRocks, from outside
show.py            text and JSON
main.py            the command line
"""
