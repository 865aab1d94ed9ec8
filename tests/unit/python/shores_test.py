# SPDX-License-Identifier: GPL-2.0-only
"""The shores of ./dev bench spatial: from the file of Debian's package to rows."""

import random
import struct
import tempfile
import unittest
from pathlib import Path

import numpy as np

from bench.shore_rows import ShoreRows
from tools.errors import DevError
from tools.setup import shores


def columns(segments: dict[int, list[tuple[int, list[tuple[int, int]]]]]) -> dict:
    """Of the file, with these segments: bin -> (shore, places in the bin)."""
    listed = [segment for bin in sorted(segments) for segment in segments[bin]]
    lengths = [len(places) for _, places in listed]
    places = np.array([place for _, found in listed for place in found], dtype=np.uint16)
    values = (
        np.array([len(segments.get(bin, [])) for bin in range(360 * 180)], dtype=np.int16),
        np.array([sum(lengths[:i]) for i in range(len(lengths))], dtype=np.int32),
        np.array([shore for shore, _ in listed], dtype=np.int32),
        np.ascontiguousarray(places[:, 0]).view(np.int16),
        np.ascontiguousarray(places[:, 1]).view(np.int16),
    )
    return dict(zip(shores.COLUMNS, values, strict=True))


class ShoresTest(unittest.TestCase):
    def test_places_are_counted_from_the_corner_of_their_bin(self):
        found = shores.shores_of(
            columns(
                {
                    0: [(5, [(0, 0)])],
                    180: [(5, [(65535, 13107)])],
                    360 * 91 + 359: [(7, [(0, 65535)])],
                }
            )
        )
        expected = [(-180 + 1, 89.2), (-1, -1), (0, 89)]
        self.assertEqual(expected, sorted(map(tuple, found["points"].round(9))))

    def test_a_shore_is_as_large_as_all_its_segments(self):
        found = shores.shores_of(
            columns({0: [(5, [(0, 0), (13107, 0)]), (6, [(0, 0)])], 361: [(5, [(0, 0)])]})
        )
        expected = [(0, 88, 1, 89), (0, 89, 0, 89)]
        self.assertEqual(expected, sorted(map(tuple, found["extents"].round(9))))

    def test_pieces_do_not_go_from_one_segment_to_the_next(self):
        places = [(i, i) for i in range(2 * shores.CORNERS + 3)]
        found = shores.shores_of(columns({0: [(5, places), (5, places[:5]), (6, places[:9])]}))
        firsts = sorted(found["pieces"][:, 0, 0] * shores.STEPS)
        np.testing.assert_allclose(firsts, [0, 0, shores.CORNERS])
        for piece in found["pieces"]:
            np.testing.assert_allclose(np.diff(piece[:, 0]) * shores.STEPS, 1)


class ShoreRowsTest(unittest.TestCase):
    def setUp(self):
        self.rows = ShoreRows(
            {
                "points": np.array([(1.0, 2.0), (3.0, 4.0)]),
                "pieces": np.array([[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]]),
                "extents": np.array([(5.0, 6.0, 7.0, 8.0)]),
            }
        )

    def test_points(self):
        self.assertEqual((1, 1, 3.0, 4.0), struct.unpack("<BIdd", self.rows.geometry("points", 1)))
        self.assertIn(self.rows.near(random.Random(1)), [(1.0, 2.0), (3.0, 4.0)])

    def test_areas_are_closed(self):
        rings = set()
        for row in range(2):
            content = self.rows.geometry("areas", row)
            order, kind, count, corners = struct.unpack_from("<BIII", content)
            self.assertEqual((1, 3, 1), (order, kind, count))
            rings.add(struct.unpack_from(f"<{2 * corners}d", content, 13))
            self.assertEqual(13 + 16 * corners, len(content))
        rectangle = (5.0, 6.0, 7.0, 6.0, 7.0, 8.0, 5.0, 8.0, 5.0, 6.0)
        self.assertEqual({rectangle, (0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0)}, rings)

    def test_what_load_data_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = self.rows.write("points", 2, Path(folder) / "p").read_text().splitlines()
        self.assertEqual(f"2\t{self.rows.geometry('points', 1).hex()}", lines[1])

    def test_more_rows_than_there_are(self):
        self.rows.check(2)
        with self.assertRaisesRegex(DevError, "3 rows were asked for; the shores give 2"):
            self.rows.check(3)


if __name__ == "__main__":
    unittest.main()
