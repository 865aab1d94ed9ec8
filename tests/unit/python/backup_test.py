# SPDX-License-Identifier: GPL-2.0-only
"""What basalt-backup reads that others may have written or broken: manifests, table files, streams,
repositories; and the order of things at its gate. `./dev test backup` has the rest, with servers.
"""

import hashlib
import io
import json
import os
import socket
import ssl
import tempfile
import threading
import unittest
from pathlib import Path

from programs import connection
from programs.backup import gate, manifest, remove, table_file
from programs.backup.errors import BackupError, Damaged
from programs.backup.manifest import Archive, Manifest, Object, Position, StoreFile
from programs.backup.packet import read_packet
from programs.backup.repository import Known, Repository
from programs.backup.stream import Receiver, StreamSink
from tests.kit.certificates import Authority

DATA = Path(__file__).with_name("testdata") / "backup"
FULL, LATER = "20261127T005515Z-6073d5e4", "20261127T005518Z-a5792902"
NOTHING = hashlib.sha256().hexdigest()


def backup(**changed) -> Manifest:
    fields = {
        "id": FULL,
        "base": "",
        "server": "10.11.18",
        "archive": Archive(NOTHING, 0, "none", 0, 42),
        "position": Position("binlog.000001", 4, "0-1-7", ""),
        "store": (StoreFile(NOTHING, 0, "CURRENT"),),
    }
    return Manifest(**{**fields, **changed})


def signed(first: bytes, text: bytes) -> bytes:
    body = first + b"\n" + text + b"\n"
    return body + f"sha256 {hashlib.sha256(body).hexdigest()}\n".encode()


