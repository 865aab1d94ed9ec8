# SPDX-License-Identifier: GPL-2.0-only
"""What can be chosen of ./dev setup: the server's source and version, RocksDB's profile; and the
room that it needs."""

import contextlib
import io
import json
import os
import shlex
import shutil
import subprocess
import tarfile
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from tools import paths, setup, targets
from tools.errors import DevError
from tools.setup import (
    jemalloc,
    mariadb,
    rocksdb,
    rocksdb_profile,
    room,
    server_source,
    step,
)

# a source of MariaDB in little: headers, the list of trace points, and what a build does not need
VERSION = (
    "MYSQL_VERSION_MAJOR=10\nMYSQL_VERSION_MINOR=11\nMYSQL_VERSION_PATCH={}\nMYSQL_VERSION_EXTRA=\n"
)
LITTLE = {
    "sql/handler.h": "// handler\n",
    "sql/handler.cc": "// not kept\n",
    "include/mysql/plugin.h": "// plugin\n",
    "include/probes_mysql.d.base": "provider mysql { probe connection__start(unsigned long); };\n",
    "wsrep-lib/include/wsrep/id.hpp": "// wsrep\n",
    "wsrep-lib/wsrep-API/v26/wsrep_api.h": "// API\n",
    "scripts/dheadgen.pl": "print qq(#define PROBES 1\\n);\n",
    "storage/innobase/big.h": "// not kept\n",
}


def write_source(folder: Path, patch: int = 18, without: str = "nothing") -> Path:
    for name, text in {**LITTLE, "VERSION": VERSION.format(patch)}.items():
        if not name.startswith(without):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
    return folder


