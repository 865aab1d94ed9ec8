# SPDX-License-Identifier: GPL-2.0-only
"""The servers of a benchmark: one an engine, with equal memory and the same durability.

Memory: rocksdb_block_cache_size = innodb_buffer_pool_size. The memtables of Basalt are a part of
it, those of MyRocks come on top, as InnoDB's log buffer does; so does, for those engines, the
kernel's page cache, unless they are asked for O_DIRECT, which InnoDB uses by itself.
Durability: binary log on, row format; each engine syncs its own log at every commit unless asked
otherwise (rocksdb_flush_log_at_trx_commit = innodb_flush_log_at_trx_commit = 1; with 2 it writes at
every commit and syncs once a second); sync_binlog as asked.
Everything else is the default, but for a redo log of 1 GiB, with which InnoDB is at its best.

Limits, where asked for: a control group for each server (bench/cgroup.py), all with the same.

--also-plugin adds contenders that are Basalt with another plugin file: before and after a change.

While one server is measured the others are stopped (SIGSTOP), so that none disturbs. What an
engine owes after writing (flushes, compactions, dirty pages) it pays in settle(), measured too.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bench import cgroup, disk_counter, engine_counters, limits, process_usage, sysbench_tool
from bench.cgroup import Limits
from bench.client_threads import ClientThreads
from bench.figure import MINE
from bench.process_usage import Usage
from bench.sysbench_tool import DATABASE, Load
from tools import build
from tools.errors import DevError
from tools.server import PrivateServer

# the last three: ROW_FORMAT=COMPRESSED with pages of 8k and 4k, PAGE_COMPRESSED=1
TITLES = {
    "rocksdb": "Basalt",
    "myrocks": "MyRocks",
    "innodb": "InnoDB",
    "innodb-8k": "InnoDB 8k",
    "innodb-4k": "InnoDB 4k",
    "innodb-page": "InnoDB page",
}
# InnoDB's ways to compress: what each adds to CREATE TABLE
TABLE_OPTIONS = {
    "innodb-8k": "ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8",
    "innodb-4k": "ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=4",
    "innodb-page": "PAGE_COMPRESSED=1",
}
PLUGIN = "ha_rocksdb.so"
# of a contender with another plugin file: a part of file names, and of ids in the page
PLUGIN_NAME = re.compile(r"[A-Za-z0-9_]+")
SETTLE_TIMEOUT = 180.0
# so long files of what was dropped may stay because of readers that were there before
SECONDS_TO_SHRINK = 6.0
# InnoDB's own background work makes a page dirty now and then
FEW_PAGES = 20
ROCKSDB_FOLDERS = ("#rocksdb", ".rocksdb")


@dataclass(frozen=True)
class Settings:
    """Equal for all servers. `extra`: (engine, option) pairs, added at the end. `plugins`:
    (contender, plugin file) pairs. `direct`: O_DIRECT also for the RocksDB engines, unless
    `buffered_reads` leaves them their defaults. `limits`: what Contender.limit() puts into
    force. `flush_log`: with 1 an engine syncs its log at every commit, with 2 it writes it then
    and syncs it once a second. `malloc`: a library that replaces the C library's allocator."""

    memory_bytes: int
    sync_binlog: int = 0
    extra: tuple[tuple[str, str], ...] = ()
    direct: bool = False
    plugins: tuple[tuple[str, Path], ...] = ()
    buffered_reads: bool = False
    limits: Limits | None = None
    flush_log: int = 1
    binlog: bool = True
    malloc: Path | None = None

    def __post_init__(self):
        limits.check(self.limits, self.memory_bytes)


def add_server_option(parser) -> None:
    """The argument that extra_of() reads."""
    parser.add_argument(
        "--server-option",
        action="append",
        default=[],
        metavar="ENGINE:--OPTION",
        help="for one engine's server; may be repeated",
    )


