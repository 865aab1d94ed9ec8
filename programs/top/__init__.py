# SPDX-License-Identifier: GPL-2.0-only
"""basalt-top: what the engine ROCKSDB of a server does, live in a terminal or once as JSON.

snapshot.py    what was seen at one moment, as plain data
collector.py   asks the server for a snapshot, dear questions at a slower pace
held_locks.py  the locks that may be in somebody's way
waits.py       which transaction waits for which
rates.py       what happened between two snapshots
attention.py   what somebody should look at, as sentences
units.py       numbers as people read them
panels.py      each part of the picture
views.py       which panels a picture has
screen.py      the live picture: terminal, keys
output.py      one picture as text, or as JSON
options.py     what its command line shares with that of basalt-console
main.py        the command line
"""
