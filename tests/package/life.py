# SPDX-License-Identifier: GPL-2.0-only
"""The package in bare roots: installed, kept in step with the server, upgraded, removed, purged;
and in the place of MyRocks, there and back."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from tests.kit.check import Check, expect, expect_in
from tests.package.bare_root import make_template
from tests.package.built import PLUGIN_PACKAGE, TOOLS_PACKAGE, BuiltPackages
from tests.package.installed import APT, AUTHOR, OPTION_FILE, TABLE, Installed
from tools import targets
from tools.package import source

NEWER_SERVER = "1:10.11.999-0+deb12u1"
# what a package of the server's next patch release is made up from
SERVER_PACKAGES = ["mariadb-server", "mariadb-server-core", "mariadb-client", "mariadb-client-core"]
# came with the server, and would not let it start if they were newer
LOOSE_PLUGINS = ("mariadb-plugin-provider-bzip2", "mariadb-plugin-provider-snappy")
DROP_IN = "/lib/systemd/system/mariadb.service.d/basalt.conf"
PLUGIN = "/usr/lib/mysql/plugin/ha_rocksdb.so"


class Life:
    def __init__(self, built: BuiltPackages, folder: Path):
        self.built = built
        self.folder = folder
        self.template = folder / "template.tar"

    def checks(self) -> list[Check]:
        return [
            Check("bare root: installed, upgraded, removed, purged", self.whole_life),
            Check("bare root: a newer server is kept back", self.newer_server),
            Check("bare root: takes over from MyRocks, and back", self.myrocks),
            Check("bare root: refusals", self.refusals),
            Check("bare root: systemd reads the limits", self.systemd),
            Check("bare root: what the Dockerfile does", self.dockerfile),
        ]

    def root(self) -> Installed:
        return Installed(
            self.folder / "root",
            self.made_template(),
            self.built.plugin,
            self.built.server_version,
        )

    def made_template(self) -> Path:
        if not self.template.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            make_template(self.template)
        return self.template

    def whole_life(self) -> None:
        with self.root() as root:
            root.install()
            self.programs(root)
            self.upgrade(root)
            self.remove(root)
            self.purge(root)

    def programs(self, root: Installed) -> None:
        """basalt-tools on the same machine, with the options of Debian's root; then purged."""
        root.run(f"{APT} install {root.bring(self.built.tools)}")
        root.run("basalt-top --json --interval 0.2")
        root.run("basalt-backup backup /srv/backup && basalt-backup verify /srv/backup")
        root.run("basalt-backup restore /srv/backup /srv/restored")
        expect(root.is_file("/srv/restored/#rocksdb/CURRENT"), "the backup has no store")
        root.run(f"{APT} purge {TOOLS_PACKAGE}")
        for name in ("basalt-top", "basalt-backup"):
            expect(not root.is_file(f"/usr/bin/{name}"), f"{name} is left after a purge")
        expect(not (root.folder / "usr/share/basalt-tools").exists(), "its folder is left")

    def upgrade(self, root: Installed) -> None:
        """To a later version of Basalt for the same server; the user's option file stays."""
        version = f"9.9+{self.built.version.split('+', 1)[1]}"
        later = self.repacked(version)
        own = "# mine\n[mariadb]\nplugin-load-add = ha_rocksdb.so\nrocksdb_block_cache_size = 99M\n"
        (root.folder / OPTION_FILE.lstrip("/")).write_text(own)
        root.run(f"{APT} install {root.bring(later)}")
        root.expect_version(PLUGIN_PACKAGE, version)
        root.restart()
        root.expect_notes("first,second")
        kept = (root.folder / OPTION_FILE.lstrip("/")).read_text()
        expect(kept == own, f"the user's option file was changed:\n{kept}")
        # a removed plugin's variables would keep the server from starting
        root.run(f"sed -i s/^rocksdb_/loose_rocksdb_/ {OPTION_FILE}")

    def repacked(self, version: str) -> Path:
        """The package with another version."""
        tree = self.folder / "repacked"
        shutil.rmtree(tree, ignore_errors=True)
        subprocess.run(["dpkg-deb", "-R", self.built.plugin, tree], check=True)
        control = tree / "DEBIAN" / "control"
        text = control.read_text().replace(f"\nVersion: {self.built.version}\n",
                                           f"\nVersion: {version}\n")  # fmt: skip
        control.write_text(text)
        file = self.folder / f"{PLUGIN_PACKAGE}_{version}_{targets.host().name}.deb"
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z0", "-b", tree, file]
        subprocess.run(command, check=True, capture_output=True)
        return file

    def remove(self, root: Installed) -> None:
        """The server starts without the plugin; the tables are there again with it."""
        root.run(f"{APT} remove {PLUGIN_PACKAGE}")
        expect(not root.is_file(PLUGIN), f"{PLUGIN} is left")
        expect(not root.is_file(DROP_IN), f"{DROP_IN} is left")
        expect(root.is_file(OPTION_FILE), f"{OPTION_FILE} is gone before a purge")
        root.restart()
        expect(root.sql(AUTHOR) == "", "the engine is still there")
        root.run(f"{APT} install {root.package}")
        root.restart()
        root.expect_notes("first,second")

    def purge(self, root: Installed) -> None:
        """Nothing is left but the tables."""
        listed = root.run(f"dpkg -L {PLUGIN_PACKAGE}").split()
        root.run(f"{APT} purge {PLUGIN_PACKAGE}")
        left = [path for path in listed if root.is_file(path)]
        expect(not left, f"left after a purge: {left}")
        expect(root.run(f"dpkg -l {PLUGIN_PACKAGE} || true").count("\nii") == 0, "still installed")
        expect((root.folder / "var/lib/mysql/#rocksdb/CURRENT").is_file(), "the data are gone")
        root.restart()

    def newer_server(self) -> None:
        """A later patch release, which the plugin does not fit, appears at the mirror."""
        version = self.built.server_version
        with self.root() as root:
            root.install()
            self.announce_newer_server(root)
            pinned = root.run(f"{APT} -s dist-upgrade")
            expect("Remv" not in pinned and NEWER_SERVER not in pinned, f"pinned, but:\n{pinned}")
            root.unpin()
            expect(root.candidate() == NEWER_SERVER, "the newer server is not seen")
            told = root.run(f"{APT} upgrade")
            kept_back = told.split("kept back:")[-1].split("upgraded")[0]
            for package in ("mariadb-server-core", *LOOSE_PLUGINS):
                expect_in(package, kept_back, "what is kept back")
            root.expect_version("mariadb-server-core", version)
            root.expect_version(PLUGIN_PACKAGE, self.built.version)
            root.restart()
            root.expect_notes("first,second")
            # why the page advises the pin
            expect_in(f"Remv {PLUGIN_PACKAGE}", root.run(f"{APT} -s dist-upgrade"), "dist-upgrade")

    def announce_newer_server(self, root: Installed) -> None:
        """A repository of entries only: nothing of it is ever downloaded."""
        version = self.built.server_version
        packages = (*SERVER_PACKAGES, *LOOSE_PLUGINS)
        chosen = " ".join(f"{package}={version}" for package in packages)
        root.run(
            f"mkdir -p /srv/newer; apt-cache show {chosen} |"
            f" sed 's/{version}/{NEWER_SERVER}/g' > /srv/newer/Packages;"
            " echo 'deb [trusted=yes] file:/srv/newer ./' > /etc/apt/sources.list.d/newer.list;"
            " apt-get -q update"
        )

    def myrocks(self) -> None:
        """Its package and option file go, its tables stay; and the same the other way."""
        with self.root() as root:
            root.pin(self.built.server_version)
            root.run(f"{APT} install mariadb-server mariadb-plugin-rocksdb")
            root.restart()
            root.sql("CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY,"
                     " note VARCHAR(20), KEY (note)) ENGINE=ROCKSDB;"
                     "INSERT INTO shop.orders VALUES (1, 'first');")  # fmt: skip
            expect(root.sql(AUTHOR) != "Basalt\n", "Basalt stands in the place of MyRocks")
            root.run(f"{APT} install {root.package}")
            root.expect_version("mariadb-plugin-rocksdb", None)
            root.restart()
            expect(root.sql(AUTHOR) == "Basalt\n", root.sql(AUTHOR))
            root.expect_notes("first")
            root.sql("INSERT INTO shop.orders VALUES (2, 'second')")
            # what dpkg still knows of the old package must not take the option file away
            root.run(f"{APT} purge mariadb-plugin-rocksdb")
            expect(root.is_file(OPTION_FILE), "the purge of MyRocks took the option file")
            root.run(f"{APT} install mariadb-plugin-rocksdb")
            root.expect_version(PLUGIN_PACKAGE, None)
            root.restart()
            root.expect_notes("first,second")

    def refusals(self) -> None:
        """Another version of the server; a processor without AVX2; a package that was not wholly
        fetched. The same command works after."""
        install = f"{APT} install mariadb-server"
        with self.root() as root:
            self.announce_newer_server(root)
            needed = f"Depends: mariadb-server-core (= {self.built.server_version})"
            root.expect_refused(f"{install} {root.package}", needed)
            root.pin(self.built.server_version)
            root.run(install)
            root.run("(grep -v ^flags /proc/cpuinfo; echo 'flags : fpu sse2') > /tmp/old")
            root.mount_over("/tmp/old", "/proc/cpuinfo")
            root.expect_refused(f"{APT} install {root.package}", "this processor lacks avx2")
            root.unmount("/proc/cpuinfo")
            root.run(f"mv {root.package} /whole; head -c 200000 /whole > {root.package}")
            root.expect_refused(f"{APT} install {root.package}", "Could not read meta data")
            root.run(f"mv /whole {root.package}")
            root.install()

    def systemd(self) -> None:
        """systemd's own check finds nothing in the drop-in file, and would find something."""
        with self.root() as root:
            root.install()
            root.run(f"{APT} --no-install-recommends install systemd")
            verify = "systemd-analyze --man=no verify mariadb.service"
            said = root.attempt(verify).stdout
            expect("basalt.conf" not in said, said)
            root.run(f"echo 'NoSuchLimit=1' >> {DROP_IN}")
            expect_in("basalt.conf", root.attempt(verify).stdout, verify)

    def dockerfile(self) -> None:
        """Its commands, without docker: its daemon does not run on every machine."""
        text = (source.PACKAGING / "Dockerfile").read_text().replace("\\\n", "")
        command = json.loads(re.search(r"^CMD (.*)$", text, re.M)[1])
        with self.root() as root:
            root.run(re.search(r"^RUN (.*)$", text, re.M)[1])
            expect(not root.is_file(root.package), "the package is left in the image")
            root.run(f"({shlex.join(command)} >/var/log/server.log 2>&1 &); for i in $(seq 60); do"
                     " mariadb-admin ping && exit 0; sleep 1; done; cat /var/log/server.log;"
                     " exit 1")  # fmt: skip
            root.sql(TABLE)
            root.expect_notes("first,second")