def extra_of(args) -> tuple[tuple[str, str], ...]:
    """For Settings. DevError for what is not ENGINE:--OPTION."""
    for option in args.server_option:
        if ":--" not in option:
            raise DevError(f"--server-option {option}: not ENGINE:--OPTION")
    return tuple(tuple(option.split(":", 1)) for option in args.server_option)


def add_plugin_option(parser) -> None:
    """The argument that plugins_of() reads."""
    parser.add_argument(
        "--also-plugin",
        action="append",
        default=[],
        metavar="PATH[=NAME]",
        help="one contender more: Basalt with this plugin file; may be repeated (default name: "
        "before)",
    )


def plugins_of(args) -> tuple[tuple[str, Path], ...]:
    """(contender, plugin file) pairs, for Settings. The file may be given by its folder. DevError
    for a file that is not there, and for a name that is no word or is given twice."""
    found: dict[str, Path] = {}
    for text in args.also_plugin:
        path, _, name = text.partition("=")
        file = Path(path).absolute()
        file = file / PLUGIN if file.is_dir() else file
        contender = f"{MINE}-{name or 'before'}"
        if not file.is_file():
            raise DevError(f"--also-plugin {text}: no file {file}")
        if name and not PLUGIN_NAME.fullmatch(name):
            raise DevError(f"--also-plugin {text}: a name is made of letters and digits")
        if contender in found:
            raise DevError(f"--also-plugin {text}: two have this name; give others by =NAME")
        found[contender] = file
    return tuple(found.items())


def with_plugins(engines: list[str], args) -> list[str]:
    """The contenders in order: those with another plugin file follow Basalt, or begin."""
    place = engines.index(MINE) + 1 if MINE in engines else 0
    return engines[:place] + [name for name, _ in plugins_of(args)] + engines[place:]


def base_of(engine: str) -> str:
    """The server of a contender: 'innodb' for InnoDB's ways to compress, 'rocksdb' for Basalt with
    another plugin file."""
    return engine.partition("-")[0]


def title_of(engine: str) -> str:
    """The contender's name in tables: 'Basalt before' for 'rocksdb-before'."""
    base, _, name = engine.partition("-")
    return TITLES.get(engine) or (f"{TITLES[base]} {name}" if base in TITLES else engine)


def server_options(engine: str, settings: Settings) -> list[str]:
    """The options of an engine's server, beyond those of every private server."""
    options = ["--server-id=1", "--skip-name-resolve"]
    if settings.binlog:
        options += [
            "--log-bin=binlog",
            "--binlog-format=ROW",
            f"--sync-binlog={settings.sync_binlog}",
        ]
    if base_of(engine) == "innodb":
        options += [
            f"--innodb-buffer-pool-size={settings.memory_bytes}",
            f"--innodb-log-file-size={2**30}",
            f"--innodb-flush-log-at-trx-commit={settings.flush_log}",
        ]
    else:
        options += [
            f"--rocksdb-block-cache-size={settings.memory_bytes}",
            f"--rocksdb-flush-log-at-trx-commit={settings.flush_log}",
        ]
        if settings.direct and not settings.buffered_reads:
            options.append("--rocksdb-use-direct-io-for-flush-and-compaction=ON")
            options.append("--rocksdb-use-direct-reads=ON")
    return options + [option for name, option in settings.extra if name == engine]