class ManifestTest(unittest.TestCase):
    def test_what_was_written_is_read(self):
        self.assertEqual(manifest.decode(manifest.encode(backup())), backup())

    def test_the_bytes_are_those_of_the_page(self):
        lines = manifest.encode(backup(store=())).decode().split("\n")
        self.assertEqual(lines[0], "basalt-backup manifest 1")
        self.assertEqual(
            lines[1],
            f'{{"archive":{{"compression":"none","from_lsn":0,"sha256":"{NOTHING}","size":0,'
            f'"to_lsn":42}},"base":"","id":"{FULL}","position":{{"file":"binlog.000001",'
            '"gtid":"0-1-7","offset":4,"replicated":""},"server":"10.11.18","store":[]}',
        )
        self.assertRegex(lines[2], "^sha256 [0-9a-f]{64}$")
        self.assertEqual(lines[3:], [""])

    def test_cut_off_anywhere_it_is_refused(self):
        data = manifest.encode(backup())
        for size in range(len(data)):
            with self.assertRaises(Damaged, msg=f"{size} bytes"):
                manifest.decode(data[:size])

    def test_with_any_byte_changed_it_is_refused(self):
        data = manifest.encode(backup())
        for at in range(len(data)):
            changed = bytearray(data)
            changed[at] ^= 1
            with self.assertRaises(Damaged, msg=f"byte {at}"):
                manifest.decode(bytes(changed))

    def test_with_more_behind_it_is_refused(self):
        with self.assertRaises(Damaged):
            manifest.decode(manifest.encode(backup()) + b"\n")

    def test_another_version_is_named(self):
        _, text, _ = manifest.encode(backup()).split(b"\n", 2)
        with self.assertRaisesRegex(Damaged, "version 3 is not known"):
            manifest.decode(signed(b"basalt-backup manifest 3", text.split(b"\n")[0]))

    def test_a_backup_of_some_databases_is_another_version(self):
        some = backup(databases=("blog", "shöp"))
        first, text, _ = manifest.encode(some).split(b"\n", 2)
        text = text.split(b"\n")[0]
        self.assertEqual(first, b"basalt-backup manifest 2")
        self.assertIn(b'"databases":["blog","sh\\u00f6p"]', text)
        self.assertEqual(manifest.decode(manifest.encode(some)), some)
        lists = (b"[]", b"[7]", b'["b","a"]', b'["a","a"]', b'[""]', b'["a\\n"]', b'"ab"', b"null")
        for wrong in lists:
            changed = text.replace(b'["blog","sh\\u00f6p"]', wrong)
            self.assertNotEqual(changed, text)
            with self.subTest(wrong), self.assertRaises(Damaged):
                manifest.decode(signed(first, changed))
        for version, fields in ((b"1", text), (b"2", manifest.encode(backup()).split(b"\n")[1])):
            with self.assertRaisesRegex(Damaged, "contradict"):
                manifest.decode(signed(b"basalt-backup manifest " + version, fields))

    def test_fields_are_checked_though_the_checksum_is_right(self):
        good = manifest.encode(backup()).split(b"\n")[1].decode()
        cases = {
            "no object": "[]",
            "no JSON": "{",
            "deep": "[" * 100_000,
            "field lacks": good.replace('"base":"",', ""),
            "field too much": good.replace('"base":""', '"base":"","more":1'),
            "size of another type": good.replace('"size":0', '"size":"0"'),
            "size is a boolean": good.replace('"size":0', '"size":false'),
            "negative size": good.replace('"size":0', '"size":-1'),
            "checksum": good.replace(NOTHING, NOTHING[:-1] + "G"),
            "id": good.replace(FULL, "../" + FULL),
            "compression": good.replace('"none"', '"rar"'),
            "name with a folder": good.replace("CURRENT", "../CURRENT"),
            "hidden name": good.replace("CURRENT", ".CURRENT"),
            "name with a newline": good.replace("CURRENT", "CURRENT\\n"),
            "base without LSN": good.replace('"base":""', f'"base":"{LATER}"'),
            "LSN without base": good.replace('"from_lsn":0', '"from_lsn":1'),
            "LSNs": good.replace('"to_lsn":42', '"to_lsn":-1'),
            "store is no list": good.replace('"store":[', '"store":7,"s":['),
        }
        for name, text in cases.items():
            self.assertNotEqual(text, good, name)
            with self.subTest(name), self.assertRaises(Damaged):
                manifest.decode(signed(b"basalt-backup manifest 1", text.encode()))
        twice = (StoreFile(NOTHING, 0, "CURRENT"),) * 2
        with self.assertRaisesRegex(Damaged, "twice"):
            manifest.encode(backup(store=twice))


class TableFileTest(unittest.TestCase):
    FILE = DATA / "table_file.sst"

    def test_the_identity_is_what_rocksdb_wrote(self):
        """As `strings` shows the properties of the file."""
        found = table_file.identity(self.FILE)
        database, process, number, size = found.split("/")
        self.assertIn(database.encode(), self.FILE.read_bytes())
        self.assertIn(process.encode(), self.FILE.read_bytes())
        self.assertEqual((number, size), ("14", str(self.FILE.stat().st_size)))

    def test_a_file_cut_off_or_changed_has_another_identity_or_none(self):
        data, true = self.FILE.read_bytes(), table_file.identity(self.FILE)
        with tempfile.NamedTemporaryFile(buffering=0) as file:
            path = Path(file.name)
            file.write(data)
            for at in range(len(data)):
                os.pwrite(file.fileno(), bytes([data[at] ^ 0xFF]), at)
                table_file.identity(path)  # whatever it is, it is an answer
                os.pwrite(file.fileno(), data[at : at + 1], at)
            for size in reversed(range(len(data))):
                file.truncate(size)
                self.assertNotEqual(table_file.identity(path), true, size)


class RepositoryTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.repository = Repository.open_or_make(self.folder / "made")

    def test_a_folder_with_other_files_is_refused(self):
        (self.folder / "file").write_text("somebody's")
        with self.assertRaisesRegex(BackupError, "not empty"):
            Repository.open_or_make(self.folder)

    def test_one_writer_at_a_time_and_what_a_killed_one_left_is_removed(self):
        (self.repository.incoming / "left").write_text("half")
        with self.repository.locked():
            self.assertEqual(list(self.repository.incoming.iterdir()), [])
            with self.assertRaisesRegex(BackupError, "another basalt-backup"):
                with Repository.open(self.folder / "made").locked():
                    pass

    def test_a_backup_without_its_objects_is_not_committed(self):
        with self.assertRaisesRegex(Damaged, "is missing"):
            self.repository.commit(backup())
        self.assertEqual(self.repository.ids(), [])

    def test_a_chain_with_a_gap_or_a_circle_is_refused(self):
        self.repository.objects.add([])
        archive = Archive(NOTHING, 0, "none", 43, 50)
        self.repository.commit(backup(id=LATER, base=LATER, archive=archive))
        with self.assertRaises(Damaged):
            self.repository.chain(LATER)
        self.repository.commit(backup())
        self.repository.commit(backup(id=LATER, base=FULL, archive=archive))
        with self.assertRaisesRegex(Damaged, "begins behind the end"):
            self.repository.chain(LATER)

    def test_an_increment_has_the_databases_of_its_base(self):
        self.repository.objects.add([])
        self.repository.commit(backup())
        archive = Archive(NOTHING, 0, "none", 42, 50)
        later = backup(id=LATER, base=FULL, archive=archive, databases=("shop",))
        self.repository.commit(later)
        with self.assertRaisesRegex(Damaged, "other databases than its base"):
            self.repository.chain(LATER)

    def test_a_damaged_manifest_is_named_and_no_increment_builds_on_it(self):
        self.repository.objects.add([])
        self.repository.commit(backup())
        self.assertEqual(self.repository.known().backups, {FULL: 42})
        path = self.repository.manifests / FULL
        path.write_bytes(path.read_bytes()[:-9])
        with self.assertRaisesRegex(Damaged, FULL):
            self.repository.load(FULL)
        self.assertEqual(self.repository.known().backups, {})

    def test_a_damaged_object_is_named_and_adding_it_again_mends_it(self):
        made = self.repository.objects.add([b"rows"])
        path = self.repository.objects.path(made.sha256)
        path.write_bytes(b"rots")
        with self.assertRaisesRegex(Damaged, made.sha256):
            self.repository.objects.check(made)
        self.repository.objects.add([b"rows"])
        self.repository.objects.check(made)

    def test_what_is_removed_takes_only_its_own_objects_along(self):
        self.repository.objects.add([])
        shared, own = (self.repository.objects.add([text]) for text in (b"shared", b"own"))
        left = self.repository.objects.add([b"of a killed run"])
        store = [StoreFile(shared.sha256, shared.size, "1.sst")]
        archive = Archive(NOTHING, 0, "none", 42, 50)
        self.repository.commit(backup(store=tuple(store)))
        store.append(StoreFile(own.sha256, own.size, "2.sst"))
        later = backup(id=LATER, base=FULL, archive=archive, store=tuple(store))
        self.repository.commit(later)
        with self.assertRaisesRegex(BackupError, "builds on"):
            remove.remove(self.repository, [FULL])
        self.assertEqual(self.repository.ids(), [FULL, LATER])
        self.assertEqual(remove.remove(self.repository, [LATER]), own.size + left.size)
        self.assertEqual(self.repository.ids(), [FULL])
        self.repository.check_whole(self.repository.chain(FULL))
        with self.assertRaisesRegex(BackupError, LATER):
            remove.remove(self.repository, [LATER])

    def test_nothing_is_removed_beside_a_damaged_manifest(self):
        self.repository.objects.add([])
        self.repository.commit(backup())
        self.repository.commit(backup(id=LATER))
        (self.repository.manifests / FULL).write_bytes(b"")
        with self.assertRaisesRegex(Damaged, FULL):
            remove.remove(self.repository, [LATER])
        self.assertEqual(self.repository.ids(), [FULL, LATER])

    def test_what_is_known_is_read_as_it_was_printed_and_else_refused(self):
        known = Known({FULL: 42}, {"a/b/1/2": Object(NOTHING, 2)})
        self.assertEqual(Known.decode(known.encode()), known)
        known = Known({FULL: 42, LATER: 43}, {}, {LATER: ("blog", "shop")})
        self.assertEqual(Known.decode(known.encode()), known)
        self.assertEqual(json.loads(known.encode())["backups"], {FULL: 42}, "what old ones read")
        for text in ("", "{}", "[]", '{"format":"basalt-backup known 2"}', known.encode()[:-2]):
            with self.subTest(text), self.assertRaises(BackupError):
                Known.decode(text)


class StreamTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def stream(self) -> tuple[bytes, Manifest]:
        (self.folder / "CURRENT").write_bytes(b"MANIFEST-000005\n")
        output = io.BytesIO()
        sink = StreamSink(output)
        archive = sink.add_archive([b"all tables"])
        file = sink.add_file("CURRENT", self.folder / "CURRENT")
        made = backup(
            archive=Archive(archive.sha256, archive.size, "none", 0, 42),
            store=(StoreFile(file.sha256, file.size, "CURRENT"),),
        )
        sink.finish(made)
        return output.getvalue(), made

    def receive(self, data: bytes) -> Manifest:
        repository = Repository.open_or_make(self.folder / "into")
        with repository.locked():
            return Receiver(repository, io.BytesIO(data)).receive()

    def test_what_was_streamed_is_received(self):
        data, made = self.stream()
        self.assertEqual(self.receive(data), made)

    def test_cut_off_anywhere_before_its_end_it_is_refused(self):
        data, made = self.stream()
        end = data.rindex(b"sha256 ") + len("sha256 ") + 64 + 1
        for size in [*range(0, end, 499), end - 1]:
            with self.assertRaises(Damaged, msg=f"{size} bytes"):
                self.receive(data[:size])

    def test_changed_contents_are_named(self):
        data, _ = self.stream()
        with self.assertRaisesRegex(Damaged, "store/CURRENT"):
            self.receive(data.replace(b"MANIFEST-000005", b"MANIFEST-000006"))


