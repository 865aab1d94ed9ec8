# SPDX-License-Identifier: GPL-2.0-only
"""Programs that come with the server: mariadb-check, mariadb-upgrade, mariadb-import, and
mariadb-binlog as an archive of the binary log. Pages of docs/ show these commands."""

import subprocess
import time
from pathlib import Path

from tests.client_tools import programs
from tests.kit.clients.client import Problem
from tests.kit.replicas.node import DATABASE, Broken, Node
from tests.kit.replicas.scenario import Scenario

ROWS = 20000
SCHEMA = (
    "CREATE TABLE parts (id INT PRIMARY KEY, a INT, KEY a (a)) PARTITION BY HASH (id) PARTITIONS 2",
    f"INSERT INTO parts SELECT seq, seq % 100 FROM seq_1_to_{ROWS}",
    "CREATE TABLE damaged (id INT PRIMARY KEY, a INT, KEY a (a) COMMENT 'cfname=apart')",
    f"INSERT INTO damaged SELECT seq, seq % 100 FROM seq_1_to_{ROWS}",
    "CREATE TABLE facts (day INT, n INT, text CHAR(100), PRIMARY KEY (day, n))",
    "INSERT INTO facts VALUES (0, 0, 'there')",
    "SET GLOBAL rocksdb_force_flush_memtable_now = 1",
)
TABLES = ("damaged", "facts", "parts")
# the query of docs/operate/faq.md
FILES = """
SELECT d.partition_name, d.index_name, m.sst_name, f.level, f.file_size, m.num_rows
FROM information_schema.ROCKSDB_DDL d
JOIN information_schema.ROCKSDB_INDEX_FILE_MAP m USING (column_family, index_number)
JOIN information_schema.ROCKSDB_LIVE_FILES f ON f.file_name = m.sst_name
WHERE d.table_schema = 'rpl' AND d.table_name = '{}' ORDER BY 1, 2"""
IN_FIRST_BLOCK = 100  # an offset in a table file
LINES = 50_000  # of a file to import: more than the transaction keeps in memory
SPILL_THRESHOLD = 1 << 20
PATIENCE_SECONDS = 60.0


