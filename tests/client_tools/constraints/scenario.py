# SPDX-License-Identifier: GPL-2.0-only
"""Percona's tools on tables with constraints, in ROCKSDB and in InnoDB of one server: they end in
the same way, and leave the same definitions."""

import re
from concurrent.futures import ThreadPoolExecutor

from tests.client_tools import programs
from tests.client_tools.constraints import proof
from tests.client_tools.constraints.change import (
    CASES,
    OLDER,
    OLDER_CASES,
    REFUSED_BY_NAME,
    Case,
    Change,
)
from tests.client_tools.constraints.moves import ARCHIVES, SYNCHRONISED, Move
from tests.client_tools.constraints.schema import Pair
from tests.client_tools.constraints.writer import CUSTOMERS, replay
from tests.kit.clients.client import Problem
from tests.kit.replicas.scenario import Scenario
from tools.setup import client_tools

Pairs = tuple[Pair, ...]
HERE, THERE = Pair("here", "here_far"), Pair("there", "there_far")
AGAIN = Pair("again", "again_far")  # InnoDB: what the writer did, without the tool
COPY_HERE, COPY_THERE = Pair("here_copy", "here_copy_far"), Pair("there_copy", "there_copy_far")
ENGINES = {
    HERE: "ROCKSDB",
    COPY_HERE: "ROCKSDB",
    THERE: "InnoDB",
    AGAIN: "InnoDB",
    COPY_THERE: "InnoDB",
}


