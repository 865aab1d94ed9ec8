# SPDX-License-Identifier: GPL-2.0-only
"""What the tier online-ddl does without a server: its account of pauses."""

import unittest
from collections import deque

from pymysql.constants import ER

from tests.online_ddl.writers import Pause, Pauses, States


class PausesTest(unittest.TestCase):
    def test_the_longest_are_told_by_what_ended_them(self):
        found = Pauses()
        for pause in (
            Pause(0.1, "INSERT"),
            Pause(2.0, "UPDATE", ER.LOCK_WAIT_TIMEOUT),
            Pause(0.5, "DELETE", ER.LOCK_DEADLOCK),
            Pause(0.3, "REPLACE", ER.DUP_ENTRY),
        ):
            found.note(pause)
        self.assertEqual(("UPDATE", "REPLACE"), (found.locked.statement, found.free.statement))
        self.assertEqual("300 ms (REPLACE.., error 1062)", str(found.free))
        self.assertEqual(
            "100 ms (INSERT.., no error, 'Sleeping')", str(Pause(0.1, "INSERT", state="Sleeping"))
        )

    def test_those_of_several_sets_are_added(self):
        one, other = Pauses(), Pauses()
        one.note(Pause(0.1, "a"))
        other.note(Pause(0.2, "b"))
        one.add(other)
        one.add(Pauses())
        self.assertEqual(([0.1, 0.2], "b"), (one.seconds, one.free.statement))

    def test_a_share_of_them(self):
        found = Pauses()
        self.assertEqual(0.0, found.within(0.99))
        for n in range(1, 101):
            found.note(Pause(n / 1000))
        self.assertAlmostEqual(100, found.within(0.99))
        self.assertAlmostEqual(51, found.within(0.5))
        self.assertAlmostEqual(100, found.within(1))

    def test_the_state_that_was_shown_most_of_the_time(self):
        states = States()
        states._seen[7] = deque(
            [(1.0, "old"), (5.0, "a"), (5.1, "wait"), (5.2, "wait"), (5.3, "b")]
        )
        self.assertEqual("wait", states.since(7, 4.0))
        self.assertEqual(("", ""), (states.since(7, 6.0), states.since(8, 0.0)))


if __name__ == "__main__":
    unittest.main()
