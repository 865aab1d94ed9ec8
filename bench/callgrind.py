# SPDX-License-Identifier: GPL-2.0-only
"""Valgrind's tool callgrind on a server: it counts the instructions of each function.

A Profile is what one dump holds of the threads that serve clients, with the calls between
functions. parts() says who spent it.
"""

import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tools.errors import DevError

PACKAGE = "valgrind"
# of the server: only threads that serve a connection run it
SERVES = "do_command"
SERVER = "mariadbd"
PLUGIN = "ha_rocksdb.so"
# the plugin's code without line numbers has no object
ROCKSDB = ("_ZN7rocksdb", "_ZNK7rocksdb")
# InnoDB's code is more than a megabyte
LEAST_INNODB = 2**20
# of lines with a cost: a number, or its difference to the last one
POSITIONS = tuple("+-*0123456789")
KEYWORD = re.compile(r"(ob|fl|fi|fe|fn|cob|cfi|cfl|cfn)=\((\d+)\)(?: (.*))?")


@dataclass(frozen=True)
class Function:
    """`name` is the linker's, or an address in the object, where it has none."""

    object: str
    name: str


@dataclass
class Profile:
    """Instructions of functions themselves, and of calls: (caller, callee) -> instructions of the
    callee and of what it calls."""

    own: Counter = field(default_factory=Counter)
    calls: Counter = field(default_factory=Counter)

    def __sub__(self, other: "Profile") -> "Profile":
        found = Profile(Counter(self.own), Counter(self.calls))
        found.own.subtract(other.own)
        found.calls.subtract(other.calls)
        return found

    def add(self, other: "Profile") -> None:
        self.own.update(other.own)
        self.calls.update(other.calls)


def innodb_options(memory_bytes: int) -> tuple[str, ...]:
    """What every server needs, for InnoDB runs in it: under valgrind its asynchronous I/O never
    ends, and there are no 8 TiB of addresses, which it reserves for a pool that may grow."""
    return ("--innodb-use-native-aio=OFF", f"--innodb-buffer-pool-size-max={memory_bytes}")


# To valgrind each round of a repeated string instruction is one of its own. So a page that is set
# to zero would be 16,384 instructions; by vectors it is 512.
ENVIRONMENT = {
    "GLIBC_TUNABLES": "glibc.cpu.x86_rep_stosb_threshold=0x10000000"
    ":glibc.cpu.x86_rep_movsb_threshold=0x10000000"
}


def wrapper(output: Path) -> list[str]:
    """What is put before the server. It counts nothing until count(pid)."""
    return [
        "valgrind",
        "--tool=callgrind",
        "--instr-atstart=no",
        "--separate-threads=yes",
        "--fair-sched=yes",
        "--demangle=no",
        f"--callgrind-out-file={output}",
    ]


def count(pid: int) -> None:
    control(pid, "--instr=on")


def rest(pid: int) -> None:
    """Counts no more, which makes the server faster."""
    control(pid, "--instr=off")


def dump(pid: int, output: Path) -> Profile:
    """What has been counted since the last dump, in threads that serve clients. The files are
    removed."""
    control(pid, "--dump")
    found = Profile()
    for file in output.parent.glob(f"{output.name}.*"):
        one = parse(file.read_text(errors="replace"))
        if any(f.name.endswith(f"{SERVES}P3THDb") for f in one.own):
            found.add(one)
        file.unlink()
    if not found.own:
        raise DevError("callgrind has counted nothing in a thread that serves a connection")
    return found


def control(pid: int, what: str) -> None:
    done = subprocess.run(["callgrind_control", what, str(pid)], capture_output=True, text=True)
    if done.returncode != 0 or "OK" not in done.stdout:
        raise DevError(f"callgrind_control {what} failed\n{done.stdout}{done.stderr}")