class Contender:
    """One engine's server. Use as a context: it is continued and stopped at the end."""

    def __init__(self, engine: str, folder: Path, settings: Settings):
        self.engine = engine
        self.title = title_of(engine)
        self.folder = folder
        self.settings = settings
        options = server_options(engine, settings)
        preload = {"LD_PRELOAD": str(settings.malloc.absolute())} if settings.malloc else {}
        self.server = PrivateServer(
            folder / engine,
            base_of(engine),
            options,
            plugin_dir=self._plugin_dir(),
            environment=preload,
        )
        self._paused = False
        self._group: cgroup.Group | None = None
        self._killed = 0
        self._clients = ClientThreads()
        self.empty_bytes = 0  # what disk_bytes() leaves out

    def _plugin_dir(self) -> Path | None:
        """The folder with a copy of its plugin file, so that a build meanwhile does not change it;
        None for the plugin that the engine has by itself."""
        plugin = dict(self.settings.plugins).get(self.engine)
        if plugin is None:
            return None
        folder = self.folder / f"{self.engine}.plugin"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(plugin, folder / PLUGIN)
        build.link_debian_plugins(folder)
        return folder

    def __enter__(self) -> "Contender":
        if self.settings.limits:
            name = f"basalt-bench-{os.getpid()}-{self.engine}"
            self._group = cgroup.new_group(name, self.folder)
            self.server.wrapper = self._group.command()
        try:
            self.server.start()
        except BaseException:
            self._remove_group()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.resume()
        try:
            self.lift()
            self.server.stop()
        except DevError as error:  # it is killed then; the numbers measured so far stay good
            print(f"bench: {self.title}: {error}", flush=True)
        finally:
            self._remove_group()

    def _remove_group(self) -> None:
        if self._group:
            self._group.remove()

    @property
    def storage_engine(self) -> str:
        return "innodb" if base_of(self.engine) == "innodb" else "rocksdb"

    @property
    def table_options(self) -> str:
        """What CREATE TABLE says after the columns."""
        return f"ENGINE={self.storage_engine} {TABLE_OPTIONS.get(self.engine, '')}".strip()

    def restart(
        self,
        memory_bytes: int,
        limits: Limits | None = None,
        copy: Path | None = None,
        *,
        limited: bool = False,
    ) -> None:
        """A clean stop, and a start with another size of cache or buffer pool, of `copy` with the
        data that save() has put there; without limits until limit(), which puts `limits` into
        force if the servers have groups at all. `limited`: they are in force before the start."""
        self.resume()
        self.lift()
        self.server.stop()
        if copy is not None:
            copy_data(copy, self.server.datadir)
        self.settings = replace(
            self.settings, memory_bytes=memory_bytes, limits=limits or self.settings.limits
        )
        self.server.options = server_options(self.engine, self.settings)
        if limited:
            self.limit()
        self.server.start()

    def save(self, copy: Path) -> None:
        """Copies the data directory between a clean stop and a start."""
        self.resume()
        self.lift()
        self.server.stop()
        copy_data(self.server.datadir, copy)
        self.server.start()

    def revive(self) -> str:
        """After something went wrong: a server that lives, without limits. Says why it had died,
        if it had; else nothing."""
        self.resume()
        self.lift()
        if self.server.running():
            return ""
        why = self._why_dead()
        self._killed = self._group.killed() if self._group else 0
        self.server.start()
        return why

    def _why_dead(self) -> str:
        """Also of want of memory: a control group counts for as long as it lives."""
        killed = self._group and self._group.killed() > self._killed
        return f"the server of {self.title} died{' for want of memory' if killed else ''}"

    def limit(self) -> None:
        """Puts the limits of the settings into force, if there are any. The page cache is emptied
        of the server's files before: what it held without a limit would be there for nothing."""
        if self._group and self.settings.limits:
            self._forget_page_cache()
            self._group.limit(self.settings.limits)

    def lift(self) -> None:
        """Until limit() the server has all memory and the whole disk: loading, settling and
        stopping are no part of what is measured, and would take hours."""
        if self._group:
            self._group.limit(Limits())

    def _forget_page_cache(self) -> None:
        os.sync()  # only what is on the disk can be forgotten
        for file in self.server.datadir.rglob("*"):
            # the server may remove one at any time
            with contextlib.suppress(FileNotFoundError):
                if file.is_file():
                    forget(file)

    def group_bytes(self) -> int:
        """Memory of the server and its page cache, under limits; else 0."""
        return self._group.memory_bytes() if self._group else 0

    def new_database(self) -> None:
        self.server.sql(f"DROP DATABASE IF EXISTS {DATABASE}; CREATE DATABASE {DATABASE}")

    def pause(self) -> None:
        """Stops all threads of the server until resume()."""
        if not self._paused and self.server.pid:
            os.kill(self.server.pid, signal.SIGSTOP)
            self._paused = True

    def resume(self) -> None:
        if self._paused and self.server.pid:
            os.kill(self.server.pid, signal.SIGCONT)
        self._paused = False

    def while_running(self, action):
        """action(self) with the server continued for its time; returns its result."""
        self.resume()
        try:
            return action(self)
        finally:
            self.pause()

    def usage(self) -> Usage:
        """With all that was written on its disk, also what the kernel would write later."""
        os.sync()
        return self.usage_so_far()

    def usage_so_far(self) -> Usage:
        """What was written, and in how many operations: by the disk's own count, as nobody else
        works meanwhile; where there is none, what was written is the process's count."""
        if self.server.pid is None:
            raise DevError(f"{self._why_dead()}\n{self.server.log_tail()}")
        if self._group:  # at once before the process, so that the difference is right
            self._clients.look(self.server)
        used = process_usage.read(self.server.pid)
        if self._group:
            used = self._with_traffic(used)
        disk = disk_counter.count(self.server.datadir)
        if disk is None:
            return used
        return replace(used, written_bytes=disk.written_bytes, disk_operations=disk.operations)

    def _with_traffic(self, used: Usage) -> Usage:
        found, clients = self._group.traffic(), self._clients.total
        return replace(
            used,
            background_read_bytes=used.read_bytes - clients.read_bytes,
            background_written_bytes=used.written_bytes - clients.written_bytes,
            background_calls=used.calls - clients.calls,
            device_reads=found.reads,
            device_writes=found.writes,
            device_read_bytes=found.read_bytes,
            device_written_bytes=found.written_bytes,
        )

    def counters(self) -> dict[str, int]:
        """What the engine counts itself (engine_counters.py), for servers under limits."""
        return engine_counters.read(self.server) if self._group else {}

    @property
    def marker(self) -> Path:
        """Says with which load the data directory was prepared, so that it can be used again."""
        return self.folder / f"{self.engine}.prepared.json"

    def prepare(self, load: Load) -> dict:
        """Fills the tables unless they are there from an earlier run; returns what it took:
        seconds, cpu_seconds, written_bytes, disk_bytes. Ends with everything on disk and the
        caches warm."""
        wanted = {"tables": load.tables, "rows": load.rows}
        known = json.loads(self.marker.read_text()) if self.marker.is_file() else {}
        there = (self.server.datadir / DATABASE).is_dir()
        if not there or {name: known.get(name) for name in wanted} != wanted:
            self.marker.unlink(missing_ok=True)
            known = {**wanted, **self._fill(load)}
            self.marker.write_text(json.dumps(known))
        self.warm(load)
        return known

    def _fill(self, load: Load) -> dict:
        self.new_database()
        before, started = self.usage(), time.monotonic()
        sysbench_tool.prepare(self.server.socket, self.storage_engine, load)
        seconds = time.monotonic() - started
        self.settle()
        used = asdict(self.usage() - before)
        names = ", ".join(f"{DATABASE}.sbtest{n}" for n in range(1, load.tables + 1))
        self.server.sql(f"ANALYZE TABLE {names}")
        return {"seconds": seconds, **used, "disk_bytes": self.disk_bytes()}

    def warm(self, load: Load) -> None:
        """Reads every row by the primary key and every entry of the secondary index."""
        for n in range(1, load.tables + 1):
            table = f"{DATABASE}.sbtest{n}"
            self.server.sql(
                f"SELECT SUM(LENGTH(c)) FROM {table} FORCE INDEX (PRIMARY); "
                f"SELECT SUM(k) FROM {table} FORCE INDEX (k_{n})"
            )

    def settle(self, keep_binlog: bool = False) -> Usage:
        """Lifts the limits, lets the engine write what it owes, waits until it rests, and throws
        its binary logs away; returns what it used. So every test begins with nothing left over
        from the last."""
        self.lift()
        before = self.usage()
        if self.storage_engine == "innodb":
            self.server.sql("SET GLOBAL innodb_max_dirty_pages_pct = 0")
            self._wait_for_clean_pages()
            self.server.sql("SET GLOBAL innodb_max_dirty_pages_pct = DEFAULT")
        else:
            self.server.sql("SET GLOBAL rocksdb_force_flush_memtable_now = ON")
        process_usage.wait_until_quiet(self.server.pid, SETTLE_TIMEOUT)
        used = self.usage() - before
        if self.settings.binlog and not keep_binlog:
            self.server.sql("RESET MASTER")
        os.sync()
        return used

    def settle_compacted(self) -> None:
        """And RocksDB's files are as small as compactions make them, as they are when a table has
        been there for long: what is measured then is not what they would save."""
        self.settle()
        if self.storage_engine == "rocksdb":
            self.server.sql("SET GLOBAL rocksdb_compact_cf = 'default'")
            self.settle()

    def _wait_for_clean_pages(self) -> None:
        deadline = time.monotonic() + SETTLE_TIMEOUT
        while time.monotonic() < deadline:
            if int(self.server.status("Innodb_buffer_pool_pages_dirty") or 0) <= FEW_PAGES:
                return
            time.sleep(0.2)

    def disk_at_rest(self) -> int:
        """disk_bytes() once it has stopped shrinking."""
        least, since = self.disk_bytes(), time.monotonic()
        deadline = since + SETTLE_TIMEOUT
        while time.monotonic() < min(deadline, since + SECONDS_TO_SHRINK):
            time.sleep(0.5)
            if (now := self.disk_bytes()) < least:
                least, since = now, time.monotonic()
        return self.disk_bytes()

    def disk_bytes(self) -> int:
        """Blocks of the files that hold tables: no redo log, write-ahead log or binary log; less
        `empty_bytes`, which is what a server without tables has, if it was set."""
        data = self.server.datadir
        if self.storage_engine == "innodb":
            files = [*(data / DATABASE).glob("*.ibd"), *data.glob("ibdata*"), *data.glob("undo*")]
        else:
            folders = [data / name for name in ROCKSDB_FOLDERS]
            files = [
                f
                for folder in folders
                for kind in ("sst", "blob")
                for f in folder.glob(f"*.{kind}")
            ]
        return max(0, sum(allocated_bytes(f) for f in files) - self.empty_bytes)

    def forget_dropped(self) -> None:
        """To be called when no table is left: InnoDB's system tablespace never shrinks, so what it
        has grown by for tables that are gone must not count for the next ones."""
        if self.storage_engine == "innodb":
            self.empty_bytes += self.disk_bytes()

    def binlog_bytes(self) -> int:
        """Size of the binary logs since the last settle()."""
        return sum(f.stat().st_size for f in self.server.datadir.glob("binlog.0*"))


def copy_data(source: Path, target: Path) -> None:
    """A data directory of a stopped server in the place of another. What a server keeps beside its
    data (socket, log of errors) stays behind."""
    shutil.rmtree(target, ignore_errors=True)
    beside = shutil.ignore_patterns("server.sock", "server.pid", "error.log", "#tmp")
    shutil.copytree(source, target, symlinks=True, ignore=beside)


def forget(file: Path) -> None:
    """Takes a file's clean pages out of the page cache."""
    descriptor = os.open(file, os.O_RDONLY)
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def allocated_bytes(file: Path) -> int:
    """What a file takes on the disk; 0 when it has just been removed."""
    try:
        # st_blocks counts units of 512 bytes (man 2 stat)
        return file.stat().st_blocks * 512
    except FileNotFoundError:
        return 0
