# SPDX-License-Identifier: GPL-2.0-only
"""Programs for those who run a server with Basalt, in the Debian package basalt-tools.

backup/   basalt-backup: backups of a running server, and data directories from them
console/  basalt-console: the same as basalt-top shows, as a web page
migrate/  basalt-migrate: moves tables of other engines into ROCKSDB, and back
top/      basalt-top: what the engine does, in a terminal

What they share:

connection.py          options as the client program mariadb has them; one connection
connection_options.py  the same for a command line

They import nothing of the rest of the repository and only what Debian 12 packages (README.md).
"""
