# SPDX-License-Identifier: GPL-2.0-only
"""How programs/ connect: command line, environment, option files. The tiers `console` and `backup`
have the rest, with servers."""

import os
import tempfile
import unittest
from unittest import mock

from programs import connection


@mock.patch.dict(os.environ, {}, clear=True)
class ConnectionTest(unittest.TestCase):
    def gathered(self, lines: tuple[str, ...] = (), **given) -> connection.Options:
        with (
            mock.patch.object(connection, "option_files", return_value=list(lines)),
            mock.patch.object(connection.getpass, "getuser", return_value="me"),
        ):
            return connection.gather(connection.Options(**given), connection.Files(), "basalt-top")

    def test_nothing_given(self):
        found = self.gathered()
        self.assertEqual((connection.DEFAULT_SOCKET, "me"), (found.socket, found.user))
        self.assertEqual(connection.DEFAULT_SOCKET, found.shown)

    def test_the_command_line_wins_then_the_environment_then_files(self):
        lines = ("--user=file", "--user=later", "--port=1", "--password=file", "--quick")
        with mock.patch.dict(os.environ, {"MYSQL_PWD": "environment", "MYSQL_TCP_PORT": "2"}):
            found = self.gathered(lines, host="db1", port=3)
        self.assertEqual(
            ("db1:3", "later", "environment"), (found.shown, found.user, found.password)
        )

    def test_socket_or_network(self):
        self.assertEqual("/s", self.gathered(("--socket=/s",)).shown)
        self.assertEqual("/s", self.gathered(("--host=db1",), socket="/s").shown)
        self.assertEqual("/s", self.gathered(("--port=3307", "--socket=/s")).shown)
        self.assertEqual("db1:3306", self.gathered(("--socket=/s",), host="db1").shown)
        self.assertEqual("127.0.0.1:3307", self.gathered(port=3307).shown)

    def test_files_that_cannot_be_read(self):
        with self.assertRaisesRegex(connection.BadOptions, "no/such.cnf cannot be read"):
            connection.option_files(connection.Files(only="no/such.cnf"), "basalt-top")
        with (
            tempfile.NamedTemporaryFile() as file,
            mock.patch.object(connection.shutil, "which", return_value=None),
            self.assertRaisesRegex(connection.BadOptions, "my_print_defaults"),
        ):
            connection.option_files(connection.Files(extra=file.name), "basalt-top")
