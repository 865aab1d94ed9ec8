# SPDX-License-Identifier: GPL-2.0-only
"""How programs/ connect: command line, environment, option files. The tiers `console` and `backup`
have the rest, with servers."""

import os
import socket
import ssl
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

import pymysql

from programs import connection
from tests.kit.certificates import Authority


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


@mock.patch.dict(os.environ, {}, clear=True)
class TlsOptionsTest(unittest.TestCase):
    def gathered(self, *lines: str, **given) -> connection.Options:
        with mock.patch.object(connection, "option_files", return_value=list(lines)):
            return connection.gather(connection.Options(**given), connection.Files(), "basalt-top")

    def test_what_switches_tls_on(self):
        self.assertFalse(self.gathered().tls)
        for line in ("--ssl", "--ssl=1", "--ssl-ca=/f", "--ssl_cert=/f", "--ssl-key=/f"):
            with self.subTest(line):
                self.assertTrue(self.gathered(line).tls)
        self.assertTrue(self.gathered(ssl_verify_server_cert=True).tls)
        self.assertTrue(self.gathered("--ssl-verify-server-cert").tls)
        self.assertFalse(self.gathered("--ssl-verify-server-cert=OFF").tls)
        self.assertFalse(self.gathered("--ssl-ca=").tls)

    def test_the_last_one_wins_and_the_command_line_over_files(self):
        self.assertFalse(self.gathered("--ssl-ca=/f", "--skip-ssl").tls)
        self.assertFalse(self.gathered("--ssl-ca=/f", "--ssl=0").tls)
        self.assertTrue(self.gathered("--skip-ssl", "--ssl-ca=/f").tls)
        self.assertTrue(self.gathered("--skip-ssl", ssl_ca="/f").tls)
        self.assertFalse(self.gathered("--ssl-ca=/f", ssl=False).tls)

    def test_a_password_may_be_called_like_a_switch(self):
        self.assertEqual("skip_ssl", self.gathered("--password=skip_ssl").password)
        self.assertIsNone(self.gathered("--skip-password").password)

    def test_a_name_is_checked_where_there_is_one(self):
        there = {"ssl_verify_server_cert": True}
        self.assertTrue(connection.tls_checks_name(self.gathered(host="db1", **there)))
        self.assertFalse(connection.tls_checks_name(self.gathered(socket="/s", **there)))

    def test_for_programs_that_are_called(self):
        self.assertEqual([], connection.tls_lines(self.gathered()))
        given = self.gathered("--ssl-ca=/a b", host="db1", ssl_verify_server_cert=True)
        lines = ["ssl-enforce=1", 'ssl-ca="/a b"', "ssl-verify-server-cert=1"]
        self.assertEqual(lines, connection.tls_lines(given))


class TlsFilesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        one = Authority(cls.folder, "one").pair
        cls.cert, cls.key = one.cert, one.key
        cls.other = Authority(cls.folder, "other").pair.key

    def context(self, **given) -> ssl.SSLContext | None:
        return connection.tls_context(connection.Options(host="db1", **given))

    def refused(self, sentence: str, **given) -> None:
        words = {name: str(value) for name, value in given.items()}
        with self.assertRaisesRegex(connection.BadOptions, sentence):
            self.context(**words)

    def test_what_is_checked(self):
        self.assertIsNone(self.context(ssl=False, ssl_ca=str(self.cert)))
        plain = self.context(ssl=True)
        self.assertEqual((ssl.CERT_NONE, False), (plain.verify_mode, plain.check_hostname))
        chain = self.context(ssl_ca=str(self.cert))
        self.assertEqual((ssl.CERT_REQUIRED, False), (chain.verify_mode, chain.check_hostname))
        named = self.context(ssl_verify_server_cert=True)
        self.assertEqual((ssl.CERT_REQUIRED, True), (named.verify_mode, named.check_hostname))

    def test_a_certificate_with_its_key(self):
        self.assertIsNotNone(self.context(ssl_cert=str(self.cert), ssl_key=str(self.key)))
        both = self.folder / "both.pem"
        both.write_text(self.cert.read_text() + self.key.read_text())
        self.assertIsNotNone(self.context(ssl_cert=str(both)))
        self.assertIsNotNone(self.context(ssl_key=str(both)))

    def test_files_that_are_something_else(self):
        missing = self.folder / "missing"
        self.refused("no certificates are in .*missing: No such file", ssl_ca=missing)
        self.refused("no certificates are in .*one.key", ssl_ca=self.key)
        self.refused("there is no folder .*missing", ssl_capath=missing)
        self.refused("missing cannot be read: No such", ssl_cert=missing, ssl_key=self.key)
        self.refused("missing cannot be read: No such", ssl_cert=self.cert, ssl_key=missing)
        self.refused("no certificate with its key is in", ssl_cert=self.cert)
        self.refused("is not that of the cert", ssl_cert=self.cert, ssl_key=self.other)


# version 10, a thread, half of the salt, flags without that of TLS, the rest of the salt
GREETING = (
    b"\x0a5.5.5-10.11.18-MariaDB\0" + bytes(4) + b"12345678\0" + b"\xff\xf7"
    b"\x2d\x02\x00\xff\x81\x15" + bytes(10) + b"123456789012\0mysql_native_password\0"
)


class NoTlsThereTest(unittest.TestCase):
    def test_nothing_is_sent_to_a_server_without_tls(self):
        """Its greeting lacks the flag: PyMySQL would send name and password all the same."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            sent: list[bytes] = []
            serving = threading.Thread(target=self.serve, args=(listener, sent))
            serving.start()
            where = {"host": "127.0.0.1", "port": listener.getsockname()[1], "user": "me"}
            with self.assertRaisesRegex(pymysql.OperationalError, "TLS is wanted, and") as caught:
                connection.connect(connection.Options(ssl=True, **where), "test", 10)
            serving.join()
        self.assertEqual([b""], sent)
        said = connection.sentence_of(caught.exception)
        self.assertEqual("no connection: TLS is wanted, and the server has none", said)

    def serve(self, listener: socket.socket, sent: list[bytes]) -> None:
        link = listener.accept()[0]
        with link:
            link.sendall(len(GREETING).to_bytes(3, "little") + b"\0" + GREETING)
            sent.append(link.recv(1000))
