# SPDX-License-Identifier: GPL-2.0-only
"""What the benchmarks that end in a Report share: options, servers that take turns, output.

Such a program defines NAME, TITLE, HELP, SIZES, ENGINES (in order) and measure(bench) -> Report.
It may define add_options(parser), for what is no size. One whose options are those of limits.py
calls contender.limit() where the measured time begins; settle() lifts the limits.
"""

import contextlib
import json
import shutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.report import Report

ENGINES = ("rocksdb", "myrocks", "innodb")
# stock MyRocks refuses statements of more than 1,048,576 rows unless it is told to lock more
MANY_LOCKS = ("myrocks", f"--rocksdb-max-row-locks={2**30}")


@dataclass(frozen=True)
class Size:
    """One thing that decides how long a benchmark takes: its value for --quick and for --full. A
    tuple is given as numbers with commas on the command line."""

    quick: int | float | tuple
    full: int | float | tuple
    help: str


def add_arguments(parser, program) -> None:
    """The options of a program: its sizes, and those that all have."""
    from bench.contenders import add_plugin_option, add_server_option

    scale = parser.add_mutually_exclusive_group()
    scale.add_argument("--quick", action="store_true", help="minutes (default)")
    scale.add_argument("--full", action="store_true", help="hours")
    for name, size in program.SIZES.items():
        text = f"{size.help} (quick {shown(size.quick)}, full {shown(size.full)})"
        kind = numbers if isinstance(size.quick, tuple) else type(size.quick)
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar="N", help=text)
    if hasattr(program, "add_options"):
        program.add_options(parser)
    parser.add_argument("--engines", default=",".join(program.ENGINES), metavar="A,B,...")
    add_plugin_option(parser)
    add_server_option(parser)
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder of the report")


def add_hours_option(parser) -> None:
    parser.add_argument(
        "--hours",
        type=int,
        default=0,
        metavar="N",
        help="a long run: N turns of an hour each of every engine, one after the other",
    )


def add_malloc_option(parser) -> None:
    """The argument that settings_of() reads."""
    parser.add_argument(
        "--malloc",
        type=Path,
        metavar="FILE",
        help="the servers' allocator: a library that is preloaded, like libjemalloc.so.2",
    )


def malloc_of(args) -> Path | None:
    """DevError for a file that is not there: the loader would only warn."""
    from tools.errors import DevError

    file = getattr(args, "malloc", None)
    if file is not None and not file.is_file():
        raise DevError(f"--malloc {file}: no such file")
    return file


def add_binlog_options(parser) -> None:
    """The arguments that settings_of() and binlog_shown() read."""
    parser.add_argument(
        "--binlog", choices=("on", "off"), default="on", help="the servers' binary logs"
    )
    parser.add_argument("--sync-binlog", type=int, default=0, metavar="N", help="as the server's")


def binlog_shown(args) -> str:
    """In words."""
    if args.binlog == "off":
        return "no binary log"
    return f"binary log, sync_binlog={args.sync_binlog}"


def shown(value) -> str:
    return ",".join(str(v) for v in value) if isinstance(value, tuple) else str(value)


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


def sizes_of(args, program) -> dict:
    """What was asked for, else what the scale says."""
    found = {}
    for name, size in program.SIZES.items():
        asked = getattr(args, name, None)
        found[name] = asked if asked is not None else size.full if args.full else size.quick
    return found


def engines_of(args, program) -> list[str]:
    """The contenders in order. DevError for one that the program does not have."""
    from bench.contenders import with_plugins
    from tools.errors import DevError

    engines = [name.strip() for name in args.engines.split(",") if name.strip()]
    unknown = [name for name in engines if name not in program.ENGINES]
    if unknown or not engines:
        raise DevError(f"no engine {unknown}; there are {', '.join(program.ENGINES)}")
    return with_plugins(engines, args)


def settings_of(args, memory_bytes: int, **more):
    from bench.contenders import Settings, extra_of, plugins_of

    extra = (MANY_LOCKS, *extra_of(args))
    return Settings(
        memory_bytes,
        extra=extra,
        direct=True,
        plugins=plugins_of(args),
        sync_binlog=getattr(args, "sync_binlog", 0),
        binlog=getattr(args, "binlog", "on") == "on",
        malloc=malloc_of(args),
        **more,
    )


