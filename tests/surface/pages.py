# SPDX-License-Identifier: GPL-2.0-only
"""The pages of docs/ that are made from a running server and the source's tables."""

import re
from pathlib import Path

from tests.surface import differences
from tests.surface.picture import Picture, Variable
from tools import paths
from tools.errors import DevError

COUNTERS = "src/server/reports/status_counters.cc"
NOTE = (
    "This page is made by `./dev docs --generate`; "
    "`./dev test surface` compares it with a running server.\n"
)

VARIABLES_HEAD = f"""# System variables

{NOTE}
The variables of MyRocks in MariaDB 10.11 are there, by the same names, with the same types and
ranges, so that option files and scripts go on working. Those that mean nothing here are in the
second table: they can be set and keep the value. Setting one gives a warning, in the option file a
line in the error log; `rocksdb_warn_without_effect=OFF` takes the warnings away. What is new here
is marked with a star.

`rocksdb_debug_optimizer_n_rows` is an option of the command line and the option file only, for
tests: the optimizer is told that every table has so many rows.
"""
STATUS_HEAD = f"""# Status counters

{NOTE}
`SHOW GLOBAL STATUS LIKE 'rocksdb%'`. All counters of MyRocks in MariaDB 10.11 are there, as
numbers, by the same names, so that dashboards go on working; what is new here is marked with a
star. They count from the start of the server; `SET GLOBAL rocksdb_reset_stats=ON` sets those of
RocksDB to zero.

Some hardly move with default settings, where MyRocks counts:

- `rocksdb_block_cache_index_hit` and `_filter_hit`: index and filter blocks are pinned by their
  open file, so reads do not ask the cache for them. Both and `_index_miss`, `_filter_miss` count
  where files are opened. The hit rate of the cache is that of data blocks,
  `rocksdb_block_cache_data_hit` / (`_data_hit` + `_data_miss`). What Bloom filters are worth is
  `rocksdb_bloom_filter_useful` / (`_useful` + `rocksdb_bloom_filter_full_positive`).
  INFORMATION_SCHEMA.ROCKSDB_SST_PROPS has the size of these blocks for each file.
- those that RocksDB counts no more are 0 always: see their lines.
"""
SCHEMA_HEAD = f"""# Tables of INFORMATION_SCHEMA

{NOTE}
The tables of MyRocks in MariaDB 10.11 have the same columns in the same order; those marked with a
star are new here. Keys and names of transactions are in hexadecimal digits, but for `KEY` of
`ROCKSDB_LOCKS`. `ROCKSDB_TRX`, `_LOCKS`, `_DEADLOCK`, `_DDL`, `_FOREIGN_KEYS`, `_INDEX_SIZES`,
`_LIVE_FILES` and `_PROGRESS` are empty without the PROCESS privilege. [locking.md](locking.md)
describes transactions and locks.
"""
# what the names of a table's columns do not say
SCHEMA_NOTES = {
    "ROCKSDB_FOREIGN_KEYS": "One row a pair of columns. The rules are as they were written, so "
    "that `SET DEFAULT` shows as such. `PARENT_EXISTS` is `NO` of a child that came before its "
    "parent. See [foreign-keys.md](foreign-keys.md).",
    "ROCKSDB_INDEX_SIZES": "One row an index of each table or partition. `FILE_ENTRIES` counts "
    "versions, `DATA_BYTES` are before compression, `DISK_BYTES` after; the memtables' columns are "
    "estimates of RocksDB. Which files these are: `ROCKSDB_INDEX_FILE_MAP`, by `COLUMN_FAMILY` and "
    "`INDEX_NUMBER`.",
    "ROCKSDB_PERF_CONTEXT": "What statements with `rocksdb_perf_context_level` above 1 have cost, "
    "since the start. Tables that none has read or written have no rows.",
    "ROCKSDB_COMPACTION_HISTORY": "The last 64 that have ended. `STATUS` is `OK`, or why it has "
    "failed.",
    "ROCKSDB_INDEX_FILE_MAP": "What the files of an index hold. Index numbers below 256 are the "
    "dictionary's own records.",
    "ROCKSDB_GLOBAL_INFO": "`DDL_DROP_INDEX_ONGOING`: a dropped index whose space is not free yet.",
    "ROCKSDB_LOCKS": "Those that are held; who waits is in `ROCKSDB_TRX`. `KEY` of a row is the "
    "number of its index and a hash of its key, not the key as in `WAITING_KEY`. How "
    'to find one by the other: [locking.md](locking.md), "Which transaction blocks which".',
    "ROCKSDB_PROGRESS": "One row a statement that runs now and has used the engine. `STAGE` to "
    "`EXPECTED` are NULL when neither the server nor the engine reports a share. What `DONE` "
    "counts depends on the stage: rows, entries of an index, bytes of a file. `PER_SECOND` is of "
    "`DONE`, else of rows written, else of rows read. `SECONDS_LEFT` is of the stage.",
    "ROCKSDB_DEADLOCK": "`rocksdb_max_latest_deadlocks` of them, one row a transaction.",
    "ROCKSDB_CFSTATS": "`PENDING_COMPACTION_BYTES` is new here: bytes that compactions have to "
    "rewrite until no level is too large, as RocksDB estimates them.",
    "ROCKSDB_CF_OPTIONS": "First those of MyRocks' list, then all others of RocksDB.",
}


