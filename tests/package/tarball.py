# SPDX-License-Identifier: GPL-2.0-only
"""The tarball and its script: what is inside, installed and removed, refused, cut off anywhere."""

import hashlib
import random
import subprocess
import tarfile
from pathlib import Path

from tests.kit.check import Check, expect, expect_in
from tests.package.built import BuiltPackages
from tests.package.staged import Staged
from tools.package import tarball

SHELLCHECK = ["shellcheck"]
# of the places where the script can be cut off, in the short and in the long form
SOME, MANY = 2, 8
MINE = "# mine\n[mariadb]\nplugin-load-add = ha_rocksdb.so\nrocksdb_block_cache_size = 99M\n"


class Tarball:
    """`seed` chooses the places where the script is cut off."""

    def __init__(self, built: BuiltPackages, folder: Path, long: bool, seed: int | None):
        self.built = built
        self.folder = folder
        self.long = long
        self.seed = random.randrange(2**32) if seed is None else seed

    def checks(self) -> list[Check]:
        return [
            Check("tarball: files and checksums", self.contents),
            Check("tarball: shellcheck", self.shellcheck),
            Check("tarball: installed, upgraded, removed", self.whole_life),
            Check("tarball: another's plugin comes back", self.another_plugin),
            Check("tarball: the user's option file stays", self.own_options),
            Check("tarball: refusals", self.refusals),
            Check("tarball: refusals that the server finds", self.server_refuses),
            Check("tarball: cut off while it installs", lambda: self.cut_off(uninstall=False)),
            Check("tarball: cut off while it removes", lambda: self.cut_off(uninstall=True)),
        ]

    def staged(self) -> Staged:
        return Staged(self.built, self.folder)

    def contents(self) -> None:
        with tarfile.open(self.built.tarball) as archive:
            members = archive.getmembers()
            files = {m.name.partition("/")[2]: archive.extractfile(m).read() for m in members}
        expect(len(files) == len(members), "a file stands in it twice")
        strange = [m.name for m in members if not m.isfile() or (m.uid, m.gid) != (0, 0)
                   or not m.name.startswith(f"{tarball.name()}/")
                   or m.mode != (0o755 if m.name.endswith("/install") else 0o644)]  # fmt: skip
        expect(not strange, f"kinds, owners or modes: {strange}")
        expect(files["ha_rocksdb.so"] == self.built.library.read_bytes(), "another plugin")
        expect("docs/operate/install.md" in files and "LICENSE" in files, sorted(files))
        listed = dict(reversed(line.split("  ", 1))
                      for line in files.pop(tarball.CHECKSUMS).decode().splitlines())  # fmt: skip
        sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        expect(listed == sums, "the checksums are not those of the files")

    def shellcheck(self) -> None:
        with self.staged() as staged:
            command = ["shellcheck", staged.new / "install"]
            done = subprocess.run(command, capture_output=True, text=True)
            expect(done.returncode == 0, done.stdout)

    def whole_life(self) -> None:
        """Twice the same command, then removed, twice as well."""
        with self.staged() as staged:
            before = staged.files()
            staged.install()
            expect(staged.serves(), "the server does not load the plugin")
            installed = staged.files()
            expected = {"plugins/ha_rocksdb.so", "plugins/ha_rocksdb.so.installed",
                        "options/rocksdb.cnf", "systemd/mariadb.service.d",
                        "systemd/mariadb.service.d/basalt.conf"}  # fmt: skip
            expect(set(installed) - set(before) == expected, f"files: {sorted(installed)}")
            staged.install()
            expect(staged.files() == installed, "the second time it is not as the first time")
            staged.install("--uninstall")
            expect(staged.files() == before, f"left: {sorted(set(staged.files()) - set(before))}")
            expect_in("not installed", staged.install("--uninstall"), "the second removal")

    def another_plugin(self) -> None:
        """A server without packages may have MyRocks in the place of the plugin."""
        with self.staged() as staged:
            (staged.plugins / "ha_rocksdb.so").write_text("MyRocks")
            before = staged.files()
            for _ in range(2):
                staged.install()
                expect(staged.serves(), "the server does not load the plugin")
            staged.install("--uninstall")
            expect(staged.files() == before, f"{sorted(staged.files())}")

    def own_options(self) -> None:
        with self.staged() as staged:
            file = staged.options / "rocksdb.cnf"
            staged.install()
            file.write_text(MINE)
            expect_in("stays as it is", staged.install(), "an upgrade")
            expect(file.read_text() == MINE, "an upgrade changed the option file")
            expect_in(f"{file}.saved", staged.install("--uninstall"), "the removal")
            expect(not file.exists(), "the server would look for the plugin")
            expect(Path(f"{file}.saved").read_text() == MINE, "the user's changes are gone")

    def refusals(self) -> None:
        with self.staged() as staged:
            say = 'case $1 in --version) echo "mariadbd  Ver {} for debian-linux-gnu" ;; esac'
            staged.expect_refused("no option '--upgrade'", "--upgrade")
            staged.expect_refused("needs a value", "--plugin-dir")
            staged.expect_refused("no folder for plugins", "--plugin-dir", "/nowhere")
            staged.expect_refused("no server: /nowhere", "--server", "/nowhere")
            staged.expect_refused("does not read", "--config-dir", str(staged.limits.parent))
            staged.be_server(say.format("10.11.99-MariaDB-0+deb12u1"))
            staged.expect_refused("the server is MariaDB 10.11.99-MariaDB-0+deb12u1, the plugin is")
            release = tarball.server_build().partition("-")[0]
            staged.be_server(say.format(f"{release}-MariaDB-debug"))
            staged.expect_refused("does not fit a debug build")
            staged.be_server("exit 1")
            staged.expect_refused("--version fails")
            with open(staged.new / "ha_rocksdb.so", "ab") as plugin:
                plugin.write(b"x")
            staged.expect_refused("unpack the tarball anew")

    def server_refuses(self) -> None:
        """An option that does not exist; half a library and none, with the right checksums."""
        with self.staged() as staged:
            options = staged.options / "mine.cnf"
            options.write_text("[mariadb]\nrocksdb_of_another_version = 1\n")
            staged.expect_refused("unknown variable 'rocksdb_of_another_version=1'")
            options.unlink()
            plugin, sums = staged.new / "ha_rocksdb.so", staged.new / tarball.CHECKSUMS
            good = plugin.read_bytes()
            right = hashlib.sha256(good).hexdigest()
            plugin.write_bytes(good[: len(good) // 2])
            wrong = hashlib.sha256(plugin.read_bytes()).hexdigest()
            sums.write_text(sums.read_text().replace(right, wrong))
            staged.expect_refused("when it loads the plugin: unpack the tarball anew")
            plugin.write_bytes(b"no library")
            other = hashlib.sha256(plugin.read_bytes()).hexdigest()
            sums.write_text(sums.read_text().replace(wrong, other))
            staged.expect_refused("Can't open shared library")
            plugin.write_bytes(good)
            sums.write_text(sums.read_text().replace(other, right))
            staged.install()

    def cut_off(self, uninstall: bool) -> None:
        """By a signal that it can catch: all as before, or all done. By one that it cannot: the
        same command again ends as if nothing had happened, and so does a removal."""
        options = ("--uninstall",) if uninstall else ()
        with self.staged() as staged:
            (staged.plugins / "ha_rocksdb.so").write_text("MyRocks")
            without = staged.files()
            staged.install()
            installed = staged.files()
            old, new = (installed, without) if uninstall else (without, installed)
            for place in self.places(staged, uninstall, options):
                self.be(staged, installed=uninstall)
                staged.attempt(*options, programs=staged.cutting(place, "TERM"))
                expect(staged.files() in (old, new), f"half done after SIGTERM at change {place}")
                self.be(staged, installed=uninstall)
                staged.attempt(*options, programs=staged.cutting(place, "KILL"))
                staged.install(*options)
                expect(staged.files() == new, f"the next run after SIGKILL at change {place}")

    def places(self, staged: Staged, uninstall: bool, options: tuple[str, ...]) -> list[int]:
        self.be(staged, installed=uninstall)
        done = staged.attempt(*options, programs=staged.cutting(0, "TERM"))
        expect(done.returncode == 0, done.stderr)
        everywhere = list(range(1, staged.changes() + 1))
        expect(len(everywhere) > 10, f"only {len(everywhere)} changes")
        print(f"   seed {self.seed}", flush=True)
        return sorted(random.Random(self.seed).sample(everywhere, MANY if self.long else SOME))

    def be(self, staged: Staged, installed: bool) -> None:
        staged.install(*(() if installed else ("--uninstall",)))