class Bench:
    """One run of one program. Servers that it starts are stopped by close()."""

    def __init__(self, program, args, folder: Path):
        self.program, self.args, self.folder = program, args, folder
        self.size = sizes_of(args, program)
        self.engines = engines_of(args, program)
        self.contenders: list = []
        self.facts: dict[str, str] = {}  # versions and options of the servers
        self.lost: set[str] = set()  # engines that failed; each() and rounds() pass them over
        self._stack = contextlib.ExitStack()
        self._started = time.monotonic()

    def say(self, message: str) -> None:
        passed = time.monotonic() - self._started
        print(f"{self.program.NAME} {passed:6.0f} s: {message}", flush=True)

    def report(self, size: str) -> Report:
        """An empty one; `size` in words."""
        return Report(self.program.NAME, self.program.TITLE, size, list(self.engines))

    def start(self, memory_bytes: int, **more) -> list:
        """A server for each engine; all are paused."""
        from bench import limits
        from bench.contenders import Contender
        from bench.results import server_facts

        self.folder.mkdir(parents=True, exist_ok=True)
        if self._stack.enter_context(limits.disk(self.args, self.folder)):
            self.facts["disk"] = "a volume with ext4 (bench/volume.py)"
        settings = settings_of(self.args, memory_bytes, **more)
        for engine in self.engines:
            contender = Contender(engine, self.folder, settings)
            self.contenders.append(self._stack.enter_context(contender))
            # InnoDB's system tablespace would count for more than a small run's tables
            contender.empty_bytes = contender.disk_bytes()
            known = server_facts(contender)
            self.facts |= {f"{contender.title}: {name}": text for name, text in known.items()}
            contender.pause()
        return self.contenders

    def each(self, action: Callable, what: str) -> dict:
        """engine -> action(contender), one after the other, each alone on the machine; says who
        does what. Without those that are lost."""
        found = {}
        for contender in self.present():
            self.say(f"{contender.title}: {what}")
            found[contender.engine] = contender.while_running(action)
        return self.kept(found)

    def rounds(self, number: int, action: Callable) -> dict[str, list]:
        """engine -> what action(contender, round) returned, interleaved A B C A B C."""
        found: dict[str, list] = {c.engine: [] for c in self.present()}
        for n in range(1, number + 1):
            for contender in self.present():
                found[contender.engine].append(
                    contender.while_running(lambda c, n=n: action(c, n))
                )  # fmt: skip
        return self.kept(found)

    def present(self) -> list:
        return [contender for contender in self.contenders if contender.engine not in self.lost]

    def kept(self, found: dict) -> dict:
        return {engine: one for engine, one in found.items() if engine not in self.lost}

    def tolerant(self, report: Report, label: str, action: Callable) -> Callable:
        """The action, with which a contender that fails is lost: it is named among the failures,
        gets a server again, and the others go on."""
        from tools.errors import DevError

        def tried(contender, *more):
            try:
                return action(contender, *more)
            except DevError as error:
                why = contender.revive()
                text = f"{contender.engine}, {label}: {why or error}"
                report.failures.append(text)
                self.say(f"failed: {text}")
                self.lost.add(contender.engine)
                return None

        return tried

    def close(self) -> None:
        self._stack.close()
        self.contenders.clear()


def measured(program, args, folder: Path) -> Report:
    """Runs a program with its servers in `folder`, which is removed. Its Report."""
    from bench.results import machine

    bench = Bench(program, args, folder)
    started = time.monotonic()
    try:
        report = program.measure(bench)
    finally:
        bench.close()
        shutil.rmtree(folder, ignore_errors=True)
    report.seconds = time.monotonic() - started
    report.facts = {
        **machine(),
        "command": "./dev bench " + " ".join(sys.argv[2:]),
        **bench.facts,
        **report.facts,
    }
    return report


def run(program, args) -> int:
    """The whole of `./dev bench NAME`."""
    from tools import build, paths

    if "rocksdb" in engines_of(args, program):
        build.build()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the stopped servers must go on
    stamp = time.strftime(f"{program.NAME}-%Y%m%d-%H%M%S")
    output = args.output or paths.build_root() / "bench" / stamp
    report = measured(program, args, (paths.scratch() / f"bench-{stamp}").absolute())
    return publish([report], output)


def write(reports: list[Report], output: Path, raw=None) -> None:
    """The page and the JSON file, which holds `raw` where a program keeps more than its Report;
    the measured seconds, where there are some."""
    from bench import page, seconds

    output.mkdir(parents=True, exist_ok=True)
    plain = [report.as_json() for report in reports] if raw is None else raw
    (output / "results.json").write_text(json.dumps(plain, indent=1))
    (output / "report.html").write_text(page.page(reports))
    lines = [line for report in reports for line in report.seconds_measured]
    if lines:
        (output / "seconds.csv").write_text(seconds.table_text(lines))


def publish(reports: list[Report], output: Path, raw=None) -> int:
    """The tables on the screen, the page and the JSON file; the exit status."""
    from bench import screen

    write(reports, output, raw)
    for report in reports:
        screen.print_report(report)
    print(f"raw numbers: {output / 'results.json'}\nreport: {output / 'report.html'}")
    return 1 if any(report.failures for report in reports) else 0
