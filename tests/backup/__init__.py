# SPDX-License-Identifier: GPL-2.0-only
"""basalt-backup on a primary whose clients keep writing. kit/backup_program.py runs it.

scenario.py   what the scenarios share
under_load.py full, increment, stream; restored, compared, followed
some_databases.py the same of some databases: what is left out is gone, and can be made anew
over_ssh.py   to another machine and from it, by Debian's sshd; the connection is killed
refusals.py   damage, full disks, broken pipes, two at once, kills
"""
