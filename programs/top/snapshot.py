# SPDX-License-Identifier: GPL-2.0-only
"""What was seen of a server at one moment, as plain data. Bytes, seconds; times are Unix times."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Server:
    version: str
    host: str
    plugin_version: str
    cache_bytes: int
    # without the privilege PROCESS the server hides transactions, locks and sizes
    sees_all: bool
    # the performance schema is on, and may be read
    keeps_statements: bool


@dataclass(frozen=True)
class Level:
    """One level of a column family's tree. From a score of 1 on RocksDB compacts it."""

    family: str
    number: int
    files: int
    bytes: int
    score: float


@dataclass(frozen=True)
class Memtables:
    """`full` memtables wait for their flush."""

    family: str
    bytes: int
    full: int


@dataclass(frozen=True)
class Compaction:
    job: int
    family: str
    input_level: int
    output_level: int
    reason: str
    files: int
    started: int


@dataclass(frozen=True)
class EndedCompaction:
    """`status` is OK, or why it has failed."""

    job: int
    family: str
    input_level: int
    output_level: int
    reason: str
    input_bytes: int
    output_bytes: int
    ended: int
    seconds: float
    status: str


@dataclass(frozen=True)
class Transaction:
    """`thread` is the number that KILL takes; 0: prepared, and its connection is gone. `seconds`:
    how long the connection has been doing what it does, or nothing, None when that is unknown.
    `waiting_key` is in hexadecimal digits, '' when it waits for no lock."""

    id: int
    state: str
    thread: int
    user: str
    seconds: float | None
    writes: int
    locks: int
    waiting_key: str
    waiting_family: int
    doing: str


@dataclass(frozen=True)
class Lock:
    """A row of ROCKSDB_LOCKS. `key` is cut to the index where it cannot be what is waited for."""

    family: int
    transaction: int
    key: str
    mode: str


@dataclass(frozen=True)
class Wait:
    """One transaction waits for another. `sure` is False when the other only may be the one: it has
    locks in the same index. `blocker` is None when it is not known."""

    thread: int
    transaction: int
    blocker: int | None
    blocker_thread: int | None
    index: str
    key: str
    mode: str
    seconds: float | None
    sure: bool


@dataclass(frozen=True)
class Statement:
    """What a connection executes. `writes` and `locks` are those of its transaction."""

    thread: int
    user: str
    database: str
    seconds: float
    state: str
    rows_examined: int
    memory_bytes: int
    progress_percent: float
    writes: int
    locks: int
    text: str


@dataclass(frozen=True)
class Digest:
    """Statements that differ in their values only, of all that have ended since the start."""

    schema: str
    text: str
    count: int
    seconds: float
    longest_seconds: float
    rows_examined: int
    rows_sent: int


@dataclass(frozen=True)
class Deadlock:
    """One transaction of a cycle of lock waits."""

    number: int
    time: int
    transaction: int
    table: str
    index: str
    key: str
    mode: str
    rolled_back: bool


@dataclass(frozen=True)
class Table:
    """All indexes and partitions of a table. `free_bytes`: about how much smaller its files are
    after a compaction, by deletions and, with secondary indexes, old versions of rows."""

    schema: str
    name: str
    files: int
    rows: int
    data_bytes: int
    disk_bytes: int
    memtable_bytes: int
    free_bytes: int


@dataclass(frozen=True)
class Snapshot:
    """`at` is the client's clock, for rates; `time` is the server's. `counters` are global status
    counters by their names in lower case. `cost` is milliseconds by the name of the question."""

    server: Server
    at: float
    time: int
    counters: dict[str, int]
    levels: list[Level] = field(default_factory=list)
    memtables: list[Memtables] = field(default_factory=list)
    compactions: list[Compaction] = field(default_factory=list)
    ended: list[EndedCompaction] = field(default_factory=list)
    transactions: list[Transaction] = field(default_factory=list)
    waits: list[Wait] = field(default_factory=list)
    # what is to be said of `waits`, such as why they name no blockers
    waits_note: str = ""
    statements: list[Statement] = field(default_factory=list)
    deadlocks: list[Deadlock] = field(default_factory=list)
    # digests and tables were looked at at tables_time
    digests: list[Digest] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    tables_time: int = 0
    snapshots: int = 0
    # None: there is no snapshot
    oldest_snapshot_seconds: int | None = None
    background_errors: int = 0
    # bytes a second that flushes and compactions may write, 0: no limit
    background_write_limit: int = 0
    cost: dict[str, float] = field(default_factory=dict)