class ServerPrograms(Scenario):
    NAME = "server programs"

    def play(self) -> None:
        self.primary = self.node(1, binlog=True)
        self.primary.start(f"--loose-rocksdb-spill-threshold={SPILL_THRESHOLD}")
        self.archive()
        self.files()
        self.check()
        self.upgrade()
        self.imported()

    def run_program(self, name: str, *arguments: str | Path, program: str = "") -> str:
        words = [str(word) for word in arguments]
        command = self.primary.server.client_command(*words, program=program or f"mariadb-{name}")
        return programs.run(self.log(name), command)

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    # --- the archive

    def archive(self) -> None:
        """Kept up to date while the primary runs; after its death a new server is made of it."""
        folder = self.folder / "archive"
        folder.mkdir()
        first = self.primary.server.query("SHOW BINARY LOGS")[0][0]
        command = self.primary.server.client_command(
            "--read-from-remote-server", "--raw", "--stop-never", first, program="mariadb-binlog"
        )
        with open(self.log("archive"), "w") as log:
            reader = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        try:
            self.fill(folder)
        finally:
            reader.terminate()
            reader.wait()
        expected = self.checksums(self.primary)
        copy = self.restored(sorted(folder.iterdir()))
        found = unlike(self.checksums(copy), expected)
        self.step(found, "mariadb-binlog --raw --stop-never: the log of a server that was killed")
        copy.server.stop()

    def fill(self, folder: Path) -> None:
        """The tables, over two files of the log. The server dies while it writes the second."""
        self.primary.server.sql("; ".join(SCHEMA), DATABASE)
        self.primary.server.sql(
            "FLUSH BINARY LOGS; INSERT INTO facts VALUES (0, 1, 'last')", DATABASE
        )
        name, size = self.primary.server.query("SHOW BINARY LOGS")[-1][:2]
        deadline = time.monotonic() + PATIENCE_SECONDS
        last = folder / name
        while not (last.is_file() and last.stat().st_size >= size):
            if time.monotonic() > deadline:
                raise Broken(f"mariadb-binlog has not written {name} (see {self.log('archive')})")
            time.sleep(0.1)
        self.primary.server.kill()
        self.primary.server.start()

    def restored(self, files: list[Path]) -> Node:
        node = self.node(2, binlog=False)
        node.start()
        text = self.folder / "archive.sql"
        names = [str(file) for file in files]
        command = node.server.client_command(*names, program="mariadb-binlog")
        text.write_text(programs.run(self.log("archive-read"), command))
        with open(text, "rb") as statements:
            command = node.server.client_command()
            programs.run(self.log("archive-applied"), command, stdin=statements)
        return node

    def checksums(self, node: Node) -> list[tuple]:
        return node.server.query(f"CHECKSUM TABLE {', '.join(TABLES)}", DATABASE)

    # --- files of a table

    def files(self) -> None:
        """One query names the files of a table; they are there, and hold its rows."""
        found = []
        for table, partitions in (("parts", ("p0", "p1")), ("damaged", ("",))):
            rows = self.primary.server.query(FILES.format(table))
            indexes = {(row[0] or "", row[1]) for row in rows}
            expected = {(part, index) for part in partitions for index in ("a", "PRIMARY")}
            found += unlike(indexes, expected)
            for index in ("a", "PRIMARY"):
                found += unlike(sum(row[5] for row in rows if row[1] == index), ROWS)
            sizes = {row[2]: row[4] for row in rows}
            found += unlike({name: self.file(name).stat().st_size for name in sizes}, sizes)
        self.step(found, "the query for the files of a table")

    def file(self, name: str) -> Path:
        return self.primary.server.datadir / "#rocksdb" / name.removeprefix("/")

    # --- mariadb-check

    def check(self) -> None:
        said = self.run_program("check", "--extended", "--databases", DATABASE)
        found = self.all_well(said)
        self.step(found, "mariadb-check --extended: every table is OK")
        self.damage()
        said = self.run_program("check-damaged", DATABASE, program="mariadb-check")
        found = [] if f"{DATABASE}.damaged\n" in said and "Corrupt" in said else [broken(said)]
        self.step(found, "mariadb-check: names a damaged table")
        said = self.run_program("repair", "--auto-repair", DATABASE, program="mariadb-check")
        found = [] if f"built anew from {ROWS} rows: a" in said else [broken(said)]
        self.step(found, "mariadb-check --auto-repair: builds its index anew")
        said = self.run_program("check-again", "--extended", DATABASE, program="mariadb-check")
        self.step(self.all_well(said), "mariadb-check --extended: every table is OK again")

    def all_well(self, said: str) -> list[Problem]:
        well = [line.split()[0] for line in said.splitlines() if line.endswith(" OK")]
        return unlike(well, [f"{DATABASE}.{table}" for table in TABLES])

    def damage(self) -> None:
        """One bit of the index that has files of its own, while the server is stopped."""
        rows = self.primary.server.query(FILES.format("damaged"))
        (file,) = [self.file(row[2]) for row in rows if row[1] == "a"]
        self.primary.server.stop()
        content = bytearray(file.read_bytes())
        content[IN_FIRST_BLOCK] ^= 0x40
        file.write_bytes(content)
        self.primary.server.start()

    # --- the others

    def upgrade(self) -> None:
        before = self.checksums(self.primary)
        said = self.run_program("upgrade", "--force")
        found = self.all_well("\n".join(rows for rows in said.splitlines() if "rpl." in rows))
        found += unlike(self.checksums(self.primary), before)
        self.step(found, "mariadb-upgrade --force: every table is OK, the rows are the same")

    def imported(self) -> None:
        """Without --local it is a load, also into a table with rows; with it the server does as
        with IGNORE, which is none (docs/bulk-load.md)."""
        found = []
        for day, options, loads in ((1, [], 1), (2, ["--local"], 0)):
            file = self.folder / "facts.txt"
            file.write_text("".join(f"{day}\t{n}\t{'x' * 90}\n" for n in range(LINES)))
            before = int(self.primary.status("rocksdb_bulk_loads_checked"))
            self.run_program("import", *options, DATABASE, file)
            after = int(self.primary.status("rocksdb_bulk_loads_checked"))
            found += unlike(after - before, loads)
            query = f"SELECT COUNT(*), SUM(n) FROM rpl.facts WHERE day = {day}"
            found += unlike(self.primary.server.query(query), [(LINES, LINES * (LINES - 1) // 2)])
        self.step(found, "mariadb-import: a load, but with --local")


def unlike(found: object, expected: object) -> list[Problem]:
    return [] if found == expected else [Problem("lost", f"{found}, not {expected}")]


def broken(said: str) -> Problem:
    return Problem("broken", said)