class Constraints(Scenario):
    NAME = "constraints"

    def play(self) -> None:
        self.server = self.node(1, binlog=True)
        self.server.start("--binlog-format=ROW")
        for case in CASES:
            self.change(case)
        self.refusal()
        self.archive()
        self.synchronise()
        self.server.server.stop()
        self.server.start("--binlog-format=ROW", OLDER)
        for case in OLDER_CASES:
            self.change(case)

    def make(self, pair: Pair) -> None:
        """The tables of the pair, anew."""
        self.server.server.sql(
            ";".join(
                [
                    f"SET foreign_key_checks=0, default_storage_engine={ENGINES[pair]}",
                    f"DROP DATABASE IF EXISTS {pair.near}",
                    f"DROP DATABASE IF EXISTS {pair.far}",
                    "SET foreign_key_checks=1",
                    f"CREATE DATABASE {pair.near}",
                    *pair.statements(CUSTOMERS),
                ]
            ),
            "mysql",
        )

    def refusal(self) -> None:
        """One that InnoDB does not get, by the name of the engine (docs/backup.md)."""
        change = self.made(REFUSED_BY_NAME, HERE)
        change.run()
        self.step(change.heard(), f"pt-online-schema-change, {change.case.name}")

    def made(self, case: Case, pair: Pair) -> Change:
        self.make(pair)
        log = self.folder / f"{file_name(case.name)}-{pair.near}.log"
        # InnoDB's cascades have ended the whole server here, in one of about 15 runs: of a child
        # that was swapped meanwhile (10.11.18, signal 11 in its check of foreign keys)
        rests = ENGINES[pair] == "InnoDB"
        return Change(case, self.server, pair, f"{self.seed}-{case.name}", log, rests)

    def change(self, case: Case) -> None:
        changes = [self.made(case, pair) for pair in (HERE, THERE)]
        with ThreadPoolExecutor(len(changes)) as threads:
            for done in [threads.submit(change.run) for change in changes]:
                done.result()
        with self.server.connect(HERE.near) as link, link.cursor() as cursor:
            # InnoDB is the measure for definitions and statuses; its rows are judged in --long
            judged = changes if self.long else changes[:1]
            found = [p for change in judged for p in self.judge(change, cursor)]
            ask = proof.asker(cursor)
            here, there = (
                proof.definitions(ask, pair, proof.all_tables(ask, pair)) for pair in (HERE, THERE)
            )
        found += proof.unequal(there, here)
        if ("`extra`" in here[case.table]) == bool(case.status):
            found.append(Problem("broken", f"changed or not: {here[case.table]}"))
        counts = " and ".join(str(len(change.writer.journal)) for change in changes)
        self.step(found, f"pt-online-schema-change, {case.name}: {counts} statements beside it")

    def judge(self, change: Change, cursor) -> list[Problem]:
        """The rows are those that the writer's statements give without the tool."""
        writer, pair, ask = change.writer, change.pair, proof.asker(cursor)
        found = [Problem("broken", text) for text in writer.failed[:5]] + change.heard()
        self.make(AGAIN)
        cursor.execute("BEGIN")
        found += [Problem("half", text) for text in replay(cursor, writer.journal, AGAIN)[:5]]
        cursor.execute("COMMIT")
        columns = proof.columns(ask, AGAIN)
        expected, rows = (proof.rows(ask, p, columns) for p in (AGAIN, pair))
        for table in expected:
            if expected[table] != rows[table]:
                wrong = sorted(set(expected[table]) ^ set(rows[table]), key=repr)[:5]
                found.append(Problem("lost", f"{pair.near}, {table}: differs in {wrong}"))
        if change.case.cut_off:
            return found + [p for c in proof.constraints(ask, pair) for p in proof.refuses(ask, c)]
        return found + proof.holds(ask, pair)

    def archive(self) -> None:
        for pair in (HERE, THERE):
            self.make(pair)
        for move in ARCHIVES:
            found = self.both(move, (HERE, THERE), (HERE, THERE))
            self.step(found, f"pt-archiver: {move.name}")

    def synchronise(self) -> None:
        for pair in (HERE, COPY_HERE, THERE, COPY_THERE):
            self.make(pair)
        for move in SYNCHRONISED:
            found = self.both(move, (HERE, THERE), (COPY_HERE, COPY_THERE))
            self.step(found, f"pt-table-sync: {move.name}")
        with self.server.connect() as link, link.cursor() as cursor:
            ask = proof.asker(cursor)
            columns = proof.columns(ask, HERE)
            first, second = (proof.rows(ask, p, columns) for p in (HERE, COPY_HERE))
            found = proof.holds(ask, COPY_HERE)
        for table in first:
            if first[table] != second[table]:
                found.append(Problem("lost", f"{table} is not the same after all"))
        self.step(found, "pt-table-sync: all tables are the same, and the constraints hold")

    def both(self, move: Move, sources: Pairs, changed: Pairs) -> list[Problem]:
        """Runs the move on both engines, and compares all that is in the pairs that it changes."""
        found = []
        for source, pair in zip(sources, changed, strict=True):
            self.prepare(move, pair)
            log = self.folder / f"{file_name(move.name)}-{pair.near}.log"
            programs.run(log, self.command(move, source, pair), good=tuple(move.status))
            if move.says not in log.read_text():
                found.append(Problem("broken", f"{move.tool} does not say '{move.says}' in {log}"))
        with self.server.connect() as link, link.cursor() as cursor:
            ask = proof.asker(cursor)
            found += [p for pair in changed for p in arrived(ask, move, pair)]
            here, there = (everything(ask, pair) for pair in changed)
        return found + proof.unequal(there, here)

    def prepare(self, move: Move, pair: Pair) -> None:
        statements = [pair.format(sql) for sql in move.before]
        engine = f"SET default_storage_engine={ENGINES[pair]}"
        self.server.server.sql(";".join([engine, *statements]), "mysql")

    def command(self, move: Move, source: Pair, target: Pair) -> list[object]:
        dsn = f"S={self.server.server.socket},u=root"
        places = {"first": f"{dsn},D={source.near}", "second": f"{dsn},D={target.near}"}
        arguments = [argument.format(**places) for argument in move.arguments]
        return [client_tools.program(move.tool), "--no-version-check", *arguments]


def file_name(text: str) -> str:
    return re.sub(r"\W+", "-", text)


def arrived(ask: proof.Ask, move: Move, pair: Pair) -> list[Problem]:
    if move.arrived is None:
        return []
    table, expected = move.arrived
    rows = ask(f"SELECT COUNT(*) FROM {pair.near}.{table}")[0][0]
    text = f"{pair.near}.{table} has {rows} rows and not {expected}"
    return [] if rows == expected else [Problem("lost", text)]


def everything(ask: proof.Ask, pair: Pair) -> dict[str, str]:
    """Definitions and rows of all tables."""
    tables = proof.all_tables(ask, pair)
    found = proof.definitions(ask, pair, tables)
    for table in tables:
        rows = sorted(ask(f"SELECT * FROM {table}"), key=repr)
        found[f"rows of {table.split('.')[1]}"] = "\n".join(map(str, rows))
    return found
