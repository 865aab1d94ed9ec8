# SPDX-License-Identifier: GPL-2.0-only
"""kill -9 under load, restart, look whether every acknowledged commit is there and nothing else.

harness.py        load (kit/clients), kill, restart, check; again and again
ddl_harness.py    the same with clients that do DDL
ddl.py            every kind of DDL: the old shape of a table or the new one (shapes.py)
point_harness.py  statements killed before each of their file operations (kit/kill_point.py):
ddl_points.py, commit_points.py, reclaim_points.py, installed_points.py
"""