def names_below(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


class CacheOfItsOwn(unittest.TestCase):
    """Tests with an empty cache, and nothing given by the environment."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        cache = {"BASALT_CACHE": str(self.folder / "cache"), "BASALT_MARIADB_SOURCE": ""}
        self.enterContext(mock.patch.dict(os.environ, {**cache, "BASALT_MARIADB_VERSION": ""}))

    def tarball(self, kind: str, top: str = "mariadb-10.11.18/") -> Path:
        source = write_source(self.folder / "tree")
        path = self.folder / f"source.tar.{kind}"
        with tarfile.open(path, f"w:{kind}") as archive:
            for name in names_below(source):
                archive.add(source / name, top + name)
        return path

    def refusal(self, call, *arguments) -> str:
        with self.assertRaises(DevError) as caught:
            call(*arguments)
        return str(caught.exception)


class ServerSourceTest(CacheOfItsOwn):
    def test_a_folder_and_every_kind_of_tarball_give_the_same_headers(self):
        folder = write_source(self.folder / "tree")
        sources = [folder, *(self.tarball(kind) for kind in ("gz", "bz2", "xz"))]
        for number, source in enumerate(sources):
            home = self.folder / f"home{number}"
            self.assertEqual("10.11.18", server_source.release(source))
            server_source.copy(source, home)
            self.assertEqual("#define PROBES 1\n", (home / server_source.PROBES).read_text())
            self.assertEqual(names_below(self.folder / "home0"), names_below(home), source)
        self.assertIn("source/sql/handler.h", names_below(home))
        self.assertNotIn("source/sql/handler.cc", names_below(home))
        self.assertEqual("10.11.18", server_source.release(self.tarball("gz", top="./")))

    def test_what_is_no_source_is_refused_by_name(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.assertIn(f"{empty}: no source of MariaDB", self.refusal(server_source.release, empty))
        (empty / "VERSION").write_text("3.1\n")
        self.assertIn("does not tell a release", self.refusal(server_source.release, empty))
        text = self.folder / "notes.txt"
        text.write_text("no tarball\n")
        self.assertIn(f"{text}: no tarball", self.refusal(server_source.release, text))
        for kind in ("gz", "bz2", "xz"):
            cut = self.tarball(kind)
            cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
            message = self.refusal(server_source.copy, cut, self.folder / f"home-{kind}")
            self.assertIn("damaged", message, kind)
        with mock.patch.dict(os.environ, {"BASALT_MARIADB_SOURCE": "/not/there"}):
            self.assertIn("/not/there: no such file", self.refusal(mariadb.complete))

    def test_a_part_that_is_lacking_is_named(self):
        hints = {"sql/": "sql/handler.h", "wsrep-lib/": "submodules", "scripts/": "dheadgen.pl"}
        for part, hint in hints.items():
            source = write_source(self.folder / part, without=part)
            home = self.folder / f"home-{part}"
            self.assertIn(hint, self.refusal(server_source.copy, source, home))

    def test_no_file_is_written_outside(self):
        path = self.folder / "bad.tar"
        with tarfile.open(path, "w") as archive:
            for name in ("top/sql/../../../escaped.h", "/etc/sql/../escaped.h"):
                archive.addfile(tarfile.TarInfo(name), io.BytesIO())
        self.refusal(server_source.copy, path, self.folder / "home")
        self.assertEqual([], [n for n in names_below(self.folder) if n.endswith("escaped.h")])

    def test_kept_headers_are_the_same_bytes_and_a_source(self):
        archives = []
        for name in ("one", "two"):
            home = self.folder / name
            server_source.copy(write_source(self.folder / f"tree-{name}"), home)
            os.utime(home / "source" / "VERSION", (len(name), len(archives)))
            archives.append(self.folder / f"{name}.tar.xz")
            server_source.write_archive(home, archives[-1])
        self.assertEqual(archives[0].read_bytes(), archives[1].read_bytes())
        server_source.copy(archives[0], self.folder / "again")
        kept = names_below(self.folder / "again")
        generator = [f"source/{n}" for n in (server_source.GENERATOR, server_source.POINTS)]
        self.assertEqual([n for n in names_below(home) if n not in generator], kept)


class ServerChoiceTest(CacheOfItsOwn):
    """Which version is taken, with lists of packages and downloads made up."""

    def setUp(self):
        super().setUp()
        self.listed = ["1:10.11.19-0+deb12u1", "1:10.11.18-0+deb12u1"]
        self.sources = "".join(f"Version: {v}\n" for v in self.listed)
        self.apt = mock.Mock()
        self.apt.output.side_effect = self.output
        self.apt.get.return_value = False
        self.enterContext(mock.patch.object(mariadb, "failure", return_value="is gone"))
        self.enterContext(contextlib.redirect_stdout(io.StringIO()))

    def output(self, command: str, package: str) -> str:
        if command == "showsrc":
            return self.sources
        return "".join(f" {package} | {v} | http://mirror Packages\n" for v in self.listed)

    def test_source_and_version_must_agree(self):
        source = Path("/s")
        check = mariadb.check_wanted
        check(None, "", "")
        check(source, "10.11.19", "1:10.11.19-0+deb12u1")
        text = self.refusal(check, source, "10.11.18", "10.11.19-0+deb12u1")
        self.assertIn("/s is MariaDB 10.11.18", text)
        self.assertIn("Basalt is for 10.11.*", self.refusal(check, source, "11.8.2", ""))
        self.assertIn("11.8.9-1 is no", self.refusal(check, None, "", "11.8.9-1"))

    def test_the_sources_release_decides(self):
        version, source, reason = mariadb.choose(self.apt, Path("/s"), "10.11.18", "")
        self.assertEqual(("1:10.11.18-0+deb12u1", Path("/s")), (version, source))
        self.assertEqual("headers of /s", reason)
        text = self.refusal(mariadb.choose, self.apt, Path("/s"), "10.11.7", "")
        self.assertIn("MariaDB 10.11.7: Debian's lists have no binary packages", text)
        self.assertIn("10.11.19-0+deb12u1, 10.11.18-0+deb12u1", text)
        text = self.refusal(mariadb.choose, self.apt, None, "", "10.11.7-1")
        self.assertIn("BASALT_MARIADB_VERSION=10.11.7-1: ", text)

    def test_kept_headers_stand_for_a_source_that_is_gone(self):
        text = self.refusal(mariadb.choose, self.apt, None, "", "")
        self.assertIn("10.11.19-0+deb12u1 is listed, but its source is gone", text)
        self.assertIn("BASALT_MARIADB_SOURCE=DIR|TARBALL", text)
        self.sources = ""
        home = self.folder / "10.11.18-0+deb12u1"
        server_source.copy(write_source(self.folder / "tree"), home)
        server_source.keep(home)
        version, source, _ = mariadb.choose(self.apt, None, "", "")
        self.assertEqual("1:10.11.18-0+deb12u1", version)
        self.assertEqual(server_source.kept("10.11.18-0+deb12u1"), source)
        self.assertEqual("10.11.18", server_source.release(source))

    def test_a_source_is_read_once_and_selects_its_version(self):
        for version in ("10.11.18-0+deb12u1", "10.11.19-0+deb12u1"):
            mariadb.home(version).mkdir(parents=True)
            (mariadb.home(version) / "complete").write_text("there\n")
        mariadb.select("10.11.18-0+deb12u1")
        self.assertTrue(mariadb.complete())
        source = write_source(self.folder / "tree", patch=19)
        with mock.patch.dict(os.environ, {"BASALT_MARIADB_SOURCE": str(source)}):
            self.assertFalse(mariadb.complete())
            mariadb.make()
            self.assertTrue(mariadb.complete())
            (source / "VERSION").write_text(VERSION.format("18"))
            self.assertFalse(mariadb.complete())
        self.assertEqual("10.11.19-0+deb12u1", paths.server_version())
        self.assertTrue(mariadb.complete())


class KeptHeadersTest(unittest.TestCase):
    def test_a_source_of_the_plugin_compiles_with_kept_headers_alone(self):
        self.assertTrue(mariadb.complete(), "this test needs ./dev setup")
        with tempfile.TemporaryDirectory() as name, contextlib.chdir(paths.ROOT):
            home, archive = Path(name) / "home", Path(name) / "headers.tar.xz"
            server_source.write_archive(paths.server_home(), archive)
            server_source.copy(archive, home)
            command = self.command_of("src/server/plugin/handlerton.cc")
            for part in ("source", "generated"):
                old, new = paths.server_home() / part, home / part
                self.assertIn(str(old), command)
                command = command.replace(str(old), str(new))
            done = subprocess.run(
                [*shlex.split(command), "-fsyntax-only"], capture_output=True, text=True
            )
            self.assertEqual((0, ""), (done.returncode, done.stderr))

    def command_of(self, source: str) -> str:
        """How the release build compiles a source."""
        commands = paths.build_dir() / "compile_commands.json"
        self.assertTrue(commands.is_file(), "this test needs ./dev build")
        for entry in json.loads(commands.read_text()):
            if entry["file"].endswith(source):
                return entry["command"]
        raise AssertionError(f"{source} is in no build")


class ProfileTest(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(mock.patch.dict(os.environ, {"BASALT_CACHE": self.folder}))

    def choose(self, text: str):
        return mock.patch.dict(os.environ, {"BASALT_PROFILE": text})

    def test_each_choice_has_a_library_of_its_own(self):
        with self.choose("on"):
            on, thread = rocksdb.prefix(), rocksdb.prefix("thread")
        with self.choose("off"):
            self.assertNotEqual(on, rocksdb.prefix())
            self.assertEqual(thread, rocksdb.prefix("thread"))
        with self.choose(""):
            self.assertEqual(on, rocksdb.prefix())

    def test_a_choice_is_remembered_until_the_next(self):
        for choice, profiled in (("off", False), ("on", True), ("off", False), ("train", True)):
            with self.choose(choice):
                rocksdb.remember_choice()
            with self.choose(""):
                rocksdb.remember_choice()
                self.assertEqual(profiled, rocksdb.profiled())

    def test_another_word_is_refused(self):
        with self.choose("no"), self.assertRaises(DevError) as caught:
            rocksdb.prefix()
        self.assertIn("BASALT_PROFILE=no: it is on, off or train", str(caught.exception))

    def test_hot_sources_stand_once_and_in_order(self):
        lines = rocksdb_profile.HOT_SOURCES.read_text().splitlines()
        names = [line for line in lines if not line.startswith("#")]
        self.assertEqual(sorted(set(names)), names)
        self.assertIn("db/db_impl/db_impl.cc", names)

    def test_the_kept_profile_is_of_these_flags_and_sources(self):
        kept, wanted = rocksdb_profile.KEPT_KEY.read_text(), rocksdb.profile_key()
        made_for, here = kept.splitlines(), wanted.splitlines()
        self.assertEqual(here[1], made_for[1])
        if here[0] == made_for[0]:  # another processor family has other flags
            self.assertEqual(kept, wanted, "run ./dev setup --train, and commit what it wrote")
            self.assertEqual(rocksdb_profile.KEPT, rocksdb_profile.find(wanted))

    def test_another_compiler_does_not_get_the_kept_profile(self):
        fitting = rocksdb.prefix()
        with mock.patch.object(rocksdb_profile, "compiler", return_value="g++ 14.2.0 some-machine"):
            other = rocksdb.profile_key()
            self.assertIsNone(rocksdb_profile.find(other))
            self.assertNotEqual(fitting, rocksdb.prefix())
            self.assertRegex(
                rocksdb_profile.misfit(other),
                r"^the kept profile was made for compiler: g\+\+ .*; here is g\+\+ 14.2.0 some",
            )
        trained = rocksdb_profile.of_this_machine(other)
        trained.parent.mkdir(parents=True)
        trained.touch()
        self.assertEqual(trained, rocksdb_profile.find(other))

    def build(self) -> tuple[list[str], list[str]]:
        """What a build says, and the flags of the hot files of each compilation in it."""
        folder = Path(self.folder) / "build"
        step.log_file("rocksdb-build").write_text("f.cc:1: changed [-Wcoverage-mismatch]\n" * 2)
        with (
            mock.patch.object(rocksdb, "compile_library") as compile_library,
            mock.patch.object(rocksdb, "quiet", return_value=True),
            mock.patch.object(rocksdb.shutil, "rmtree"),
            mock.patch.object(rocksdb, "say") as say,
        ):
            rocksdb.build_profiled(Path("/source"), folder)
        said = [call.args[0] for call in say.call_args_list]
        return said, [call.args[2][-1] for call in compile_library.call_args_list]

    def test_with_the_kept_profile_files_are_compiled_once(self):
        with mock.patch.object(rocksdb_profile, "fits", return_value=True):
            said, compiled = self.build()
        self.assertTrue(said[0].startswith("building RocksDB"), said)
        self.assertTrue(said[1].startswith("2 warnings say that counts of the profile do not fit"))
        self.assertEqual(1, len(compiled), compiled)
        self.assertIn(
            f"-DBASALT_PROFILE={rocksdb_profile.digest(rocksdb_profile.KEPT)}", compiled[0]
        )

    def test_another_compiler_trains_once_and_says_why(self):
        with mock.patch.object(rocksdb_profile, "compiler", return_value="g++ 14.2.0 some-machine"):
            said, compiled = self.build()
            self.assertRegex(said[0], "here is g.* 14.2.0 some-machine: a training run makes one")
            self.assertEqual(2, len(compiled), compiled)
            self.assertTrue(compiled[0].endswith(rocksdb.COUNTING))
            self.assertEqual(compiled[1:], self.build()[1])

    def test_another_processor_family_is_compiled_without_a_profile(self):
        family = next(t for t in targets.TARGETS.values() if not targets.is_host(t))
        with self.choose("on"):
            on = rocksdb.prefix(target=family)
            self.assertNotEqual(on, rocksdb.prefix())
        with self.choose("off"):
            self.assertEqual(on, rocksdb.prefix(target=family))
        with (
            mock.patch.object(rocksdb, "compile_library") as compile_library,
            mock.patch.object(rocksdb, "say"),
        ):
            rocksdb.build_cross(Path("/source"), Path(self.folder), family)
        flags = " ".join(compile_library.call_args.args[2])
        self.assertIn(family.machine, flags)
        self.assertNotIn("profile", flags.lower())

    def test_the_same_counts_give_the_same_archive(self):
        first, second = Path(self.folder) / "first", Path(self.folder) / "second"
        for build, names in ((first, "ab"), (second, "ba")):
            (build / rocksdb_profile.OBJECTS).mkdir(parents=True)
            for name in names:
                (build / rocksdb_profile.OBJECTS / f"{name}.gcda").write_text(f"counts of {name}")
            (build / rocksdb_profile.OBJECTS / "a.o").write_text("an object")
            rocksdb_profile.pack(build, build / "packed.tar.xz")
        packed = (first / "packed.tar.xz").read_bytes()
        self.assertEqual(packed, (second / "packed.tar.xz").read_bytes())
        older = second / rocksdb_profile.OBJECTS / "older.gcda"
        older.touch()
        rocksdb_profile.unpack(first / "packed.tar.xz", second)
        self.assertFalse(older.exists())
        self.assertEqual(["a.gcda", "a.o", "b.gcda"], names_below(second / rocksdb_profile.OBJECTS))


class BesideTest(unittest.TestCase):
    def test_a_step_runs_while_the_block_does(self):
        began = threading.Event()
        with setup.beside(began.set):
            self.assertTrue(began.wait(60))

    def test_a_failure_is_told_at_once_and_raised_at_the_end(self):
        def fail() -> None:
            raise DevError("no mirror")

        told = threading.Event()
        with (
            mock.patch.object(setup, "say", side_effect=lambda _: told.set()) as say,
            self.assertRaisesRegex(DevError, "^no mirror$"),
            setup.beside(fail, self.fail),
        ):
            self.assertTrue(told.wait(60))
        say.assert_called_once_with("failed, and ends when the rest is done: no mirror")


if __name__ == "__main__":
    unittest.main()


class RoomTest(unittest.TestCase):
    GIGABYTE = 2**30

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        environment = {"BASALT_CACHE": self.folder, "BASALT_JOBS": ""}
        self.enterContext(mock.patch.dict(os.environ, environment))

    def test_a_full_disk_is_refused_before_anything_is_made(self):
        usage = mock.Mock(free=1.6e9)
        with mock.patch.object(shutil, "disk_usage", return_value=usage):
            with self.assertRaisesRegex(DevError, r"has 1\.6 GB free, the set-up needs 1\.7; "):
                setup.run()
            self.assertEqual([], os.listdir(self.folder))
            usage.free = 1.8e9
            room.check()

    def test_what_is_there_needs_no_room(self):
        usage = mock.Mock(free=0)
        self.enterContext(mock.patch.object(shutil, "disk_usage", return_value=usage))
        for part in (mariadb, rocksdb, jemalloc):
            self.enterContext(mock.patch.object(part, "complete", return_value=True))
        room.check()

    def test_a_build_for_another_processor_needs_room_of_its_own(self):
        usage = mock.Mock(free=1.0e9)
        self.enterContext(mock.patch.object(shutil, "disk_usage", return_value=usage))
        self.enterContext(mock.patch.object(mariadb, "complete", return_value=True))
        self.enterContext(mock.patch.object(targets, "is_host", return_value=False))
        with self.assertRaisesRegex(DevError, r"has 1\.0 GB free, the set-up needs 1\.1; "):
            setup.ensure_target(targets.ARM64)
        self.assertEqual([], os.listdir(self.folder))

    def free(self, memory: float, swap: float):
        figures = {"available": int(memory * self.GIGABYTE)}
        self.enterContext(mock.patch("psutil.virtual_memory", return_value=mock.Mock(**figures)))
        figures = {"free": int(swap * self.GIGABYTE)}
        self.enterContext(mock.patch("psutil.swap_memory", return_value=mock.Mock(**figures)))

    def test_memory_for_not_one_compiler_is_refused(self):
        self.free(0.5, 0.5)
        with self.assertRaisesRegex(DevError, "1.0 GB are free with the swap.*BASALT_JOBS=1"):
            step.parallel_jobs(1.5)
        with mock.patch.dict(os.environ, {"BASALT_JOBS": "1"}):
            self.assertEqual(1, step.parallel_jobs(1.5))

    def test_swap_is_enough_for_one(self):
        self.free(0.5, 1.5)
        self.assertEqual(1, step.parallel_jobs(1.5))
