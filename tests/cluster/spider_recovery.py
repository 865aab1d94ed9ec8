# SPDX-License-Identifier: GPL-2.0-only
"""What docs/operate/shards.md says to do when a shard or the Spider node has died: every
transaction that is prepared on a shard is decided there, by the record of the Spider node.

Spider's own XA COMMIT does not help: of a transaction that another session has prepared it answers
OK, forgets it, and tells the shards nothing."""

import time

import pymysql
from pymysql.constants import ER

from tests.cluster.spider_nodes import execute
from tests.kit.replicas.node import Broken, Node

PATIENCE_SECONDS = 60.0
RECORD = (
    "SELECT status, CONCAT('X''', HEX(LEFT(data, gtrid_length)), ''',X''',"
    " HEX(SUBSTR(data, gtrid_length + 1, bqual_length)), ''',', format_id) FROM mysql.spider_xa"
)
FORGET = ("DELETE FROM mysql.spider_xa", "DELETE FROM mysql.spider_xa_member")


def recover(spider: Node, shards: list[Node], wanted: set[str]) -> None:
    """`wanted`: names of the transactions that a client has decided to commit. No client may be
    at work."""
    status = recorded(spider)
    names = {xid(1, name.encode()) for name in wanted}
    commit = {n for n, s in status.items() if s == "COMMIT" or (s == "PREPARED" and n in names)}
    for node in (*shards, spider):  # Spider last: what it forgets can no longer be decided
        for name in prepared(node):
            decide(node, f"XA {'COMMIT' if name in commit else 'ROLLBACK'} {name}")
    for statement in FORGET:
        execute(spider, statement)


def decide(shard: Node, statement: str) -> None:
    """Once more while the session is still there that has prepared it: nobody else may then."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            execute(shard, statement)
            return
        except pymysql.Error as error:
            if error.args[0] != ER.XAER_NOTA or time.monotonic() > deadline:
                raise Broken(f"{statement} on shard {shard.number}: {error}") from error
        time.sleep(0.05)


def recorded(spider: Node) -> dict[str, str]:
    """The Spider node's record: name in SQL -> status."""
    return {text(name): text(status) for status, name in execute(spider, RECORD)}


def prepared(node: Node) -> list[str]:
    """As SQL takes it, in the form of `RECORD`."""
    rows = execute(node, "XA RECOVER")
    return [xid(form, data[:length], data[length:]) for form, length, _, data in map(raw, rows)]


def raw(row: tuple) -> tuple[int, int, int, bytes]:
    return (*row[:3], row[3] if isinstance(row[3], bytes) else row[3].encode())


def xid(form: int, gtrid: bytes, bqual: bytes = b"") -> str:
    return f"X'{gtrid.hex().upper()}',X'{bqual.hex().upper()}',{form}"


def text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value
