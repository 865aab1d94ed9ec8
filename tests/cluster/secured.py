# SPDX-License-Identifier: GPL-2.0-only
"""A primary that lets nobody in without TLS, and accounts that must show a certificate: a replica
by `basalt-backup clone` that checks the primary's, and all four programs over the network."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from tests.cluster.copied import ACCOUNT, PASSWORD, WithBackup, sql_text
from tests.kit import backup_program as program
from tests.kit.certificates import Authority, Pair
from tests.kit.clients.client import Problem
from tests.kit.clients.ledger import Counter, Ledger, TwoEngines
from tests.kit.replicas.compare import compare
from tests.kit.replicas.load import IdempotentScratch, Load
from tests.kit.replicas.node import Node
from tools import paths

CLASSES = [Ledger, Counter, IdempotentScratch, TwoEngines]
OPTIONS = ("--binlog-format=ROW", "--loose-rocksdb-lock-wait-timeout=5")
ADDRESS = "127.0.0.1"
ANOTHER_NAME = "127.1"  # of the same address, which stands in no certificate
ADMIN, PLAIN = "dba", "plain"  # the second one may come without a certificate
NOBODY = 65534
WAIT_SECONDS = 60.0
# each as a user begins it, without what says how to connect
ONCE = {
    "top": ("--json", "--interval=0.2"),
    "migrate": ("plan", "--no-sample", "--json"),
}


class Secured(WithBackup):
    NAME = "tls"
    needs_programs = True

    def play(self) -> None:
        folder = self.folder / "certificates"
        self.authority, self.stranger = Authority(folder, "ca"), Authority(folder / "other", "ca")
        self.certificate = self.authority.issue("server", ADDRESS)
        self.own = self.authority.issue("client")
        self.primary = self.node(1, binlog=True)
        self.start_primary(self.certificate)
        self.load = Load(CLASSES, self.seed, self.primary)
        self.load.create()
        self.let_in(self.primary)
        self.primary.one(f"ALTER USER {ACCOUNT}@'{ADDRESS}' REQUIRE X509")
        identified = f"IDENTIFIED BY '{sql_text(PASSWORD)}'"
        self.primary.one(f"GRANT REPLICATION SLAVE ON *.* TO {PLAIN}@'{ADDRESS}' {identified}")
        self.primary.one(f"GRANT ALL ON *.* TO {ADMIN}@'%' IDENTIFIED BY 'secret' REQUIRE X509")
        self.replica = self.new_node(2)
        self.refusals()
        self.cloned()
        self.another_certificate()
        self.programs()
        self.backed_up()
        self.replica_backed_up()

    def start_primary(self, pair: Pair) -> None:
        self.primary.start(*OPTIONS, *self.demanding(pair))

    def demanding(self, pair: Pair) -> list[str]:
        """Options of a server that takes nobody over the network without TLS."""
        tls = [f"--ssl-ca={self.authority.pair.cert}", f"--ssl-cert={pair.cert}"]
        return ["--require-secure-transport=ON", *tls, f"--ssl-key={pair.key}"]

    # --- a replica

    def tls(self, **other: str | Path | None) -> dict[str, str | Path | None]:
        """The options of a client that does all right, but for what is given otherwise."""
        right = {"ssl-ca": self.authority.pair.cert, "ssl-cert": self.own.cert}
        right |= {"ssl-key": self.own.key, "ssl-verify-server-cert": "1"}
        return right | {name.replace("_", "-"): value for name, value in other.items()}

    def clone_words(self, **other: str | Path | None) -> list[str | Path]:
        file = self.primary_file(self.primary, user=str(other.pop("user", ACCOUNT)))
        host = other.pop("host", ADDRESS)
        text = file.read_text().replace(f"host={ADDRESS}", f"host={host}")
        lines = [f"{name}={value}\n" for name, value in self.tls(**other).items() if value]
        file.write_text(text + "".join(lines))
        words = ["clone", self.replica.server.datadir, "--primary", file, "--json"]
        words += ["--server-defaults-file", self.server_file(self.replica.number)]
        return [*words, *self.socket(self.primary)]

    def refusals(self) -> None:
        """All of them before anything is copied."""
        none = {"ssl_ca": None, "ssl_cert": None, "ssl_key": None, "ssl_verify_server_cert": None}
        refused = "does not let", "certificate is refused"
        missing = self.folder / "missing.pem"
        for what, other, status, words in (
            ("no TLS", none | {"user": PLAIN}, 2, ("does not let", "Access denied")),
            ("another authority", {"ssl_ca": self.stranger.pair.cert}, 2, refused),
            ("another name", {"host": ANOTHER_NAME}, 2, (*refused, "mismatch")),
            ("no certificate", {"ssl_cert": None, "ssl_key": None}, 2, ("Access denied",)),
            ("a file that is missing", {"ssl_ca": missing}, 2, (str(missing),)),
        ):
            answer = program.run(*self.clone_words(**other))
            found = self.refused(answer, status, *words)
            self.step(found + self.nothing_copied(), f"a clone with {what}: refused")
        self.unreadable()

    def nothing_copied(self) -> list[Problem]:
        folder = self.replica.server.datadir
        return self.expect(not folder.exists() or not any(folder.iterdir()), "something is copied")

    def unreadable(self) -> None:
        """The new server reads the files as the owner of its data directory."""
        if os.geteuid() != 0:
            self.skip("only root can give a folder to another user")
            return
        folder = self.replica.server.datadir
        os.chown(folder, NOBODY, NOBODY)
        answer = program.run(*self.clone_words())
        os.chown(folder, 0, 0)
        found = self.refused(answer, 1, "the new server's user cannot read")
        found += self.nothing_copied()
        self.step(found, "a key that the new server may not read: refused")

    def cloned(self) -> None:
        self.load.start()
        program.must(*self.clone_words())
        found = self.load.stop()
        self.replica.start(*OPTIONS, "--read-only=ON")
        self.replica.catch_up(self.primary.position())
        status = self.replica.slave_status()
        for name in ("Master_SSL_Allowed", "Master_SSL_Verify_Server_Cert"):
            found += self.expect(status[name] == "Yes", f"{name} is {status[name]}")
        found += compare(self.primary, self.replica)
        self.step(found, "a clone under load replicates by TLS, and checks the primary's name")

    def another_certificate(self) -> None:
        """Which the replica's authority has not signed: nothing is fetched, until it is back."""
        self.primary.server.stop()
        self.start_primary(self.stranger.issue("server", ADDRESS))
        self.reconnect()
        self.wait_until("the replica refuses it", lambda: "SSL" in self.reason())
        self.primary.server.stop()
        self.start_primary(self.certificate)
        self.reconnect()
        self.load.start()
        time.sleep(0.5)
        found = self.load.stop()
        self.replica.catch_up(self.primary.position())
        found += compare(self.primary, self.replica)
        self.step(found, "a primary with another certificate: refused until the right one is back")

    def reconnect(self) -> None:
        """Now, not after MASTER_CONNECT_RETRY seconds."""
        self.replica.one("STOP SLAVE")
        self.replica.one("START SLAVE")

    def reason(self) -> str:
        return str(self.replica.slave_status().get("Last_IO_Error"))

    # --- programs

    def programs(self) -> None:
        """By an option file, and the same on the command line."""
        found: list[Problem] = []
        for name, words in ONCE.items():
            for options in (["--defaults-file", str(self.file())], self.on_command_line()):
                done = self.run_one(name, words, options)
                good = done.returncode in (0, 1) and done.stdout.startswith("{")
                found += self.expect(good, f"basalt-{name} {options}: {done.stderr}")
        found += self.console()
        found += self.let_in_by_tls_alone()
        self.step(found, "basalt-top, basalt-migrate and basalt-console connect with a certificate")
        found = []
        for name, words in (*ONCE.items(), ("console", ("--listen=0",))):
            for other, said in self.wrong():
                done = self.run_one(name, words, self.on_command_line(**other))
                lines = done.stderr.strip().splitlines()
                one = done.returncode == 2 and len(lines) == 1 and said in lines[0]
                found += self.expect(one, f"basalt-{name} {other}: {done.returncode} {done.stderr}")
        self.step(found, "with another authority, name, or no certificate: one sentence, status 2")

    def let_in_by_tls_alone(self) -> list[Problem]:
        """The account that was refused without it. The server says no more than 'Access denied'."""
        options = ["--no-defaults", f"--host={ADDRESS}", f"--port={self.primary.server.port}"]
        options += [f"--user={PLAIN}", f"--password={PASSWORD}"]
        bare = self.run_one("top", ONCE["top"], options)
        secured = self.run_one("top", ONCE["top"], [*options, "--ssl"])
        found = self.expect("Access denied" in bare.stderr, f"without TLS: {bare.stderr}")
        return found + self.expect(secured.stdout.startswith("{"), f"by --ssl: {secured.stderr}")

    def wrong(self) -> Iterator[tuple[dict, str]]:
        yield {"ssl_ca": self.stranger.pair.cert}, "no connection: the server's certificate is"
        yield {"host": ANOTHER_NAME}, "mismatch"
        yield {"ssl_cert": None, "ssl_key": None}, "no connection: Access denied"

    def file(self, node: Node | None = None) -> Path:
        """For an administrator, of the primary or another server."""
        file = self.folder / "dba.cnf"
        port = (node or self.primary).server.port
        lines = [f"host={ADDRESS}", f"port={port}", f"user={ADMIN}"]
        lines += ["password=secret", *(f"{name}={value}" for name, value in self.tls().items())]
        file.write_text("\n".join(["[client]", *lines, ""]))
        return file

    def on_command_line(self, host: str = ADDRESS, **other: str | Path | None) -> list[str]:
        where = ["--no-defaults", f"--host={host}", f"--port={self.primary.server.port}"]
        given = self.tls(**other)
        given.pop("ssl-verify-server-cert")
        tls = [f"--{name}={value}" for name, value in given.items() if value]
        return [*where, f"--user={ADMIN}", "--password=secret", *tls, "--ssl-verify-server-cert"]

    def command(self, name: str, words: tuple[str, ...], options: list[str]) -> list[str]:
        path = paths.ROOT / "programs" / name / f"basalt-{name}"
        return [program.PYTHON, str(path), *words, *options]

    def run_one(self, name: str, words: tuple[str, ...], options: list[str]):
        return subprocess.run(
            self.command(name, words, options),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=WAIT_SECONDS,
            env=program.environment(),
        )

    def console(self) -> list[Problem]:
        """It looks once before it prints its address."""
        words = self.command("console", ("--listen=0", "--json"), self.on_command_line())
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=program.environment()
        )
        line = process.stdout.readline()
        process.terminate()
        said = process.communicate()[1].decode()
        served = line and json.loads(line)["server"] == f"{ADDRESS}:{self.primary.server.port}"
        return self.expect(bool(served) and process.returncode == 0, f"basalt-console: {said}")

    def backed_up(self) -> None:
        """mariabackup goes by the socket, where the account must show its certificate as well."""
        repository = self.folder / "repository"
        made = program.must("backup", repository, "--defaults-file", self.file(), "--json").json()
        verified = program.run("verify", repository)
        found = self.expect(bool(made["id"]) and verified.status == 0, verified.said)
        wrong = program.run(
            "backup", repository, *self.on_command_line(ssl_cert=None, ssl_key=None)
        )
        found += self.refused(wrong, 2, "no connection to the server: Access denied")
        self.step(found, "a backup by an account that must show a certificate")
        self.through_a_pipe(repository, made["id"])

    def replica_backed_up(self) -> None:
        """Its account is the primary's, and it demands the same. What it has replicated is its
        position."""
        self.replica.server.stop()
        self.replica.start(*OPTIONS, "--read-only=ON", *self.demanding(self.certificate))
        self.replica.catch_up(self.primary.position())
        repository = self.folder / "of-the-replica"
        words = ["backup", repository, "--json", "--defaults-file", self.file(self.replica)]
        made = program.must(*words).json()
        position, expected = made["position"]["replicated"], self.primary.position()
        found = self.expect(position == expected, f"it is at {position}, not at {expected}")
        node = Node(self.folder / "restored", 9, self.engine, binlog=True)
        program.must("restore", repository, node.server.datadir)
        self.nodes.append(node)
        node.start(*OPTIONS)
        found += compare(self.primary, node)
        self.step(found, "a backup of a replica that demands TLS: restored, and as its primary")

    def through_a_pipe(self, repository: Path, base: str) -> None:
        known = self.folder / "known"
        known.write_bytes(program.must("known", repository).output)
        words = ["stream", "--defaults-file", self.file(), "--known", known]
        stream = program.must(*words)
        made = program.must("receive", repository, "--json", data=stream.output).json()
        self.step(self.expect(made["base"] == base, f"{made}"), "and an increment through a pipe")
