# SPDX-License-Identifier: GPL-2.0-only
"""basalt-console without a server: where it listens, its key, and what it keeps from look to
look."""

import json
import os
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pymysql

from programs.console import address, observer, web
from programs.top.collector import NoEngine
from programs.top.snapshot import Server, Snapshot, Transaction

SERVER = Server("10.11.18-MariaDB", "db1", "0.1", 512 << 20, True, True)


def snapshot(at: float, questions: int, **more) -> Snapshot:
    return Snapshot(
        SERVER, at, 1_800_000_000, {"uptime": int(1000 + at), "questions": questions}, **more
    )


def waiting(number: int) -> Transaction:
    return Transaction(number, "STARTED", number, "shop", 1.0, 0, 0, "0100", 0, "idle")


class AddressTest(unittest.TestCase):
    def test_loopback_only(self):
        self.assertEqual(address.port_of("8306"), 8306)
        self.assertEqual(address.port_of("127.0.0.1:0"), 0)
        self.assertEqual(address.port_of("localhost:1"), 1)
        for listen in ("0.0.0.0:1", "[::1]:1", ":1", "127.0.0.1.evil:1", "", "x", "70000", "٣"):
            with self.assertRaises(address.BadAddress, msg=listen):
                address.port_of(listen)

    def test_keys(self):
        self.assertNotEqual(address.key_of(None), address.key_of(None))
        self.assertTrue(address.KEY.fullmatch(address.key_of(None)))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "key"
            file.write_text("0123456789abcdef\nmore\n")
            for mode in (0o600, 0o400):
                file.chmod(mode)
                self.assertEqual(address.key_of(str(file)), "0123456789abcdef")
            for mode, text in (
                (0o604, "0123456789abcdef"),
                (0o600, "short"),
                (0o600, "no key" * 9),
            ):
                os.chmod(file, 0o600)
                file.write_text(text)
                file.chmod(mode)
                with self.assertRaises(address.BadAddress, msg=text):
                    address.key_of(str(file))

    def test_names_of_hosts(self):
        for host in ("127.0.0.1", "127.0.0.1:80", "LocalHost:9", "[::1]", "[::1]:80"):
            self.assertIn(web.host_name(host), web.HOSTS)
        for host in ("evil", "127.0.0.1:80:80", "localhost.evil:80", "localhost:", "::1", ""):
            self.assertNotIn(web.host_name(host), web.HOSTS, host)


class ObserverTest(unittest.TestCase):
    """On a collector that has these snapshots, or raises these errors, one after the other."""

    def setUp(self):
        self.now = 0.0
        self.links = []
        self.given = []
        self.observer = observer.Observer(
            self.collector, lambda error: error.args[1], "db1", 2.0, lambda: self.now
        )

    def collector(self):
        self.links.append(mock.Mock())
        return mock.Mock(connection=self.links[-1], take=self.take)

    def take(self):
        given = self.given.pop(0)
        if isinstance(given, Exception):
            raise given
        return given

    def looked(self, *given) -> dict:
        """What the page has after these looks, each 2 seconds after the one before."""
        self.given = list(given)
        for _ in given:
            self.now += 2
            self.observer.look_and_tell()
        return json.loads(self.observer.state)

    def test_rates(self):
        state = self.looked(snapshot(2, 10), snapshot(4, 30), snapshot(6, 31))
        where = 1 + state["lines"].index("questions")
        self.assertEqual([(p[0], p[where]) for p in state["history"]], [(-2, 10), (0, 0.5)])
        self.assertEqual((state["look"], state["problem"], state["age"]), (3, "", 0))
        self.assertEqual(state["seen"]["server"]["host"], "db1")
        self.assertEqual(len(self.links), 1)
        self.now += 7
        self.assertEqual(self.observer.told()[1], 7)

    def test_minutes(self):
        looks = [snapshot(2 * n, n) for n in range(1, 400)]
        state = self.looked(*looks)
        self.assertEqual(len(state["history"]), observer.HISTORY_SECONDS / 2 + 1)
        self.assertEqual(state["history"][0][0], -observer.HISTORY_SECONDS)

    def test_server_goes_and_comes(self):
        lost = pymysql.err.OperationalError(2013, "Lost connection")
        refused = pymysql.err.OperationalError(2003, "Can't connect")
        state = self.looked(snapshot(2, 10), snapshot(4, 30), lost, refused)
        self.assertEqual(state["problem"], "Can't connect")
        self.assertEqual(state["age"], 4)
        self.assertEqual(state["seen"]["counters"]["questions"], 30)
        self.links[0].close.assert_called_once()
        state = self.looked(snapshot(10, 5), snapshot(12, 7))
        self.assertEqual((state["problem"], state["age"]), ("", 0))
        # nothing is known of the time between, and of the first look
        self.assertEqual([p[0] for p in state["history"]], [-8, 0])
        self.assertEqual(len(self.links), 3)

    def test_other_troubles(self):
        state = self.looked(snapshot(2, 10), NoEngine("no engine"))
        self.assertEqual(state["problem"], "no engine")
        with mock.patch("traceback.print_exc") as printed:
            state = self.looked(KeyError("DB_NUM_SNAPSHOTS"))
        printed.assert_called_once()
        self.assertIn("the look has failed", state["problem"])

    def test_first_look_passes_errors_on(self):
        self.given = [NoEngine("no engine")]
        with self.assertRaises(NoEngine):
            self.observer.look()

    def test_many_transactions(self):
        """The page has the most important, and knows how many there are."""
        idle = [replace(waiting(n), waiting_key="") for n in range(300)]
        state = self.looked(snapshot(2, 10, transactions=[*idle, waiting(999)]))
        shown = state["seen"]["transactions"]
        self.assertEqual(shown[0]["id"], 999)
        self.assertEqual(len(shown), observer.MOST_ROWS)
        self.assertEqual(state["seen"]["numbers"]["transactions"], 301)


if __name__ == "__main__":
    unittest.main()
