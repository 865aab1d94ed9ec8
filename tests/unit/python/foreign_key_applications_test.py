# SPDX-License-Identifier: GPL-2.0-only
"""The part `applications` of the tier foreign-keys, as far as it needs no server."""

import unittest

from tests.foreign_keys.applications import columns, filler, part, side
from tests.foreign_keys.applications.columns import Column, Constraint
from tests.foreign_keys.applications.packaged import joined
from tests.foreign_keys.applications.touches import statements
from tools.errors import DevError


def constraint(child: str, parent: str) -> Constraint:
    return Constraint(f"{child}_{parent}", child, ("p",), parent, ("id",))


class JoinedTest(unittest.TestCase):
    def test_inserts_that_begin_alike_become_one(self):
        one, other = "INSERT INTO `a` (`x`) values ", "INSERT INTO `b` (`x`) values "
        lines = ["START TRANSACTION;", f"{one}('1; 2');", f"{one}('3');", f"{other}('4');"]
        self.assertEqual(
            ["START TRANSACTION;", f"{one}('1; 2'),('3');", f"{other}('4');"], list(joined(lines))
        )

    def test_no_row_is_lost_over_the_limit(self):
        lines = [f"INSERT INTO `a` (`x`) values ('{n}');" for n in range(700)]
        found = list(joined(lines))
        self.assertEqual(3, len(found))
        self.assertEqual(700, "".join(found).count("('"))


class SchemaTest(unittest.TestCase):
    def test_parents_come_first(self):
        found = columns.parents_first(
            ["a", "b", "c", "d"],
            [constraint("a", "b"), constraint("b", "c"), constraint("c", "c")],
        )
        self.assertLess(found.index("c"), found.index("b"))
        self.assertLess(found.index("b"), found.index("a"))
        self.assertEqual(["a", "b", "c", "d"], sorted(found))

    def test_a_cycle_has_some_order(self):
        found = columns.parents_first(["a", "b"], [constraint("a", "b"), constraint("b", "a")])
        self.assertEqual(["a", "b"], sorted(found))

    def test_literals(self):
        self.assertEqual("5", columns.literal(5))
        self.assertEqual("x'61'", columns.literal("a"))
        self.assertEqual("x'00ff'", columns.literal(b"\x00\xff"))

    def test_values_differ_and_fit(self):
        name = Column("name", "varchar", "varchar(3)", False, 3, "", False)
        self.assertEqual({"'1na'", "'2na'"}, {filler.value_of(name, n) for n in (1, 2)})
        kind = Column("kind", "enum", "enum('y','it''s')", True, None, "", False)
        self.assertEqual("'it''s'", filler.value_of(kind, 1))
        self.assertEqual("NULL", filler.value_of(kind, filler.EVERY_NULL))

    def test_a_child_changes_in_one_row_only(self):
        found = statements(constraint("a", "b"), (1,), (2,), "`id`")
        children = [text for text in found if "UPDATE `a`" in text]
        self.assertEqual(2, len(children))
        for text in children:
            self.assertTrue(text.endswith("WHERE `p` = 1 ORDER BY `id` LIMIT 1"), text)


class ComparisonTest(unittest.TestCase):
    def test_engines_are_replaced_and_nothing_else(self):
        here = side.Side("rocksdb", side.Path("none"))
        self.assertEqual(") ENGINE=ROCKSDB;", here.own(") engine = InnoDB;"))
        self.assertEqual("-- innodb", here.own("-- innodb"))

    def test_differences_are_found_on_either_side(self):
        self.assertIsNone(side.difference({"a": [1]}, {"a": [1]}))
        self.assertIn("[2]", side.difference({"a": [1, 2]}, {"a": [1]}))
        self.assertIn("b", side.difference({"b": "x"}, {}))
        self.assertIn("b", side.difference({}, {"b": "x"}))

    def test_answers_must_be_as_many(self):
        self.assertIsNone(part.different_answers(["a"], ["a"]))
        self.assertIn("tested: a", part.different_answers(["a"], ["b"]))
        self.assertIn("1 answers", part.different_answers(["a"], ["a", "b"]))

    def test_a_filter_chooses(self):
        self.assertEqual(part.APPLICATIONS, part.chosen(None))
        self.assertEqual(part.APPLICATIONS, part.chosen("applications"))
        self.assertEqual(["kea"], [kind.NAME for kind in part.chosen("applications/kea")])
        self.assertEqual([], part.chosen("random"))

    def test_too_few_constraints_fail(self):
        application = part.APPLICATIONS[0](1, False)
        picture = {"tables": ["t"], "REFERENTIAL_CONSTRAINTS": [1] * application.CONSTRAINTS}
        words = part.touched_enough(application, ["c: 3 keys", "DELETE: error 1451: x"], picture)
        self.assertIn("1 statements refused", words)
        with self.assertRaises(DevError):
            part.touched_enough(application, ["c: 3 keys", "d: 0 keys"], picture)
        with self.assertRaises(DevError):
            part.touched_enough(
                application, ["c: 3 keys"], picture | {"REFERENTIAL_CONSTRAINTS": []}
            )


if __name__ == "__main__":
    unittest.main()
