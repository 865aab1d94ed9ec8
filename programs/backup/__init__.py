# SPDX-License-Identifier: GPL-2.0-only
"""basalt-backup: backups of a MariaDB server with ROCKSDB, InnoDB and all other tables.

docs/decisions/backup.md says why it is made so, docs/format/backup.md what it writes. A module
knows those above it in this list, never one below:

errors.py       the one kind of error that a user sees
progress.py     what a long run tells while it works
manifest.py     what a backup consists of, as bytes and back
table_file.py   which table file of RocksDB a file is
objects.py      files named by their checksum
repository.py   a folder of backups
checker.py      checksums of every block, by check_table_files.cc
mariabackup.py  the programs mariabackup, mbstream and zstd
server.py       the server that is backed up: its lock, checkpoint, position, marks
packet.py       packets of the client protocol
login.py        a log-in without TLS on one side and with it on the other
gate.py         the moment in which mariabackup has blocked commits
verify.py       proves backups
remove.py       backups that are not wanted any more
stream.py       a backup as a tar archive
take.py         one backup, from a server into a repository or a stream
target.py       an empty data directory that is being filled: whose it is, what a killed run left
restore.py      a data directory from a backup
extract.py      tables of a backup as SQL
gtid.py         positions in the history of servers
primary.py      the primary of a new replica
new_server.py   the server that is to run on a new data directory, started in private
clone.py        a new replica, from a running server
promote.py      a replica becomes the primary
cli.py          the command line
"""
