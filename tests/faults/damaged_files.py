# SPDX-License-Identifier: GPL-2.0-only
"""What a crash or a bad disk leaves behind: torn ends of the log, kills during recovery, flipped
bits in the log and the manifest. (Flipped bits in table files: `./dev test damage`.)"""

import random
import time
from collections.abc import Callable
from pathlib import Path

from tests.faults.full_disk import COLUMNS, expect
from tests.faults.writer import HANGS_AFTER, Writer, check_rows
from tests.kit.reclaimer import wait_for_reclaimer
from tools.errors import DevError
from tools.server import PrivateServer

LEAST_ROWS = 200
KILLS = 4
ONE_ROW = "INSERT INTO w (id) VALUES (-2) ON DUPLICATE KEY UPDATE a = 1"
BLOCK, HEAD = 32768, 7
# Of a record of 3,000 bytes that begins a block: checksum, length, kind, and a part of it.
TORN_RECORD = bytes.fromhex("12345678b80b01") + b"x" * 1000


def set_up(server: PrivateServer) -> None:
    server.sql(f"CREATE DATABASE d; USE d; CREATE TABLE w {COLUMNS}")


def store_of(server: PrivateServer) -> Path:
    return server.datadir / "#rocksdb"


def last_log(server: PrivateServer) -> Path:
    logs = [p for p in store_of(server).glob("*.log") if p.stat().st_size]
    expect(bool(logs), "no log")
    return max(logs)


def end_of(log: Path) -> int:
    """Where the records end; behind them may be space made ready, zeros. The log's public format:
    blocks of 32 KiB, records with a head of 7 bytes, the length at 4, the kind (0: none) at 6."""
    content = log.read_bytes()
    at = 0
    while True:
        left = BLOCK - at % BLOCK
        start = at + left if left < HEAD else at
        if start + HEAD > len(content) or content[start + 6] == 0:
            return at
        at = start + HEAD + int.from_bytes(content[start + 4 : start + 6], "little")


def load(server: PrivateServer, number: int, seconds: float) -> Writer:
    """A writer that was at work for so long, and on a busy machine until it has written enough for
    a log of many records; the server is killed under it."""
    writer = Writer(server, "w", number, dies=True)
    writer.start()
    time.sleep(seconds)
    end = time.monotonic() + HANGS_AFTER
    while len(writer.acknowledged) < LEAST_ROWS:
        expect(time.monotonic() < end, f"a writer has written nothing: {writer.errors[-1:]}")
        time.sleep(0.01)
    server.kill()
    writer.stop()
    return writer


def said(server: PrivateServer, *words: str) -> None:
    log = server.log_tail(200)
    for word in words:
        expect(word in log, f"the error log does not say '{word}':\n{log}")


def torn_end(server: PrivateServer) -> None:
    """Each start after a crash finds a torn end, and the next crash comes at once."""
    writers = []
    for number in range(1, KILLS + 1):
        writers.append(load(server, number, 0.4))
        end = end_of(last_log(server))
        with open(last_log(server), "r+b") as log:
            log.seek(end)
            log.write(TORN_RECORD)
        server.start()
        said(server, "torn end", last_log(server).parent.name)
        server.kill()
        server.start()
        finding = check_rows(server, "w", writers)
        expect(not finding, finding)


def killed_recovery(server: PrivateServer) -> None:
    rng = random.Random(1)
    server.sql("TRUNCATE TABLE w", "d")
    writers = [load(server, 20, 1.0)]
    for _ in range(KILLS):
        server.start(wait=False)
        time.sleep(rng.uniform(0.05, 0.6))
        server.kill()
    server.start()
    finding = check_rows(server, "w", writers)
    expect(not finding, finding)


def flip(path: Path, offset: int) -> None:
    content = bytearray(path.read_bytes())
    content[offset] ^= 0x10
    path.write_bytes(content)


def flipped_log(server: PrivateServer) -> None:
    """Point in time: everything up to the damage, nothing behind it, a word in the error log, and
    the damaged file kept; later starts go on from there.
    With rocksdb_wal_recovery_mode = 1 the engine does not start instead, and changes nothing."""
    server.restart()
    server.sql("TRUNCATE TABLE w", "d")
    # the deletions of dropped indexes are records of the log, too, and are not synced: a commit
    # brings them into the file
    expect(wait_for_reclaimer(server.query), "dropped indexes are not reclaimed")
    server.sql("CREATE TABLE mark (id INT PRIMARY KEY); INSERT INTO mark VALUES (1)", "d")
    log = last_log(server)
    begin = end_of(log)
    writer = load(server, 30, 0.5)
    expect(log == last_log(server), "the rows are in two logs")
    # among the rows' records, behind the first and before the last
    flip(log, begin + (end_of(log) - begin) * 3 // 4)
    with_option(server, "--rocksdb-wal-recovery-mode=1", lambda: refuses(server, log.name))
    server.start()
    said(server, log.name)
    found = [row[0] for row in server.query("SELECT id FROM w ORDER BY id", "d")]
    written = sorted(writer.acknowledged | writer.unknown)
    expect(0 < len(found) < len(writer.acknowledged), f"{len(found)} rows of {len(written)}")
    expect(found == written[: len(found)], "rows from behind the damage, without earlier ones")
    kept = log.with_name(log.name + ".damaged")
    expect(kept.is_file(), f"{kept.name} is missing")
    server.sql(
        "INSERT INTO w (id) VALUES (-1); SET GLOBAL rocksdb_force_flush_memtable_now = ON", "d"
    )
    server.kill()
    server.start()
    server.restart()
    again = [row[0] for row in server.query("SELECT id FROM w ORDER BY id", "d")]
    expect(again == [-1, *found], "a later start finds other rows")


def with_option(server: PrivateServer, option: str, action: Callable) -> None:
    server.options.append(option)
    try:
        action()
    finally:
        server.options.pop()


def refuses(server: PrivateServer, *words: str) -> None:
    try:
        server.start()
    except DevError as error:
        log = server.log_tail(200)
        for word in words:
            expect(word in log, f"the error log does not say '{word}': {error}")
        return
    raise AssertionError("the engine starts on a damaged store")


def flipped_manifest(server: PrivateServer) -> None:
    """The engine does not start, says which file it is, and changes nothing."""
    server.sql(ONE_ROW, "d")
    server.stop()
    store = store_of(server)
    manifest = store / (store / "CURRENT").read_text().strip()
    before = manifest.read_bytes()
    flip(manifest, len(before) // 2)
    files = sorted(p.name for p in store.iterdir())
    refuses(server, manifest.name, "cannot be served and is left as it is")
    expect(files == sorted(p.name for p in store.iterdir()), "files have come or gone")
    manifest.write_bytes(before)
    server.start()
    expect(server.query("SELECT COUNT(*) > 0 FROM w", "d") == [(1,)], "rows are gone")


def marked_as_damaged(server: PrivateServer) -> None:
    """MyRocks' mark of a store that has met damage holds here too."""
    server.sql(ONE_ROW, "d")
    server.stop()
    mark = store_of(server) / "ROCKSDB_CORRUPTED"
    mark.touch()
    try:
        refuses(server, mark.name, "rocksdb_allow_to_start_after_corruption")
        with_option(server, "--rocksdb-allow-to-start-after-corruption=ON", server.start)
        expect(server.query("SELECT COUNT(*) > 0 FROM w", "d") == [(1,)], "rows are gone")
        server.stop()
    finally:
        mark.unlink()
    server.start()


SCENARIOS = (torn_end, killed_recovery, flipped_log, flipped_manifest, marked_as_damaged)
