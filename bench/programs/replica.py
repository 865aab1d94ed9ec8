# SPDX-License-Identifier: GPL-2.0-only
"""Replicas of each engine that catch up with a TPC-C source.

The source (InnoDB, enough memory, statements without an ENGINE) loads the warehouses and runs
transactions, all into its binary log. A replica keeps its position in its own engine. Each first
applies the load, then fetches the rest without applying it, and then applies that alone on the
machine, the source stopped too. At the end the replica's tables must equal the source's.

Stock MyRocks does not tell the server of its row-lock waits: replicas of several threads wait in
circles there, and give up once slave_transaction_retries are used up. Such a replica is started
again, as its operator would have to, and with one thread in the end; the time counts, and how
often it gave up is reported.
"""

import contextlib
import subprocess
import time

from pymysql.constants import ER

from bench import harness, tpcc
from bench.harness import Size
from bench.plot import Plot
from bench.report import Report
from bench.sampler import Sampler
from bench.sysbench_tool import DATABASE
from tools.errors import DevError

NAME = "replica"
TITLE = "A replica catching up"
HELP = "replicas applying a TPC-C binary log: events a second, lag over time"
ENGINES = harness.ENGINES
SIZES = {
    "warehouses": Size(1, 10, "of TPC-C"),
    "seconds": Size(20, 3600, "of TPC-C transactions on the source"),
    "threads": Size(4, 4, "client threads on the source"),
    "parallel": Size((0, 2), (0, 4), "slave_parallel_threads, one measurement for each"),
    "memory_mb": Size(128, 512, "size of the cache of a replica"),
}
SOURCE_MEMORY = 2**30
PATIENCE = 6 * 3600.0
LOCK_TIMEOUT = ER.LOCK_WAIT_TIMEOUT
# so often a replica may give up before it goes on with one thread, which nothing can block
GIVE_UPS = 3


def measure(bench) -> Report:
    size = bench.size
    report = bench.report(
        f"{size['warehouses']} warehouses, {size['seconds']} s of transactions of "
        f"{size['threads']} clients, {size['memory_mb']} MB of cache"
    )
    with Source(bench) as source:
        loaded, events = source.fill()
        bench.start(size["memory_mb"] * 2**20)
        for contender in bench.contenders:
            contender.while_running(lambda c: source.beside(c, follow, loaded))
            bench.say(f"{contender.title}: has applied the load")
        for number, parallel in enumerate(size["parallel"]):
            end, events = source.transact(number)
            bench.say(f"{events:,} events in the binary log")
            found = {}
            for contender in bench.contenders:
                contender.while_running(lambda c, e=end: source.beside(c, receive, e))
                found[contender.engine] = contender.while_running(
                    lambda c, e=end, p=parallel: apply(c, e, p)
                )
                bench.say(f"{contender.title}: {found[contender.engine]['seconds']:.1f} s")
            add(report, parallel, events, source.transactions, found)
        report.failures += source.differences(bench.contenders)
    return report


class Source:
    """The server that is replicated. A context; stopped (SIGSTOP) while it is not used."""

    def __init__(self, bench):
        from bench.contenders import Contender, Settings
        from tools.ports import free_port

        self.bench = bench
        bench.folder.mkdir(parents=True, exist_ok=True)
        settings = Settings(SOURCE_MEMORY)
        self.contender = Contender("innodb", bench.folder / "source", settings)
        self.server = self.contender.server
        self.server.port = free_port()
        self.transactions = 0
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> "Source":
        self._stack.enter_context(self.contender)
        self.server.sql(
            "CREATE USER repl@'127.0.0.1'; GRANT REPLICATION SLAVE ON *.* TO repl@'127.0.0.1'; "
            "RESET MASTER"
        )
        return self

    def __exit__(self, *_) -> None:
        self._stack.close()

    def position(self) -> str:
        return self.server.query("SELECT @@gtid_binlog_pos")[0][0]

    def fill(self) -> tuple[str, int]:
        """Loads the tables; the position after it and the number of events."""
        self.bench.say("source: loading")
        tpcc.create_and_fill(
            self.contender, self.bench.size["warehouses"], self.bench.size["threads"], ""
        )
        return self.position(), self.count_events()

    def transact(self, seed: int) -> tuple[str, int]:
        """Runs transactions; the position after them and the number of their events."""
        self.contender.resume()
        self.server.sql("FLUSH BINARY LOGS")
        turn = tpcc.run(self.contender, self.bench.size, self.bench.size["seconds"], seed)
        self.transactions = turn.run.outcome.events
        end, events = self.position(), self.count_events()
        self.contender.pause()
        return end, events

    def count_events(self) -> int:
        """Events in the newest binary log."""
        newest = sorted(self.server.datadir.glob("binlog.0*"))[-1]
        command = self.server.client_command(program="mariadb-binlog")[:1]
        command += ["--no-defaults", "--base64-output=decode-rows", str(newest)]
        reader = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        events = sum(line.startswith(b"# at ") for line in reader.stdout)
        if reader.wait() != 0:
            raise DevError(f"mariadb-binlog could not read {newest}")
        return events

    def beside(self, contender, action, *arguments):
        """action(contender, source, ...) with this server running too."""
        self.contender.resume()
        try:
            return action(contender, self, *arguments)
        finally:
            self.contender.pause()

    def differences(self, replicas: list) -> list[str]:
        """Tables of a replica that are not like the source's."""
        wanted = self.contender.while_running(checksums)
        found = []
        for contender in replicas:
            there = contender.while_running(checksums)
            found += [
                f"{contender.engine}: {name} differs from the source's"
                for name in wanted
                if wanted[name] != there.get(name)
            ]
        return found


