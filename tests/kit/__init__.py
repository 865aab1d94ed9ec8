# SPDX-License-Identifier: GPL-2.0-only
"""What several tiers share. Nothing here knows a tier.

tier_result.py   what a tier is and what it returns; lane.py runs tiers in processes of their own
check.py         checks with a name, for tiers that are lists of them
clients/         clients that keep a journal of what was acknowledged, and check it afterwards
replicas/        primaries and replicas as private servers, load for them, comparison row by row
side_by_side/    the same statements on two engines of one server
kill_point.*     kills a server right before the n-th file operation
loop_disk.py, small_disk.py    disks that lose what was not synced, and disks that are full
backup_program.py  runs basalt-backup as a user does
certificates.py  throw-away certificates for TLS
ssh.py           another machine that is reached by ssh
wire.py          connections that are asked without waiting, and who of them waits for a lock
check_tables.py, reclaimer.py  what must hold of all tables; waits for the space of dropped indexes
orphans.py    rows without a parent, by a query for each foreign key
gtest_report.py  counts what a GoogleTest binary reports
error_numbers.py errors that PyMySQL does not name
manual_page.py   options of a program beside its page of the manual
printable.py     random text for the terminal
"""
