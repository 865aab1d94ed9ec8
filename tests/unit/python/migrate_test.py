# SPDX-License-Identifier: GPL-2.0-only
"""basalt-migrate without a server: names, order by foreign keys, what SHOW CREATE TABLE says, room,
comparisons, dumps, option files. The tier `migrate` runs this with Debian's packages as well."""

import fcntl
import io
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from programs.connection import Options
from programs.migrate import (
    before_opening,
    compare,
    dump,
    online,
    order,
    plan,
    progress,
    runner,
    throttle,
)
from programs.migrate.catalog import Catalog, ForeignKey, Table, clauses
from programs.migrate.errors import BadUse, SqlError, Stopped
from programs.migrate.interrupt import Interrupt
from programs.migrate.journal import Record
from programs.migrate.mover import foreign_keys, plain
from programs.migrate.names import Choice, Name
from programs.migrate.scratch import named
from programs.migrate.throttle import address

SHOWN = """CREATE TABLE `orders` (
  `id` int(11) NOT NULL COMMENT 'CONSTRAINT `no` FOREIGN KEY',
  KEY `k` (`customer`),
  CONSTRAINT `of_customer` FOREIGN KEY (`customer`) REFERENCES `customer` (`id`) ON DELETE CASCADE,
  CONSTRAINT `other``s` FOREIGN KEY (`x`) REFERENCES `b`.`far` (`id`),
  CONSTRAINT `c` CHECK (`id` > 0)
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=latin1"""


def name(word: str) -> Name:
    return Name("d", word)


def key(child: str, parent: str) -> ForeignKey:
    return ForeignKey(f"{child}_{parent}", name(child), name(parent))


def entry(word: str, now: int, after: int | None) -> plan.Entry:
    table = Table(name(word), "BASE TABLE", "InnoDB", 10, now, 1, "")
    return plan.Entry(table, plan.MOVES, bytes_after=after)


class NamesTest(unittest.TestCase):
    def test_quoted(self):
        self.assertEqual(Name("a`b", "c.d").sql, "`a``b`.`c.d`")

    def test_choice(self):
        chosen = Choice(("shop", "other.t"))
        self.assertTrue(chosen.has(Name("shop", "x")))
        self.assertTrue(chosen.has(Name("other", "t")))
        self.assertFalse(chosen.has(Name("other", "u")))
        self.assertTrue(Choice(()).has(Name("other", "u")))

    def test_choice_of_nothing(self):
        there = {Name("shop", "x")}
        Choice(("shop", "shop.x")).check(there)
        for word in ("shap", "shop.y"):
            with self.assertRaises(BadUse):
                Choice((word,)).check(there)

    def test_words_of_the_server(self):
        text = "refused `basalt_migrate`.`trial_7` and 'basalt_migrate.trial_7'"
        copy = Name("basalt_migrate", "trial_7")
        self.assertEqual(named(text, copy, name("t")), "refused `d`.`t` and 'd.t'")


class OrderTest(unittest.TestCase):
    def test_alone(self):
        found = order.groups([name("b"), name("a")], [])
        self.assertEqual(found, [[name("a")], [name("b")]])

    def test_parents_first(self):
        keys = [key("a", "b"), key("b", "c"), key("d", "c")]
        (found,) = order.groups(map(name, "abcd"), keys)
        self.assertEqual(found, [name("c"), name("b"), name("a"), name("d")])
        self.assertEqual(order.later_keys(found, keys), [])

    def test_circle_and_self(self):
        keys = [key("a", "b"), key("b", "a"), key("c", "c"), key("c", "a")]
        (found,) = order.groups(map(name, "abc"), keys)
        self.assertEqual(found, [name("a"), name("b"), name("c")])
        self.assertEqual(order.later_keys(found, keys), [keys[0], keys[2]])

    def test_partner_that_was_not_named(self):
        self.assertEqual(order.groups([name("a")], [key("a", "z")]), [[name("z"), name("a")]])


class DefinitionsTest(unittest.TestCase):
    def test_clauses(self):
        found = clauses(SHOWN)
        self.assertEqual(list(found), ["of_customer", "other`s"])
        self.assertTrue(found["of_customer"].endswith("ON DELETE CASCADE"))

    def test_parents(self):
        found = foreign_keys(name("orders"), clauses(SHOWN))
        self.assertEqual([k.parent for k in found], [name("customer"), Name("b", "far")])

    def test_plain(self):
        self.assertEqual(plain(SHOWN), plain(SHOWN.replace("=7", "=9")))
        self.assertNotEqual(plain(SHOWN), plain(SHOWN.replace("latin1", "utf8mb4")))


