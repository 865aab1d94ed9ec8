# SPDX-License-Identifier: GPL-2.0-only
"""The matrix test as far as it needs no server: its types, roles, choices and comparisons."""

import unittest
from random import Random

from tests.kit.side_by_side.runner import Answer
from tests.matrix import refusals, screen, selection, strings, types
from tests.matrix.alone import Alone, OwnScan
from tests.matrix.cell import FAILED, Attempt, Broken, Cell
from tests.matrix.questions import Asked, Question
from tests.matrix.roles import ROLES

KINDS = {kind.name: kind for kind in types.all_types()}
ROLE = {role.name: role for role in ROLES}


class TypesTest(unittest.TestCase):
    def test_names_are_unique_and_values_abound(self):
        self.assertEqual(len(KINDS), len(types.all_types()))
        for kind in KINDS.values():
            self.assertTrue(kind.values(Random(1), 60), kind.name)

    def test_the_same_seed_gives_the_same_values(self):
        for kind in list(KINDS.values())[::20]:
            self.assertEqual(kind.values(Random("a"), 60), kind.values(Random("a"), 60))

    def test_strings_fit_their_column(self):
        for character_set in strings.CODECS:
            for value in strings.edges(character_set, 3):
                text = value.decode(strings.CODECS[character_set])
                self.assertLessEqual(len(text), 3, (character_set, value))

    def test_character_sets_without_a_character_leave_it_out(self):
        self.assertIsNone(strings.encode("😀", "utf8mb3"))
        self.assertIsNone(strings.encode("😀", "ucs2"))
        self.assertEqual(strings.encode("😀", "utf16"), b"\xd8\x3d\xde\x00")
        self.assertIsNone(strings.encode("ä", "gb2312"))
        self.assertEqual(max(strings.alphabet("ascii")), b"\x7f")

    def test_every_chosen_collation_belongs_to_its_character_set(self):
        for character_set, collation in types.THOROUGH + types.COLLATIONS:
            self.assertTrue(collation.startswith(character_set + "_"), collation)
        known = {collation for _, collation in types.COLLATIONS}
        self.assertLessEqual(set(selection.SHORT_COLLATIONS), known)

    def test_decimals(self):
        edges = KINDS["decimal(5,2)"].edges
        self.assertIn("-999.99", edges)
        self.assertIn("0.01", edges)


class RolesTest(unittest.TestCase):
    def test_tables(self):
        kind = KINDS["varchar(20) utf8mb4_bin"]
        sql = ROLE["second-desc"].table("t", kind, True)
        self.assertIn("COLLATE utf8mb4_bin NULL, w INT", sql)
        self.assertTrue(sql.endswith("PRIMARY KEY (id), KEY k (w, v DESC))"), sql)
        sql = ROLE["unique-prefix"].table("t", kind, False)
        self.assertTrue(sql.endswith("UNIQUE KEY k (v(3)))"), sql)

    def test_the_order_of_an_index_and_backwards(self):
        role = ROLE["second-desc"]
        self.assertEqual(role.order(), "w, v DESC")
        self.assertEqual(role.order(backwards=True), "w DESC, v")

    def test_what_makes_no_sense_is_no_cell(self):
        roles = {c.role.name for c in selection.cells_of(KINDS["text utf8mb4_bin"])}
        self.assertEqual(roles, {"pk-prefix", "prefix", "prefix-desc", "unique-prefix", "row"})
        self.assertEqual({c.role.name for c in selection.cells_of(KINDS["point"])}, {"row"})


