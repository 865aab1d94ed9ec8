# SPDX-License-Identifier: GPL-2.0-only
"""What callgrind has counted, without a server: dumps, owners, parts."""

import unittest

from bench.callgrind import Function, Owners, Profile, dearest, parse, parts
from tools.errors import DevError

# a server's function calls the plugin, which calls a library and RocksDB; the library calls back
DUMP = """\
# callgrind format
version: 1
thread: 7

positions: line
events: Ir
summary: 1000

ob=(1) /usr/sbin/mariadbd
fl=(1) ???
fn=(1) _Z10do_commandP3THDb
0 40
+3 2
cob=(2) /usr/lib/mysql/plugin/ha_rocksdb.so
cfi=(2) handler.cc
cfn=(2) _ZN6basalt6server7Handler4findEv
calls=1 10
0 60

ob=(2)
fl=(2)
fn=(2)
10 20
cob=(3) /lib/libc.so.6
cfi=(3) memcpy.S
cfn=(3) memcpy
calls=2 0
* 15
cob=(4) ???
cfi=(1)
cfn=(4) _ZN7rocksdb2DB3GetEv
calls=1 0
-4 25

ob=(3)
fl=(3)
fn=(3)
0 11
cob=(1)
cfn=(5) compare'2
calls=1 0
0 4

ob=(4)
fl=(1)
fn=(4)
0 25

ob=(1)
fn=(5)
0 4
"""
SYMBOLS = """\
0000000000001000 T first
0000000000002000 T last_of_the_server
0000000000150000 W _ZNSt6vectorIiE4growEv
0000000000203000 T first_behind_innodb
0000000000204000 T do_something
"""


def parsed() -> Profile:
    return parse(DUMP)


class ParseTest(unittest.TestCase):
    def test_functions_and_calls(self):
        found = parsed()
        server = Function("mariadbd", "_Z10do_commandP3THDb")
        plugin = Function("ha_rocksdb.so", "_ZN6basalt6server7Handler4findEv")
        self.assertEqual(42, found.own[server])
        self.assertEqual(20, found.own[plugin])
        self.assertEqual(60, found.calls[server, plugin])
        self.assertEqual(15, found.calls[plugin, Function("libc.so.6", "memcpy")])
        self.assertEqual(25, found.own[Function("???", "_ZN7rocksdb2DB3GetEv")])
        self.assertEqual(4, found.own[Function("mariadbd", "compare")])

    def test_what_was_counted_before_is_taken_away(self):
        twice = parsed()
        twice.add(parsed())
        self.assertEqual(parsed().own, (twice - parsed()).own)


class OwnersTest(unittest.TestCase):
    def test_innodb_is_the_longest_stretch_without_exports(self):
        owners = Owners("innodb", SYMBOLS)
        self.assertEqual((0x2000, 0x203000), owners.innodb)
        self.assertEqual("engine", owners.of(Function("mariadbd", "0x0000000000100000")))
        self.assertEqual("engine", owners.of(Function("mariadbd", "_ZNSt6vectorIiE4growEv")))
        self.assertEqual("server", owners.of(Function("mariadbd", "do_something")))
        self.assertEqual("server", owners.of(Function("mariadbd", "0x0000000000203f00")))

    def test_a_server_without_such_a_stretch_is_refused(self):
        with self.assertRaises(DevError):
            Owners("innodb", "0000000000001000 T first\n0000000000002000 T last\n")

    def test_with_rocksdb_innodb_belongs_to_the_server(self):
        owners = Owners("rocksdb", SYMBOLS)
        self.assertEqual("server", owners.of(Function("mariadbd", "0x0000000000100000")))
        self.assertEqual("engine", owners.of(Function("???", "_ZNK7rocksdb2DB3GetEv")))


class PartsTest(unittest.TestCase):
    def test_a_library_counts_for_who_called_it(self):
        found = parts(parsed(), Owners("rocksdb", SYMBOLS))
        # own, RocksDB, memcpy with what it has called back
        self.assertEqual(20 + 25 + 15, found["engine"])
        self.assertEqual(42, found["server"])
        self.assertEqual(0, found["library"])

    def test_the_dearest_functions(self):
        found = dearest(parsed(), Owners("rocksdb", SYMBOLS), 1, 2)
        self.assertEqual(["rocksdb::DB::Get()", "basalt::server::Handler::find()"],
                         [name for name, _, _ in found])  # fmt: skip
        self.assertEqual((20, 60), found[1][1:])


if __name__ == "__main__":
    unittest.main()
