# SPDX-License-Identifier: GPL-2.0-only
"""Users' tools, unmodified, from Debian's packages, on servers with our plugin under load.

`physical` copies files (mariabackup, myrocks_hotbackup, a checkpoint), `dumps` copies rows
(mariadb-dump, mydumper), `percona` is Percona's toolkit. `metrics` is the exporter of Prometheus,
`prometheus` the dashboard and the alerts in that itself, and
`stages` the BACKUP STAGE commands that backup tools are made of. Each copy is proved in two ways:
its sums are right as it is, and, where the tool tells the position in the binary log, a replica
made of it comes to be the same as its primary, which no copy does that has a transaction too few or
many.
"""