class SelectionTest(unittest.TestCase):
    def test_short_is_short_and_has_every_role_with_and_without_null(self):
        short = [c for cells in selection.short() for c in cells]
        whole = [c for cells in selection.whole() for c in cells]
        self.assertLess(len(short), len(whole) / 4)
        for cells in (short, whole):
            kinds = {(c.role.name, c.nullable) for c in cells}
            self.assertEqual(kinds, {(r.name, n) for r in ROLES for n in r.nullable()})

    def test_filter_by_exact_name_and_by_words(self):
        work = selection.whole()
        exact = selection.matching(work, "int key null")
        self.assertEqual([c.name for cells in exact for c in cells], ["int key null"])
        words = selection.matching(work, "utf8mb4_nopad_bin varchar(20)")
        self.assertEqual(len(words), 1)
        self.assertGreater(len(words[0]), 20)
        notnull = selection.matching(work, "enum key notnull")
        self.assertTrue(all(not c.nullable for cells in notnull for c in cells))
        self.assertEqual(selection.matching(work, "no such type"), [])

    def test_further_collations_come_once(self):
        known = [("latin1", "latin1_bin"), ("utf8mb4", "utf8mb4_icelandic_ci")]
        found = selection.every_collation(known)
        self.assertEqual({c[0].kind.collation for c in found}, {"utf8mb4_icelandic_ci"})


class FakePool:
    """'a' and 'A' are equal, 'b' comes after them."""

    problem, probes, literals, absent = "", ["'a'"], [], []

    def rank(self, shown):
        return {"a": 0, "A": 0, "b": 2}.get(shown[0], shown)


class FakeSide:
    database = "d"

    def __init__(self, rows):
        self.rows = rows

    def execute(self, sql):
        return Answer(rows=list(self.rows))


class ComparisonTest(unittest.TestCase):
    QUESTION = Question("SELECT ...", "ordered", ("id", "w"))

    def compare(self, tested, peer, question=QUESTION):
        cell = Cell(KINDS["varchar(20) latin1_swedish_ci"], ROLE["key"], True, "t1")
        cell.pool = FakePool()
        attempt = Attempt(cell, FakeSide(tested), FakeSide(peer))
        try:
            attempt._compare(question)
        except Broken:
            pass
        return cell.problems

    def test_equal_values_may_come_in_any_order(self):
        rows = [("1", "0", "a"), ("2", "0", "A"), ("3", "0", "b")]
        self.assertEqual(self.compare(rows, [rows[1], rows[0], rows[2]]), [])

    def test_values_that_differ_may_not(self):
        rows = [("1", "0", "a"), ("3", "0", "b")]
        problems = self.compare(rows[::-1], rows)
        self.assertEqual(len(problems), 1)
        self.assertIn("order, row 0", problems[0])

    def test_a_lost_row_and_a_changed_value_are_found(self):
        rows = [("1", "0", "a"), ("2", "0", "b")]
        self.assertTrue(self.compare(rows[:1], rows))
        self.assertTrue(self.compare([("1", "0", "A"), rows[1]], rows))

    def test_a_limit_may_choose_among_equals(self):
        question = Question("SELECT ... LIMIT 1", "ranks", ("id", "w"))
        self.assertEqual(self.compare([("1", "0", "a")], [("2", "0", "A")], question), [])
        self.assertTrue(self.compare([("1", "0", "a")], [("3", "0", "b")], question))


class Telling:
    """A side that answers by the first words of a table which are in the statement."""

    def __init__(self, database, answers):
        self.database, self.answers, self.asked = database, answers, []

    def execute(self, sql):
        self.asked.append(sql)
        return next((a for words, a in self.answers.items() if words in sql), Answer(rows=[("0",)]))


