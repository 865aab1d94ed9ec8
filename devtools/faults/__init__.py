# SPDX-License-Identifier: GPL-2.0-only
"""Disks that fail or fill under a server.

small_disk.py     a file system of a few megabytes, and a thread that keeps it full
writer.py         a client that knows which of its rows were acknowledged
full_disk.py      what is under way while the disk fills, and what must hold then
damaged_files.py  torn and flipped bytes of the log and the manifest, kills during recovery
"""
