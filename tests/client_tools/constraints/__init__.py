# SPDX-License-Identifier: GPL-2.0-only
"""Foreign keys under the tools of users.

schema.py     tables with constraints of all kinds, in two databases, and their rows
proof.py      what must hold of such tables in a copy, or after a tool has changed them
load.py       a client that writes them under backups, with a journal of what was acknowledged
writer.py     the client beside pt-online-schema-change: its statements, and a replay of them
change.py     one run of pt-online-schema-change with that client
scenario.py   Percona's tools on the tables, in ROCKSDB and in InnoDB
"""