class AloneTest(unittest.TestCase):
    """Without a peer: what a statement has done, and that the scan is a scan."""

    DELETE = "DELETE FROM t1 WHERE v = 'a'"

    def alone(self, role, tested=None, peer=None, kind="varchar(20) utf8mb4_bin"):
        asked = Asked("t1", KINDS[kind], ROLE[role], True, ["'a'"])
        return Alone(asked, Telling("tested", tested or {}), Telling("peer", peer or {}))

    def test_the_scan_searches_in_no_index(self):
        side = Telling("tested", {})
        OwnScan(side).execute("SELECT id FROM t1 a JOIN t1 b FORCE INDEX (k) WHERE v = 'a'")
        self.assertIn("t1 b USE INDEX () WHERE", side.asked[0])

    def test_a_delete_must_take_what_a_scan_found(self):
        alone = self.alone("key")
        self.assertEqual(alone.write(self.DELETE, Answer(affected=2), (2,)), "")
        self.assertIn("1 rows affected of (2,)", alone.write(self.DELETE, Answer(affected=1), (2,)))
        left = self.alone("key", {"SELECT COUNT": Answer(rows=[("1",)])})
        self.assertIn("1 left", left.write(self.DELETE, Answer(affected=2), (2,)))

    def test_a_duplicate_and_an_error_are_found(self):
        two = self.alone("unique", {"a.id < b.id": Answer(rows=[("1",)])})
        self.assertIn("two rows", two.write("UPDATE t1 SET v = 'a' WHERE id = 2", Answer(), ()))
        self.assertIn("1034", two.write(self.DELETE, Answer(error=1034), ()))
        self.assertEqual(self.alone("unique").write("INSERT ...", Answer(error=1062), ()), "")

    def test_rows_that_were_lost_on_the_way_in_are_found(self):
        lost = {"SELECT a.id": Answer(rows=[("7",)]), "SELECT id, w": Answer(rows=[])}
        self.assertIn("lost: [('7',)]", self.alone("unique", peer=lost).filled(["(7, 'a', 0)"]))
        none = {"SELECT a.id": Answer(rows=[]), "SELECT id, w": Answer(rows=[])}
        self.assertEqual(self.alone("unique", peer=none).filled(["(7, 'a', 0)"]), "")

    def test_a_cell_goes_on_without_its_peer(self):
        every = [("1", "0", "a"), ("2", "0", "b")]
        for found, right in ((every, True), (every[:1], False)):
            cell = Cell(KINDS["varchar(20) latin1_swedish_ci"], ROLE["key"], True, "t1")
            cell.pool = FakePool()
            tested = Telling(
                "tested",
                {"FORCE INDEX": Answer(rows=found), "USE INDEX ()": Answer(rows=every)},
            )
            peer = {"FORCE INDEX": Answer(error=1034), "USE INDEX ()": Answer(rows=every)}
            attempt = Attempt(cell, tested, Telling("peer", peer))
            attempt._compare(Question("SELECT .. FORCE INDEX (k)", "ordered", ("id", "w")))
            self.assertEqual(cell.problems == [], right)
            self.assertEqual(cell.left_by_peer, "SELECT .. FORCE INDEX (k)")

    def test_equality_is_that_of_the_key(self):
        self.assertEqual(self.alone("unique").equal("a", "b"), "a.v = b.v")
        self.assertEqual(self.alone("unique-prefix").equal("a", "b"), "LEFT(a.v, 3) = LEFT(b.v, 3)")
        padded = self.alone("unique", kind="char(10) utf16_nopad_bin").equal("a", "b")
        self.assertIn("RPAD(a.v, 10, _utf16 x'0020')", padded)

    def test_a_key_of_prefixes_may_miss_rows(self):
        left = self.alone("prefix", {"SELECT COUNT": Answer(rows=[("1",)])})
        self.assertEqual(left.write(self.DELETE, Answer(affected=2), (3, 2)), "")
        self.assertIn("3 rows", left.write(self.DELETE, Answer(affected=3), (3, 2)))

    def test_the_search_of_a_change(self):
        alone = self.alone("prefix")
        sql = "UPDATE t1 FORCE INDEX (k) SET w = (w + 1) % 3 WHERE v >= 'a'"
        self.assertEqual(alone.search_of(sql), "SELECT id FROM t1 FORCE INDEX (k) WHERE v >= 'a'")
        self.assertEqual(
            alone.search_of(self.DELETE), "SELECT id FROM t1 FORCE INDEX (k) WHERE v = 'a'"
        )
        self.assertEqual(alone.search_of("UPDATE t1 SET v = 'a' WHERE id = 2"), "")
        self.assertEqual(alone.search_of("INSERT INTO t1 VALUES (1)"), "")


class ScreenTest(unittest.TestCase):
    def test_a_row_has_a_letter_a_cell(self):
        cells = selection.cells_of(KINDS["int"], (ROLE["pk"], ROLE["key"]))
        cells[0].outcome = FAILED
        cells[2].index_only = False
        self.assertEqual(screen.pattern(cells).split(), ["F", "+o"])
        self.assertEqual(set(screen.HEADINGS), set(ROLE))

    def test_refusals_tell_why(self):
        for refusal in refusals.REFUSALS:
            self.assertTrue(refusal.reason)
            self.assertTrue(refusal.error)