class RoomTest(unittest.TestCase):
    def test_first_table_is_the_peak(self):
        groups = [[entry("a", 100, 40)], [entry("b", 10, 4)]]
        self.assertEqual(plan.room_needed(groups), 60)

    def test_what_was_freed_counts(self):
        self.assertEqual(plan.room_needed([[entry("a", 100, 40), entry("b", 200, 80)]]), 60)

    def test_tables_that_grow(self):
        self.assertEqual(plan.room_needed([[entry("a", 10, 30)], [entry("b", 10, 30)]]), 65)

    def test_not_measured_is_as_large_as_now(self):
        self.assertEqual(plan.room_needed([[entry("a", 10, None)]]), 15)


class CompareTest(unittest.TestCase):
    def test_verdicts(self):
        judge = compare.judge
        self.assertIn("nobody could write", judge(compare.CHECKSUM, 5, 5, True).text)
        self.assertEqual(judge(compare.CHECKSUM, 5, 5, False).text, "same checksum of all rows")
        self.assertTrue(judge(compare.COUNT, 5, 6, True).different)
        self.assertFalse(judge(compare.COUNT, 5, 6, False).different)
        self.assertIn("not proved", judge(compare.COUNT, 5, 6, False).text)
        self.assertEqual(judge(compare.CHECKSUM, None, 6, True).text, "not compared")


class ProgressTest(unittest.TestCase):
    def test_first_step(self):
        text = progress.describe("d.t", 1000, (1, 2, 25, 10, "copy to tmp table"))
        self.assertEqual(
            text,
            "d.t: step 1 of 2, 25 %, 250 of about 1,000 rows, 25 rows/s, 30 s left in this step",
        )

    def test_waiting(self):
        text = progress.describe("d.t", 1000, (0, 0, 0, 3, "Waiting for table metadata lock"))
        self.assertEqual(text, "d.t: waiting for table metadata lock, 3 s")

    def test_lines_of_a_file_are_few(self):
        file = io.StringIO()
        shown = progress.Progress(file=file)
        shown.say("first")
        for number in range(5):
            shown.update(str(number))
        self.assertEqual(file.getvalue(), "first\n0\n")

    def test_lines_of_the_tool(self):
        found = online.COPIED.match("Copying `d`.`t`:  45% 00:12 remain")
        text = online.describe("d.t", 2000, found, 10)
        self.assertEqual(text, "d.t: 45 %, 900 of about 2,000 rows, 90 rows/s, 00:12 left")

    def test_reason_of_the_tool(self):
        said = [
            "Altering `d`.`t`...",
            "Cannot chunk the original table at /usr/bin/x line 12.",
            "x",
        ]
        self.assertEqual(online.reason(said), "Cannot chunk the original table")
        self.assertEqual(online.reason([]), "it said nothing")

    def test_name_of_a_copy(self):
        self.assertEqual(online.copy_of(name("t")), "_t_basalt_new")
        self.assertEqual(len(online.copy_of(name("x" * 64))), 64)


class AddressTest(unittest.TestCase):
    def test_forms(self):
        primary = Options(host="localhost", port=3306, user="u", password="p", socket="/s")
        found = address("db2:3307", primary)
        self.assertEqual((found.host, found.port, found.socket), ("db2", 3307, None))
        self.assertEqual(found.password, "p")
        self.assertEqual(address("localhost", primary).host, "127.0.0.1")
        self.assertEqual(address("/run/x.sock", primary).socket, "/run/x.sock")
        for word in ("db2:x", ":3306", ""):
            with self.assertRaises(BadUse):
                address(word, primary)


class Control:
    """A server that tells how many statements run, those of its own included."""

    def __init__(self, running: int):
        self.options = Options()
        self.running = running

    def status(self, name: str) -> str:
        return {"Threads_running": str(self.running)}[name]


class Watcher(Control):
    """What a connection is asked to do while another one works."""

    def __init__(self, end):
        super().__init__(1)
        self.end = end
        self.done: list[str] = []

    def rows(self, *_) -> list[tuple]:
        return []

    def do(self, statement: str) -> None:
        self.done.append(statement)
        self.end.set()


class InterruptTest(unittest.TestCase):
    def setUp(self):
        self.interrupt = Interrupt()
        self.end = threading.Event()
        self.control = Watcher(self.end)
        worker = mock.Mock(id=7)
        quiet = progress.Progress(quiet=True)
        self.watched = progress.Watched(worker, self.control, quiet, self.interrupt)

    def work(self, error: Exception | None) -> int:
        """Lasts until somebody kills it."""
        self.assertTrue(self.end.wait(60))
        if error:
            raise error
        return 5

    def test_noted_while_a_group_moves(self):
        with self.assertRaises(KeyboardInterrupt):
            self.interrupt.receive()
        with self.interrupt.noted():
            self.interrupt.receive()
        self.assertTrue(self.interrupt.wanted)

    def test_statement_is_killed(self):
        self.interrupt.wanted = True
        with self.assertRaises(Stopped):
            self.watched.run(lambda: self.work(SqlError(1317, "interrupted")), "d.t", 0)
        self.assertEqual(self.control.done, ["KILL QUERY 7"])

    def test_statement_that_is_over_counts(self):
        self.interrupt.wanted = True
        self.assertEqual(self.watched.run(lambda: self.work(None), "d.t", 0), 5)

    def test_error_without_a_kill(self):
        self.end.set()
        with self.assertRaises(SqlError):
            self.watched.run(lambda: self.work(SqlError(1, "no")), "d.t", 0)


