# SPDX-License-Identifier: GPL-2.0-only
"""Disks that fail or fill under the engine and under a server (the disks: kit/small_disk.py,
kit/loop_disk.py).

io_loop_test.cc   each I/O of an operation fails once, without a server
writer.py         a client that knows which of its rows were acknowledged
full_disk.py      what is under way while the disk fills, and what must hold then
broken_disk.py    the disk goes away
sudden_death.py, ddl_power_cuts.py, ddl_sync_points.py   power cuts
damaged_files.py  torn and flipped bytes of the log and the manifest, kills during recovery
"""