class GateTest(unittest.TestCase):
    """A client and a server of ours speak through the gate."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.seen: list[str] = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.folder / "server"))
        self.listener.listen()
        self.addCleanup(self.listener.close)

    def play(self, statement: bytes, answer: int, at_cut=lambda: None) -> tuple[gate.Gate, bytes]:
        """What the client is answered."""
        before = lambda: self.seen.append("before")  # noqa: E731
        cut = lambda: (self.seen.append("cut"), at_cut())  # noqa: E731
        path = self.folder / "gate"
        with gate.Gate(path, str(self.folder / "server"), before, cut) as made:
            client = socket.socket(socket.AF_UNIX)
            client.connect(str(path))
            server, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(server, answer), daemon=True).start()
            client.sendall(packet(0, bytes([gate.COM_QUERY]) + statement))
            found = gate.read_packet(client)
            self.seen.append("answered")
            client.close()
        server.close()
        return made, found

    def serve(self, server: socket.socket, answer: int) -> None:
        if gate.read_packet(server):
            self.seen.append("asked")
            server.sendall(packet(1, bytes([answer, 0, 0])))

    def test_the_answer_waits_for_what_is_done_at_the_cut(self):
        made, found = self.play(b"backup  stage block_commit", gate.OK)
        self.assertEqual(self.seen, ["before", "asked", "cut", "answered"])
        self.assertTrue(made.passed)
        self.assertEqual(found[4], gate.OK)

    def test_when_the_server_refuses_the_lock_there_is_no_cut(self):
        made, found = self.play(b"BACKUP STAGE BLOCK_COMMIT", 0xFF)
        self.assertEqual(self.seen, ["before", "asked", "answered"])
        self.assertFalse(made.passed)
        self.assertEqual(found[4], 0xFF)

    def test_other_statements_pass(self):
        made, _ = self.play(b"BACKUP STAGE BLOCK_DDL", gate.OK)
        self.assertEqual(self.seen, ["asked", "answered"])
        self.assertFalse(made.passed)

    def test_a_cut_that_fails_ends_the_connection_and_is_kept(self):
        def fail():
            raise BackupError("no room for a checkpoint")

        made, found = self.play(b"BACKUP STAGE BLOCK_COMMIT", gate.OK, fail)
        self.assertEqual(found, b"")
        self.assertFalse(made.passed)
        self.assertIsInstance(made.error, BackupError)


# version 10, a thread, half of the salt, flags; without and with that of TLS
VERSION = b"\x0a5.5.5-10.11.18-MariaDB\0" + bytes(4) + b"12345678\0"
PLAIN, WITH_TLS = VERSION + b"\xff\xf7rest", VERSION + b"\xff\xffrest"
WISH = b"\x01\x00\x02\x03" + bytes(28) + b"me\0"


class LoginTest(unittest.TestCase):
    """A client without TLS, the gate, a server with it."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.authority = Authority(self.folder / "tls", "ca")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.folder / "server"))
        self.listener.listen()
        self.addCleanup(self.listener.close)
        self.got: list[bytes] = []

    def opened(self, ca: Path) -> gate.Gate:
        tls = connection.tls_context(connection.Options(ssl_ca=str(ca), socket="/s"))
        path, nothing = self.folder / "gate", lambda: None
        return gate.Gate(path, str(self.folder / "server"), nothing, nothing, tls)

    def serve(self, greeting: bytes) -> None:
        link = self.listener.accept()[0]
        link.sendall(packet(0, greeting))
        self.got.append(read_packet(link))
        if not self.got[-1]:
            return
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.authority.pair.cert, self.authority.pair.key)
        try:
            link = context.wrap_socket(link, server_side=True)
        except OSError:
            return
        for number, said in ((3, b"\xfeanother way"), (5, b"\0ok")):
            self.got.append(read_packet(link))
            link.sendall(packet(number, said))
        self.got.append(read_packet(link))
        link.sendall(packet(1, b"\0done"))

    def talk(self, made: gate.Gate, greeting: bytes, *said: bytes) -> list[bytes]:
        """What the client hears; it says each of `said` after that."""
        serving = threading.Thread(target=self.serve, args=(greeting,), daemon=True)
        serving.start()
        heard = []
        with made, socket.socket(socket.AF_UNIX) as client:
            client.settimeout(30)
            client.connect(str(self.folder / "gate"))
            for text in said:
                heard.append(read_packet(client))
                client.sendall(text)
            heard.append(read_packet(client))
        serving.join()
        return heard

    def test_numbers_fit_on_both_sides(self):
        ask = packet(0, b"\x03SELECT 1")
        said = packet(1, WISH), packet(3, b"secret"), ask
        heard = self.talk(self.opened(self.authority.pair.cert), WITH_TLS, *said)
        self.assertEqual([0, 2, 4, 1], [text[3] for text in heard])
        flagged = b"\x01\x08" + WISH[2:]
        self.assertEqual(packet(1, flagged[:32]), self.got[0])
        self.assertEqual([packet(2, flagged), packet(4, b"secret"), ask], self.got[1:])

    def test_another_authority(self):
        other = Authority(self.folder / "other", "ca").pair.cert
        heard = self.talk(self.opened(other), WITH_TLS, packet(1, WISH))
        self.assertEqual(b"", heard[-1])
        self.assertEqual(1, len(self.got))

    def test_a_server_without_tls_gets_nothing(self):
        made = self.opened(self.authority.pair.cert)
        self.assertEqual([b""], self.talk(made, PLAIN))
        self.assertEqual([b""], self.got)
        self.assertIn("TLS is wanted", str(made.error))


def packet(number: int, body: bytes) -> bytes:
    return len(body).to_bytes(3, "little") + bytes([number]) + body


if __name__ == "__main__":
    unittest.main()