class ThrottleTest(unittest.TestCase):
    def reason(self, running: int, load: int | None) -> str:
        limits = throttle.Limits(load=load)
        return throttle.Throttle(Control(running), limits, progress.Progress(quiet=True)).reason()

    def test_load(self):
        self.assertEqual(self.reason(6, 5), "")
        self.assertEqual(self.reason(7, 5), "6 statements run")
        self.assertEqual(self.reason(100, None), "")


class RunnerTest(unittest.TestCase):
    def setUp(self):
        self.tables = {name(w): entry(w, 1, None).table for w in ("parent", "child")}
        self.catalog = Catalog(self.tables, [key("child", "parent")])
        self.records = {n: Record(n, "moved", "InnoDB", "ROCKSDB") for n in self.tables}

    def reason(self, *words: str, online: bool = False) -> str:
        back = {name(word): self.records[name(word)] for word in words}
        (names,) = order.groups(back, runner.connected(self.catalog.foreign_keys, back))
        return runner.why_not_back(names, self.catalog, back, online)

    def test_way_back(self):
        self.assertEqual(self.reason("parent", "child"), "")
        self.assertIn("which was not moved or is not named", self.reason("child"))
        self.assertIn("leave --online out", self.reason("parent", "child", online=True))
        del self.tables[name("child")]
        self.assertIn("there is no table d.child any more", self.reason("parent", "child"))

    def test_what_was_cut_off_goes_on(self):
        """The child has moved, and its foreign key or its comparison is missing."""
        entries = [entry("parent", 1, None), entry("child", 1, None)]
        entries[1].verdict, entries[1].table.engine = plan.MOVED, "ROCKSDB"
        made = plan.Plan(entries, [], [])
        self.assertEqual(len(runner.groups_to_move(made, {})[0]), 1)
        self.records[name("child")].state = "moving"
        self.assertEqual(len(runner.groups_to_move(made, self.records)[0]), 2)

    def test_missing_keys(self):
        record = self.records[name("child")]
        record.foreign_keys = clauses(SHOWN)
        self.assertEqual(runner.missing_keys(self.catalog, self.records), [])
        record.state = "failed"
        found = runner.missing_keys(self.catalog, self.records)
        self.assertEqual([k.constraint for k in found], ["of_customer", "other`s"])