def checksums(contender) -> dict[str, int]:
    names = ", ".join(tpcc.TABLES)
    return dict(contender.server.query(f"CHECKSUM TABLE {names}", DATABASE))


def follow(contender, source: Source, position: str) -> None:
    """Makes it a replica and applies everything up to the position. Its connection must outlast
    the time in which the source is stopped and sends nothing."""
    engine = contender.storage_engine
    contender.server.sql(
        f"ALTER TABLE mysql.gtid_slave_pos ENGINE = {engine}; "
        f"SET GLOBAL slave_net_timeout = {PATIENCE:.0f}; "
        f"SET GLOBAL server_id = {2 + harness.ENGINES.index(contender.engine)}; "
        f"CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = {source.server.port}, "
        f"MASTER_USER = 'repl', MASTER_USE_GTID = slave_pos; START SLAVE"
    )
    wait_for(contender, position)
    contender.server.sql("STOP SLAVE")
    contender.settle(keep_binlog=True)


def receive(contender, source: Source, position: str) -> None:
    """Fetches everything up to the position, and does not apply it. The thread that fetches goes
    on: were it stopped, the server would throw away what it fetched when the other starts."""
    contender.server.sql("START SLAVE IO_THREAD")
    deadline = time.monotonic() + PATIENCE
    while (found := status(contender)).get("Gtid_IO_Pos") != position:
        check(contender, deadline, found)
        time.sleep(0.1)


def apply(contender, position: str, parallel: int) -> dict:
    """Applies what was fetched: seconds, what was used, and how much was still missing when."""
    contender.server.sql(f"SET GLOBAL slave_parallel_threads = {parallel}")
    missing: list[tuple[float, float]] = []
    started, goal, given_up = time.monotonic(), sequence(position), 0
    with Sampler(contender) as sampler:
        contender.server.sql("START SLAVE SQL_THREAD")
        while True:
            left = goal - sequence(gtid(contender))
            missing.append((time.monotonic() - started, float(left)))
            if left <= 0:
                break
            found = status(contender)
            if timed_out(contender, found):
                given_up += started_again(contender, found, given_up)
            else:
                check(contender, started + PATIENCE, found)
            time.sleep(0.25)
    seconds = time.monotonic() - started
    contender.server.sql("STOP SLAVE")
    owed = contender.settle(keep_binlog=True)
    used = sampler.used + owed
    return {"seconds": seconds, "used": used, "missing": missing, "given up": given_up}


def gtid(contender) -> str:
    return contender.server.query("SELECT @@gtid_slave_pos")[0][0]


def sequence(position: str) -> int:
    """The last part of the GTID of the source's only domain; 0 for none."""
    return int(position.rpartition("-")[2] or 0)


def status(contender) -> dict:
    import pymysql.cursors

    with contender.server.connect(cursorclass=pymysql.cursors.DictCursor) as link:
        with link.cursor() as cursor:
            cursor.execute("SHOW SLAVE STATUS")
            return cursor.fetchone() or {}


def check(contender, deadline: float, found: dict) -> None:
    """DevError when replication has stopped with an error or takes too long."""
    for name in ("Last_SQL_Error", "Last_IO_Error"):
        if found.get(name):
            raise DevError(f"{contender.title}: {found[name]}")
    if time.monotonic() > deadline:
        raise DevError(f"{contender.title}: the replica does not catch up")


def timed_out(contender, found: dict) -> bool:
    """Whether the thread that applies has met a timeout of a lock; Basalt and InnoDB tell the
    server of their waits, so that for them this is an error like any other."""
    number = int(found.get("Last_SQL_Errno") or 0)
    return contender.engine == "myrocks" and number == LOCK_TIMEOUT


def started_again(contender, found: dict, before: int) -> int:
    """Starts the thread that applies if it has ended; 1 if it had, 0 while it is ending.
    `before`: how often this has happened."""
    if found["Slave_SQL_Running"] != "No":
        return 0
    if before + 1 >= GIVE_UPS:
        contender.server.sql("SET GLOBAL slave_parallel_threads = 0")
    contender.server.sql("START SLAVE SQL_THREAD")
    return 1


def wait_for(contender, position: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while sequence(gtid(contender)) < sequence(position):
        check(contender, deadline, status(contender))
        time.sleep(0.2)


def add(report: Report, parallel: int, events: int, transactions: int, found: dict) -> None:
    """The figures and the plot of one number of threads."""
    label = f"{parallel} parallel threads: "

    def values(value) -> dict:
        return {engine: value(one) for engine, one in found.items()}

    report.add(label + "events", "1/s", values(lambda f: events / f["seconds"]))
    report.add(label + "transactions", "1/s", values(lambda f: transactions / f["seconds"]))
    report.add(
        label + "caught up in", "s", values(lambda f: f["seconds"]), False
    )  # fmt: skip
    report.add(label + "CPU a transaction", "ms",
               values(lambda f: f["used"].cpu_seconds * 1e3 / transactions), False)  # fmt: skip
    report.add(label + "written a transaction", "KB",
               values(lambda f: f["used"].written_bytes / 1e3 / transactions), False)  # fmt: skip
    report.add(label + "given up waiting for locks", "", values(lambda f: f["given up"]), False)
    title = f"{label}transactions still to be applied"
    report.plots.append(Plot(title, "seconds", "transactions", values(lambda f: f["missing"])))
