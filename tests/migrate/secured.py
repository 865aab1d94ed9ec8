# SPDX-License-Identifier: GPL-2.0-only
"""A server that nobody reaches over the network without TLS, and an account that must show a
certificate: plan, run, run --online and undo; what is not right is refused, and nothing changes."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.kit.certificates import Authority
from tests.kit.check import Check
from tests.migrate.moved import Load
from tests.migrate.program import Migrate, definitions, engines, expect_same
from tools import ports
from tools.server import PrivateServer

ADDRESS = "127.0.0.1"
ANOTHER_NAME = "127.1"  # of the same address, which stands in no certificate
OPTIONS = ["--log-bin=binlog", "--default-storage-engine=InnoDB"]
USER, PASSWORD = "mover", 's#e"c\\ret'
WORD = PASSWORD.replace("\\", "\\\\")  # in a string of SQL
WAIT_SECONDS = 60


class ByTls(Migrate):
    """Comes over the network; `tls` are its options."""

    def __init__(self, home: Path, port: int, *tls: str, host: str = ADDRESS):
        super().__init__(home, "")
        self.where = [f"--host={host}", f"--port={port}", *tls]

    def command(self, action: str, *words: str, user: str = USER) -> list[str]:
        command = super().command(action, *words, user=USER)
        at = command.index("--socket=")
        return [*command[:at], *self.where, *command[at + 1 :]]

    def environment(self, **more: str) -> dict[str, str]:
        return super().environment(**{"MYSQL_PWD": PASSWORD, **more})


class Secured:
    """`template` is an empty data directory."""

    def __init__(self, folder: Path, template: Path):
        self.folder, self.template = folder, template
        self.authority = Authority(folder / "certificates", "ca")
        self.stranger = Authority(folder / "strangers", "ca")
        self.own = self.authority.issue("client")
        self.shown = (f"--ssl-cert={self.own.cert}", f"--ssl-key={self.own.key}")
        shutil.copytree(template, folder / "secured")
        self.server = PrivateServer(
            folder / "secured",
            options=[*OPTIONS, "--server-id=1", *self.server_options(self.authority)],
            port=ports.free_port(),
        )
        self.program = self.by(self.authority, *self.shown)

    def server_options(self, authority: Authority) -> list[str]:
        """It shows a certificate of that authority, and wants one of ours to be shown."""
        pair = authority.issue("server", ADDRESS)
        files = [f"--ssl-ca={self.authority.pair.cert}", f"--ssl-cert={pair.cert}"]
        alone = ["--skip-name-resolve", "--require-secure-transport=ON"]
        return [*alone, *files, f"--ssl-key={pair.key}"]

    def by(self, authority: Authority, *shown: str, host: str = ADDRESS) -> ByTls:
        tls = (f"--ssl-ca={authority.pair.cert}", "--ssl-verify-server-cert", *shown)
        return ByTls(self.folder, self.server.port, *tls, host=host)

    def __enter__(self) -> "Secured":
        self.server.start()
        self.server.query(
            f"GRANT ALL ON *.* TO {USER}@'{ADDRESS}' IDENTIFIED BY '{WORD}' REQUIRE X509"
        )
        return self

    def __exit__(self, *_) -> None:
        self.server.kill()

    def checks(self) -> list[Check]:
        return [
            Check("TLS: plan, run and undo by an account with REQUIRE X509", self.altered),
            Check("TLS: run --online and back under load", self.online),
            Check("TLS: run --online by an account with REQUIRE SSL, no file given", self.plain),
            Check("TLS: waits for a replica that demands it", self.waits),
            Check("TLS: another authority, name, or no certificate: nothing changes", self.refused),
        ]

    def altered(self) -> None:
        with Load(self.server) as load:
            told = self.program.told(0, "plan", "busy")
            expect_same([t["verdict"] for t in told["tables"]], ["moves"], "the plan")
            self.program.told(0, "run", "busy")
            expect_same(engines(self.server, "busy"), {"log": "ROCKSDB"}, "engines")
            self.program.told(0, "undo", "busy")
        load.judge()
        expect_same(engines(self.server, "busy"), {"log": "InnoDB"}, "engines")

    def online(self) -> None:
        with Load(self.server) as load:
            self.there_and_back(self.program)
        load.judge()

    def there_and_back(self, program: ByTls) -> None:
        program.told(0, "run", "--online", "busy")
        expect_same(engines(self.server, "busy"), {"log": "ROCKSDB"}, "engines")
        program.told(0, "undo", "--online", "busy")
        expect_same(engines(self.server, "busy"), {"log": "InnoDB"}, "engines")

    def plain(self) -> None:
        self.server.query(f"ALTER USER {USER}@'{ADDRESS}' REQUIRE SSL")
        try:
            with Load(self.server) as load:
                self.there_and_back(ByTls(self.folder, self.server.port, "--ssl"))
            load.judge()
        finally:
            self.server.query(f"ALTER USER {USER}@'{ADDRESS}' REQUIRE X509")

    @contextlib.contextmanager
    def replica(self, authority: Authority) -> Iterator[PrivateServer]:
        """Follows the server by TLS. Nobody reaches it over the network without, and it shows a
        certificate of that authority."""
        folder = self.folder / f"replica-{authority.pair.cert.parent.name}"
        shutil.copytree(self.template, folder)
        options = [*OPTIONS, "--server-id=2", *self.server_options(authority)]
        server = PrivateServer(folder, options=options, port=ports.free_port())
        server.start()
        try:
            server.query(
                f"CHANGE MASTER TO MASTER_HOST='{ADDRESS}', MASTER_PORT={self.server.port},"
                f" MASTER_USER='{USER}', MASTER_PASSWORD='{WORD}', MASTER_USE_GTID=slave_pos,"
                f" MASTER_SSL=1, MASTER_SSL_CA='{self.authority.pair.cert}',"
                f" MASTER_SSL_CERT='{self.own.cert}', MASTER_SSL_KEY='{self.own.key}'"
            )
            server.query("START SLAVE")
            yield server
        finally:
            server.kill()

    def waits(self) -> None:
        """Also pt-online-schema-change, which asks the replica itself."""
        with self.replica(self.authority) as replica, Load(self.server) as load:
            where = ("--replica", f"{ADDRESS}:{replica.port}")
            for online in ((), ("--online", "--max-lag=5")):
                for action, engine in (("run", "ROCKSDB"), ("undo", "InnoDB")):
                    self.program.told(0, action, *online, *where, "busy")
                    self.caught_up(replica)
                    expect_same(engines(replica, "busy"), {"log": engine}, "the replica's engine")
        load.judge()
        with self.replica(self.stranger) as replica:
            where = ("--replica", f"{ADDRESS}:{replica.port}")
            before = definitions(self.server, "busy")
            for online in ((), ("--online",)):
                said = "the server's certificate is refused"
                self.program.refused(2, said, "run", *online, *where, "busy")
            expect_same(definitions(self.server, "busy"), before, "definitions")

    def caught_up(self, replica: PrivateServer) -> None:
        ((position,),) = self.server.query("SELECT @@gtid_binlog_pos")
        ((answer,),) = replica.query(f"SELECT MASTER_GTID_WAIT('{position}', {WAIT_SECONDS})")
        expect_same(answer, 0, "the replica's answer")

    def refused(self) -> None:
        Load(self.server)  # makes the table, and nobody writes to it
        before = definitions(self.server, "busy")
        log = self.server.query("SHOW MASTER STATUS")
        wrong = (
            (self.by(self.stranger, *self.shown), "the server's certificate is refused"),
            (self.by(self.authority, *self.shown, host=ANOTHER_NAME), "mismatch"),
            (self.by(self.authority), "no connection: Access denied"),
            (ByTls(self.folder, self.server.port), "no connection: Access denied"),
        )
        for program, sentence in wrong:
            for words in (("plan",), ("run",), ("run", "--online"), ("undo",)):
                program.refused(2, sentence, *words, "busy")
        expect_same(definitions(self.server, "busy"), before, "definitions")
        expect_same(self.server.query("SHOW MASTER STATUS"), log, "the binary log's end")
