# SPDX-License-Identifier: GPL-2.0-only
"""The matrix test as far as it needs no server: its types, roles, choices and comparisons."""

import unittest
from random import Random

from devtools.differential.runner import Answer
from devtools.matrix import refusals, screen, selection, strings, types
from devtools.matrix.cell import FAILED, Attempt, Broken, Cell
from devtools.matrix.questions import Question
from devtools.matrix.roles import ROLES

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
