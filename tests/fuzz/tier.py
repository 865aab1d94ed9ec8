# SPDX-License-Identifier: GPL-2.0-only
"""Decoders and parsers against made-up bytes: libFuzzer programs under ASan and UBSan, tests/fuzz.

    ./dev test fuzz                                 the corpus, then a few seconds a target
    ./dev test fuzz --filter codec --seconds 600    longer, some targets
    ./dev test fuzz --filter codec_rows --input F   one input again
    ./dev test fuzz --rewrite --seconds 60          keeps what reaches new code in the corpus

A target that crashes, hangs, or finds a property that does not hold keeps its input; the failure
prints the command that repeats it.
"""

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.kit.tier_result import TierResult
from tools import build, paths
from tools.errors import DevError

SOURCES = paths.ROOT / "tests" / "fuzz"
CORPUS = SOURCES / "corpus"
SHORT_SECONDS = 8
LONG_SECONDS = 300
HELP = (
    "decoders against made-up bytes (libFuzzer, ASan, UBSan),"
    f" {SHORT_SECONDS} s a target, --long {LONG_SECONDS}"
)
# an input that needs longer than this hangs, whatever else the machine does
HANG_SECONDS = 25
MEMORY_MIB = 2048
LONGEST_INPUT = 2048
RUNS = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
ENVIRONMENT = {
    # RocksDB and GoogleTest are not instrumented, which the container checks take for an error
    "ASAN_OPTIONS": "detect_container_overflow=0:detect_odr_violation=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def add_arguments(group) -> None:
    group.add_argument("--input", help="runs one kept input again; --filter names the target")


def run(args) -> TierResult:
    result = TierResult("fuzz", 0, 0, repeat_command="./dev test fuzz")
    names = [n for n in targets() if not args.filter or args.filter in n]
    if not names:
        raise DevError(f"no fuzz target matches '{args.filter}'; there are {', '.join(targets())}")
    build.build(plugin=False, variant="fuzz")
    chosen = [Target(name, args.seed) for name in names]
    with ThreadPoolExecutor(os.cpu_count()) as executor:  # each program is one busy thread
        problems = executor.map(lambda target: attempt(target, args), chosen)
        for target, problem in zip(chosen, problems, strict=True):
            count(result, target, problem)
    return result


def attempt(target: "Target", args) -> str:
    """What is wrong, or ''."""
    if args.input:
        return target.repeat(Path(args.input))
    if args.rewrite:
        return target.grow(seconds(args))
    return target.search(seconds(args))


def targets() -> list[str]:
    return sorted(p.name.removesuffix("_fuzz.cc") for p in SOURCES.glob("*_fuzz.cc"))


def seconds(args) -> int:
    """For each target, whole ones, as libFuzzer counts; 0 would mean without end."""
    if args.seconds is None:
        return LONG_SECONDS if args.long else SHORT_SECONDS
    return max(1, round(args.seconds))


def count(result: TierResult, target: "Target", problem: str) -> None:
    if not problem:
        result.passed += 1
        print(f"   {target.name}: {target.runs} inputs")
        return
    result.failed += 1
    result.failures.append(f"{target.name}: {problem}")
    if target.kept:
        result.repeat_command = f"./dev test fuzz --filter {target.name} --input {target.kept}"
    print(f"   {target.name}: FAILED: {problem}\n{target.output[-4000:]}")


class Target:
    """One libFuzzer program with its corpus. The functions return what is wrong, or ''."""

    def __init__(self, name: str, seed: int | None):
        self.name = name
        self.seed = seed
        self.program = paths.build_dir("fuzz") / "fuzz" / f"{name}_fuzz"
        self.corpus = CORPUS / name
        self.folder = paths.scratch() / "fuzz" / name
        self.runs = 0
        self.output = ""
        self.kept: Path | None = None

    def search(self, seconds: int) -> str:
        """The corpus, then new inputs. What reaches new code stays in the scratch folder and is
        tried again by the next run."""
        found = self.folder / "found"
        found.mkdir(parents=True, exist_ok=True)
        return self.call([f"-max_total_time={seconds}", str(found), str(self.corpus)])

    def repeat(self, file: Path) -> str:
        if not file.is_file():
            raise DevError(f"there is no file {file}")
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.call(["-runs=1", str(file)])

    def grow(self, seconds: int) -> str:
        """Searches, then makes the smallest corpus that reaches what the old one and the new inputs
        reach together."""
        problem = self.search(seconds)
        if problem:
            return problem
        merged = self.folder / "merged"
        shutil.rmtree(merged, ignore_errors=True)
        merged.mkdir()
        # -use_counters=0: an input is worth keeping for code, not for how often it passes there
        inputs = [str(merged), str(self.corpus), str(self.folder / "found")]
        problem = self.call(["-merge=1", "-use_counters=0", *inputs])
        if not problem:
            shutil.rmtree(self.corpus, ignore_errors=True)
            shutil.copytree(merged, self.corpus)
        return problem

    def call(self, arguments: list[str]) -> str:
        """Runs the program from its own folder, where it leaves inputs that fail."""
        before = set(self.folder.glob("*-*"))
        command = [
            str(self.program),
            f"-artifact_prefix={self.folder}/",
            f"-max_len={LONGEST_INPUT}",
            f"-timeout={HANG_SECONDS}",
            f"-rss_limit_mb={MEMORY_MIB}",
            "-print_final_stats=1",
            *([f"-seed={self.seed}"] if self.seed else []),
            *arguments,
        ]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            env=os.environ | ENVIRONMENT,
            cwd=self.folder,
        )
        self.output = done.stdout + done.stderr
        match = RUNS.search(self.output)
        self.runs = int(match.group(1)) if match else 0
        if done.returncode == 0:
            return ""
        fresh = sorted(set(self.folder.glob("*-*")) - before)
        self.kept = fresh[0] if fresh else None
        reason = next(
            (
                line
                for line in self.output.splitlines()
                if "ERROR:" in line or "does not hold" in line
            ),
            f"ended with status {done.returncode}",
        )
        return reason.strip()