def parse(text: str) -> Profile:
    """Reads a dump. Its names are numbered, and each is spelled once."""
    names: dict[tuple[str, str], str] = {}
    at = {"ob": "", "fn": "", "cob": "", "cfn": ""}
    found, calling = Profile(), False
    for line in text.splitlines():
        if match := KEYWORD.match(line):
            keep_name(match, names, at)
        elif line.startswith("calls="):
            calling = True
        elif line.startswith(POSITIONS):
            cost = int(line.split()[1])
            function = Function(at["ob"], at["fn"])
            if calling:
                found.calls[function, Function(at["cob"] or at["ob"], at["cfn"])] += cost
                at["cob"] = ""
            else:
                found.own[function] += cost
            calling = False
    return found


def keep_name(match: re.Match, names: dict[tuple[str, str], str], at: dict[str, str]) -> None:
    keyword, number, name = match.groups()
    kind = keyword[-2:]
    if name is not None:
        names[kind, number] = name
    if keyword in at:
        full = names[kind, number]
        at[keyword] = Path(full).name if kind == "ob" else full.partition("'")[0]


class Owners:
    """Whose a function is: 'engine', 'server' or 'library'.

    RocksDB's engines are the plugin's file. InnoDB is a part of the server's program, and exports
    no function. Its code is the longest stretch between two functions that the program exports;
    templates, which any part may export, do not end it.
    """

    def __init__(self, engine: str, symbols: str):
        """`symbols`: what `nm -D --defined-only` prints of the server's program."""
        self.engine = engine
        found = re.findall(r"^([0-9a-f]+) ([TtWwiV]) (.+)$", symbols, re.MULTILINE)
        self.addresses = {name: int(address, 16) for address, _, name in found}
        strong = sorted(int(address, 16) for address, kind, _ in found if kind in "Tt")
        pairs = zip(strong, strong[1:], strict=False)
        self.innodb = max(pairs, key=lambda pair: pair[1] - pair[0])
        if engine == "innodb" and self.innodb[1] - self.innodb[0] < LEAST_INNODB:
            raise DevError("where InnoDB lies in the server's program cannot be told")

    def of(self, function: Function) -> str:
        if function.object == PLUGIN or function.name.startswith(ROCKSDB):
            return "engine"
        if function.object != SERVER:
            return "library"
        if self.engine != "innodb":
            return "server"
        address = self.address(function.name)
        return "engine" if self.innodb[0] < address < self.innodb[1] else "server"

    def address(self, name: str) -> int:
        return int(name, 16) if name.startswith("0x") else self.addresses.get(name, 0)


def parts(profile: Profile, owners: Owners) -> dict[str, float]:
    """Instructions of engine and server. What a library does (copies, allocations, mutexes) counts
    for who called it, with what it calls back."""
    found = {"engine": 0, "server": 0, "library": 0}
    for function, cost in profile.own.items():
        found[owners.of(function)] += cost
    for (caller, callee), cost in profile.calls.items():
        giver, taker = owners.of(caller), owners.of(callee)
        if (giver == "library") != (taker == "library"):
            side, sign = (giver, 1) if taker == "library" else (taker, -1)
            found[side] += sign * cost
            found["library"] -= sign * cost
    return found


def dearest(profile: Profile, owners: Owners, statements: int, count: int) -> list[tuple]:
    """(name, instructions of a statement itself, with what it calls) of the engine's functions and
    of those that it calls in libraries, those with the most first."""
    itself, inside = Counter(), Counter()
    for function, cost in profile.own.items():
        if owners.of(function) == "engine":
            itself[function] += cost
    for (caller, callee), cost in profile.calls.items():
        if owners.of(caller) == "engine":
            inside[caller] += cost
            if owners.of(callee) == "library":
                itself[callee] += cost
    return [
        (demangled(f.name), cost / statements, (cost + inside[f]) / statements)
        for f, cost in itself.most_common(count)
    ]


def demangled(name: str) -> str:
    done = subprocess.run(["c++filt", name], capture_output=True, text=True)
    return done.stdout.strip()[:110] or name
