# SPDX-License-Identifier: GPL-2.0-only
"""The tarball, unpacked, and a server in a folder to install it into: the private server with
option files and plugins of its own. Nothing of the machine is touched."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from tests.kit.check import expect, expect_in
from tests.package.built import BuiltPackages
from tools import paths

# programs that the script changes files with
CHANGERS = ("cp", "mv", "rm", "mkdir", "chmod", "rmdir", "sync", "ln", "mktemp")
# In the place of one of them: counts the calls, and at one of them ends the script.
CUTTER = """#!/bin/bash
echo x >> {count}
if [ "$(wc -l < {count})" -eq {at} ]; then kill -{signal} $PPID; sleep 0.05; fi
exec {program} "$@"
"""


class Staged:
    """`folder` has the tarball's content in `new`, the server's program in `mariadbd`, its option
    files in `options` and its plugins in `plugins`. A context manager that deletes it."""

    def __init__(self, built: BuiltPackages, folder: Path):
        self.folder = folder
        self.server = folder / "mariadbd"
        self.machine = folder / "machine"
        self.options, self.plugins = self.machine / "options", self.machine / "plugins"
        self.limits = self.machine / "systemd" / "mariadb.service.d"
        for made in (self.options, self.plugins, self.limits.parent):
            made.mkdir(parents=True)
        subprocess.run(["tar", "-C", folder, "-xf", built.tarball], check=True)
        (self.new,) = folder.glob("basalt-*")
        main = folder / "main.cnf"
        main.write_text(
            f"[mariadb]\nbasedir={paths.basedir()}\nlc_messages_dir={paths.lc_messages_dir()}\n"
            f"plugin_dir={self.plugins}\n!includedir {self.options}\n"
        )
        self.be_server(f'exec {paths.mariadbd()} --defaults-file={main} "$@"')

    def __enter__(self) -> "Staged":
        return self

    def __exit__(self, *_) -> None:
        shutil.rmtree(self.folder)

    def be_server(self, script: str) -> None:
        """What the server's program does."""
        self.server.write_text(f"#!/bin/sh\n{script}\n")
        self.server.chmod(0o755)

    def files(self) -> dict[str, bytes]:
        """All that is on the machine, folders with an empty content."""
        found = {}
        for file in sorted(self.machine.rglob("*")):
            found[str(file.relative_to(self.machine))] = b"" if file.is_dir() else file.read_bytes()
        return found

    def command(self, *options: str) -> list[str]:
        return [str(self.new / "install"), "--server", str(self.server), "--config-dir",
                str(self.options), "--systemd-dir", str(self.limits), *options]  # fmt: skip

    def attempt(self, *options: str, programs: Path | None = None) -> subprocess.CompletedProcess:
        path = os.environ["PATH"]
        environment = os.environ | {"PATH": f"{programs}:{path}" if programs else path}
        command = self.command(*options)
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    def install(self, *options: str) -> str:
        done = self.attempt(*options)
        expect(done.returncode == 0 and not done.stderr, f"{options}: {done.stdout}{done.stderr}")
        return done.stdout

    def expect_refused(self, sentence: str, *options: str) -> None:
        """One line, status 1, and no file of the machine is another than before."""
        before = self.files()
        done = self.attempt(*options)
        expect(done.returncode == 1, f"status {done.returncode}: {done.stdout}{done.stderr}")
        expect_in(sentence, done.stderr, "the message")
        expect(len(done.stderr.splitlines()) == 1, f"not one line:\n{done.stderr}")
        expect(self.files() == before, f"{sentence}: the machine is not as it was before")

    def serves(self) -> bool:
        """Whether the server loads the plugin, by its option files and in its folder of plugins."""
        command = [str(self.server), f"--datadir={self.folder}", "--verbose", "--help"]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode == 0 and "\nrocksdb " in done.stdout

    def cutting(self, at: int, signal: str) -> Path:
        """A folder of programs that end the script at the `at`th change; 0: at none."""
        programs = self.folder / "programs"
        shutil.rmtree(programs, ignore_errors=True)
        programs.mkdir()
        for name in CHANGERS:
            program = programs / name
            count = shlex.quote(str(programs / "count"))
            real = shutil.which(name)
            program.write_text(CUTTER.format(count=count, at=at, signal=signal, program=real))
            program.chmod(0o755)
        return programs

    def changes(self) -> int:
        """How often the last run with cutting() called one of the programs."""
        return len((self.folder / "programs" / "count").read_text().splitlines())