def row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |\n"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    return row(*head) + row(*["---"] * len(head)) + "".join(row(*r) for r in rows)


def shown(value: str | None) -> str:
    return f"`{value}`" if value else ""


def domain(variable: Variable) -> str:
    if variable.values and variable.values != "OFF,ON":
        return variable.values.replace(",", ", ")
    if variable.minimum is not None:
        return f"{variable.minimum} .. {variable.maximum}"
    return ""


def variables_page(ours: Picture, theirs: Picture) -> str:
    def line(v: Variable, text: str) -> tuple[str, ...]:
        star = "" if v.name in theirs.variables else " *"
        changed = "no" if v.read_only == "YES" else "yes"
        return (f"`{v.name}`{star}", shown(v.default), domain(v), v.scope.lower(), changed, text)

    head = ("variable", "default", "values", "scope", "at run time", "what it does")
    known = ours.variables.values()
    text = VARIABLES_HEAD + "\n"
    text += table(head, [line(v, v.text) for v in known if not v.without_effect])
    text += "\n## Without effect\n\n"
    silent = [v for v in known if v.without_effect]
    reason = (*head[:-1], "why there is nothing to set")
    text += table(reason, [line(v, v.text.removeprefix("Without effect: ")) for v in silent])
    text += "\n## Where the defaults differ from MyRocks\n\n"
    rows = []
    for name, why in sorted(differences.DEFAULTS.items()):
        rows.append(
            (
                f"`{name}`",
                shown(theirs.variables[name].default),
                shown(ours.variables[name].default),
                why,
            )
        )
    text += table(("variable", "MyRocks", "here", "why"), rows)
    if differences.MISSING:
        text += "\n## Not there yet\n\nA server with one of these in its option file starts only "
        text += "when it is written `loose_rocksdb_...`.\n\n"
        text += table(
            ("variable", "about"), [(f"`{n}`", w) for n, w in differences.MISSING.items()]
        )
    return text


def counters_of_source(root: Path = paths.ROOT) -> dict[str, str]:
    """Name, without rocksdb_, and text of each counter, in the order of the source's tables."""
    found: dict[str, str] = {}
    tables = (root / COUNTERS).read_text().partition("constexpr size_t kVariables")[0]
    for body in re.findall(r'\{("\w+",[^{}]*)\}', tables):
        elements = re.split(r",\s*(?=[\"A-Za-z])(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", body)
        name = re.findall(r'"([^"]*)"', elements[0])[0]
        text = "".join(re.findall(r'"([^"]*)"', elements[-1]))
        found[name] = text
    return found


def status_page(ours: Picture, theirs: Picture) -> str:
    texts = counters_of_source()
    shown_names = {name.removeprefix("rocksdb_") for name in ours.counters}
    if shown_names != set(texts):
        raise DevError(f"{COUNTERS} and the server differ in {shown_names ^ set(texts)}")
    rows = []
    for name, text in texts.items():
        star = "" if f"rocksdb_{name}" in theirs.counters else " *"
        rows.append((f"`rocksdb_{name}`{star}", text))
    return STATUS_HEAD + "\n" + table(("counter", "what it counts"), rows)


def schema_page(ours: Picture, theirs: Picture) -> str:
    text = SCHEMA_HEAD
    for name, its in sorted(ours.tables.items()):
        star = "" if name in theirs.tables else " *"
        text += f"\n## {name}{star}\n\n{its.text}."
        text += f" {SCHEMA_NOTES[name]}\n\n" if name in SCHEMA_NOTES else "\n\n"
        text += table(("column", "type"), [(f"`{c.name}`", c.type) for c in its.columns])
    return text


def pages(ours: Picture, theirs: Picture) -> dict[str, str]:
    """The text of each page, by its path."""
    return {
        "docs/variables.md": variables_page(ours, theirs),
        "docs/status.md": status_page(ours, theirs),
        "docs/information-schema.md": schema_page(ours, theirs),
    }
