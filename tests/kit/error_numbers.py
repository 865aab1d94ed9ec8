# SPDX-License-Identifier: GPL-2.0-only
"""Error numbers of the server that pymysql.constants.ER does not name, by the server's own names
(mysqld_error.h)."""

XA_RBTIMEOUT = 1613
XA_RBDEADLOCK = 1614
SLAVE_FATAL_ERROR = 1593
SLAVE_RELAY_LOG_WRITE_FAILURE = 1595
SLAVE_MASTER_COM_FAILURE = 1597
INDEX_CORRUPT = 1712
CONNECTION_KILLED = 1927
GTID_STRICT_OUT_OF_ORDER = 1950
