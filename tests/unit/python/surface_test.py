# SPDX-License-Identifier: GPL-2.0-only
"""The comparison with stock MyRocks, and the pages made from it, as far as they need no server."""

import dataclasses
import unittest
from unittest import mock

from tests.surface import compare, differences, pages
from tests.surface.picture import Column, Picture, Table, Variable

FLUSH = Variable(
    name="rocksdb_flush",
    scope="GLOBAL",
    type="BIGINT",
    default="1",
    text="What it does",
    minimum="0",
    maximum="2",
    block="0",
    values=None,
    read_only="NO",
    argument="REQUIRED",
)


def picture(
    variable: Variable = FLUSH,
    counter: str = "0",
    column: str = "int(11)",
    names: frozenset[str] = frozenset({"A", "B"}),
) -> Picture:
    return Picture(
        {variable.name: variable},
        {"rocksdb_rows_read": counter},
        {"ROCKSDB_X": Table("Something", [Column("A", column, "NO")])},
        {"ROCKSDB_X": set(names)},
    )


@mock.patch.multiple(differences, DEFAULTS={}, VARIABLES={}, MISSING={})
class CompareTest(unittest.TestCase):
    def found(self, ours: Picture) -> list[str]:
        return [line for lines in compare.all_of(ours, picture()).values() for line in lines]

    def test_the_same_is_well(self):
        self.assertEqual([], self.found(picture()))
        other_words = dataclasses.replace(FLUSH, text="The same in other words")
        self.assertEqual([], self.found(picture(other_words)))

    def test_what_differs_is_found(self):
        changed = dataclasses.replace(FLUSH, maximum="3", default="2")
        self.assertEqual(2, len(self.found(picture(changed))))
        self.assertEqual(1, len(self.found(picture(column="bigint(20)"))))
        self.assertEqual(1, len(self.found(picture(counter="ON"))))
        self.assertEqual(5, len(self.found(Picture({}, {}, {}, {"ROCKSDB_X": set()}))))
        self.assertEqual([], self.found(picture(names=frozenset({"A", "B", "C"}))))
        # the name itself is missing, and the space is found
        self.assertEqual(2, len(self.found(picture(names=frozenset({"A ", "B"})))))

    def test_what_is_listed_must_differ(self):
        with mock.patch.object(differences, "DEFAULTS", {"rocksdb_flush": "why"}):
            self.assertEqual(1, len(self.found(picture())))
            other = dataclasses.replace(FLUSH, default="2")
            self.assertEqual([], self.found(picture(other)))
        with mock.patch.object(differences, "MISSING", {"rocksdb_flush": "why"}):
            self.assertEqual(1, len(self.found(picture())))


class PagesTest(unittest.TestCase):
    def test_every_counter_has_a_text(self):
        texts = pages.counters_of_source()
        self.assertGreater(len(texts), 100)
        self.assertEqual([], [name for name, text in texts.items() if not text])
        self.assertEqual("searches by iterators", texts["number_db_seek"])

    def test_what_has_no_effect_is_apart(self):
        silent = dataclasses.replace(FLUSH, name="rocksdb_x", text="Without effect: it is gone")
        ours = Picture({"rocksdb_flush": FLUSH, "rocksdb_x": silent}, {}, {}, {})
        with mock.patch.object(differences, "DEFAULTS", {}):
            first, _, second = pages.variables_page(ours, ours).partition("## Without effect")
        self.assertIn("`rocksdb_flush`", first)
        self.assertNotIn("`rocksdb_x`", first)
        self.assertIn("it is gone", second)


if __name__ == "__main__":
    unittest.main()