class DumpTest(unittest.TestCase):
    def filtered(self, text: str, engines=dump.ENGINES) -> tuple[str, list[str], int]:
        said: list[str] = []
        target = io.BytesIO()
        stayed = dump.Filter(engines, said.append).run(io.BytesIO(text.encode()), target)
        return target.getvalue().decode(), said, stayed

    def created(self, options: str, column: str = "  `a` int(11)") -> str:
        return f"CREATE TABLE `t` (\n{column}\n) {options};\n"

    def test_plain(self):
        text, said, stayed = self.filtered(self.created("ENGINE=InnoDB DEFAULT CHARSET=latin1"))
        self.assertEqual(text, self.created("ENGINE=ROCKSDB DEFAULT CHARSET=latin1"))
        self.assertEqual((said, stayed), ([], 0))

    def test_rows_are_not_touched(self):
        text = "INSERT INTO `t` VALUES (') ENGINE=InnoDB;'),('CREATE TABLE `x` (');\n"
        self.assertEqual(self.filtered(text)[0], text)

    def test_other_engines_are_not_touched(self):
        text = self.created("ENGINE=MEMORY")
        self.assertEqual(self.filtered(text)[0], text)
        text = self.created("ENGINE=MyISAM")
        self.assertEqual(self.filtered(text, ("InnoDB",))[0], text)

    def test_comments_are_not_touched(self):
        text, _, _ = self.filtered(
            self.created("ENGINE=InnoDB COMMENT='ENGINE=InnoDB KEY_BLOCK_SIZE=8 it\\'s'",
                         "  `a` int(11) COMMENT ') ENGINE=InnoDB'")
        )  # fmt: skip
        self.assertIn("COMMENT='ENGINE=InnoDB KEY_BLOCK_SIZE=8 it\\'s'", text)
        self.assertIn("COMMENT ') ENGINE=InnoDB'", text)
        self.assertIn("\n) ENGINE=ROCKSDB ", text)

    def test_tokudb(self):
        for word, here in (("TOKUDB_LZMA", "small"), ("TOKUDB_QUICKLZ", "default"),
                           ("TOKUDB_ZLIB", "small"), ("TOKUDB_FAST", "default")):  # fmt: skip
            text, said, _ = self.filtered(self.created(f"ENGINE=TokuDB ROW_FORMAT={word}"))
            self.assertEqual(text, self.created(f"ENGINE=ROCKSDB COMPRESSION={here}"))
            self.assertEqual(said, [f"t: {word} becomes COMPRESSION={here}"])
            text = self.filtered(self.created(f"ENGINE=TokuDB `compression`='{word.lower()}'"))[0]
            self.assertEqual(text, self.created(f"ENGINE=ROCKSDB COMPRESSION={here}"))

    def test_refused(self):
        text = self.created("ENGINE=InnoDB `ENCRYPTED`=YES")
        found, said, stayed = self.filtered(text)
        self.assertEqual((found, stayed), (text, 1))
        self.assertIn("t stays in InnoDB", said[0])

    def test_versions_by_transaction_move_and_begin_anew(self):
        column = "  `s` bigint(20) unsigned GENERATED ALWAYS AS ROW START"
        text, said, stayed = self.filtered(
            self.created("ENGINE=InnoDB WITH SYSTEM VERSIONING", column)
        )
        self.assertEqual(text, self.created("ENGINE=ROCKSDB WITH SYSTEM VERSIONING", column))
        self.assertEqual((len(said), stayed), (1, 0))
        self.assertIn("t: versions by transaction begin anew", said[0])

    def test_left_out(self):
        options = "ENGINE=InnoDB `PAGE_COMPRESSED`=1 KEY_BLOCK_SIZE=8 `ENCRYPTED`=NO"
        text, said, _ = self.filtered(self.created(options))
        self.assertEqual(text, self.created("ENGINE=ROCKSDB"))
        self.assertEqual(len(said), 2)

    def test_cut_off(self):
        text = "CREATE TABLE `t` (\n  `a` int(11)\n) ENGINE=InnoDB"
        self.assertEqual(self.filtered(text)[0], text)


class BeforeOpeningTest(unittest.TestCase):
    KNOWN = {"rocksdb", "rocksdb-block-cache-size", "rocksdb-datadir"}

    def findings(self, *lines: str) -> list[tuple[str, bool]]:
        found = before_opening.unknown_options(list(lines), self.KNOWN)
        return [(finding.text, finding.bad) for finding in found]

    def test_known(self):
        found = self.findings("--rocksdb_block_cache_size=1", "--innodb-x=1", "--skip-rocksdb")
        self.assertEqual([bad for _, bad in found], [False])

    def test_beginning_of_a_name(self):
        self.assertEqual([bad for _, bad in self.findings("--rocksdb-block=1")], [False])

    def test_unknown(self):
        (text, bad), (loose, fine) = self.findings("--rocksdb_old=1", "--loose_rocksdb_older")
        self.assertIn("rocksdb-old in the option file is unknown", text)
        self.assertIn("rocksdb-older in the option file has no effect", loose)
        self.assertEqual((bad, fine), (True, False))

    def test_where_the_store_is(self):
        found = before_opening.store_of(Path("/d"), ["--rocksdb_datadir=a", "--rocksdb-datadir=/b"])
        self.assertEqual(found, Path("/b"))
        self.assertEqual(before_opening.store_of(Path("/d"), []), Path("/d/#rocksdb"))

    def test_lock(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "LOCK"
            self.assertEqual(before_opening.lock_holder(file), 0)
            file.touch()
            self.assertEqual(before_opening.lock_holder(file), 0)
            holder = subprocess.Popen(
                [sys.executable, "-c", "import fcntl, sys; f = open(sys.argv[1], 'w');"
                 " fcntl.lockf(f, fcntl.LOCK_EX); print(flush=True); sys.stdin.read()", file],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
            holder.stdout.readline()
            self.assertEqual(before_opening.lock_holder(file), holder.pid)
            holder.communicate()
            with open(file, "rb+") as lock:
                # nothing was taken by asking
                fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def test_newest_options(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, version in ((9, "6.1"), (10, "6.29.5")):
                file = Path(folder) / f"OPTIONS-{number:06}"
                file.write_text(f"[Version]\n  rocksdb_version={version}\n")
            self.assertEqual(before_opening.written_by(Path(folder)), "6.29.5")
            os.remove(file)
            self.assertEqual(before_opening.written_by(Path(folder)), "6.1")


if __name__ == "__main__":
    unittest.main()
