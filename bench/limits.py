# SPDX-License-Identifier: GPL-2.0-only
"""The options --iops and --memory-limit: a slow disk and little memory, equal for all servers.

A limit of memory may be a part of Basalt's files, like 1/4. It is then so much for data, and
beside it what every server needs for itself, --server-memory. --sweep names one thing that is
varied.
"""

import argparse
import re
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from pathlib import Path

from bench.cgroup import Limits
from bench.process_usage import Usage
from bench.volume import Volume
from tools.errors import DevError

# how volumes of clouds count: larger operations are several
BYTES_AN_OPERATION = 16 * 1024
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
# program, threads, tables: in small runs a server had 105 to 125 MB in use beside its cache
SERVER_BYTES = 128 * 2**20


def add_options(parser) -> None:
    """The arguments that limits_of() reads."""
    parser.add_argument(
        "--iops",
        type=operations,
        default=(),
        metavar="N",
        help="the server's disk: N operations of 16 KB (so N x 16 KiB bytes) a second, reads and "
        "writes each, while it is measured; needs root and control groups",
    )
    parser.add_argument(
        "--on-folder",
        action="store_true",
        help="with --iops: the disk below the folder of the data, with the file system that it "
        "has, and not a volume with ext4 that is made for it (volume.py)",
    )
    parser.add_argument(
        "--memory-limit",
        type=amounts,
        default=(),
        metavar="SIZE",
        help="a server and its page cache together (450M, 4G), while it is measured; the same",
    )


def add_sweep_option(parser) -> None:
    """For a benchmark that takes lists; also sets `data` of the arguments."""
    parser.set_defaults(data=(1,))
    parser.add_argument(
        "--server-memory",
        type=size,
        default=SERVER_BYTES,
        metavar="SIZE",
        help="what each server needs beside data, added to a limit that is a part of the files "
        f"(default {SERVER_BYTES >> 20}M)",
    )
    parser.add_argument(
        "--sweep",
        action=Sweep,
        metavar="NAME=A,B,...",
        help="iops=500,1000,3000,10000, memory=1/16,1/4,1/1 (parts of Basalt's files, or sizes), "
        "data=1,8 (multiples of the data, with the memory of a single one); may be repeated",
    )


class Sweep(argparse.Action):
    """Sets the list of another option."""

    def __call__(self, parser, namespace, text, option=None):
        name, _, values = text.partition("=")
        if name not in SWEPT:
            raise argparse.ArgumentError(self, f"'{text}': one of {', '.join(SWEPT)}, like iops=1")
        attribute, parse = SWEPT[name]
        try:
            setattr(namespace, attribute, parse(values))
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentError(self, str(error)) from error


def operations(text: str) -> tuple[int, ...]:
    """Numbers with commas."""
    return tuple(operations_in(part) for part in text.split(","))


def operations_in(text: str) -> int:
    return positive(text, int(text)) if re.fullmatch(r"\d+", text.strip()) else refuse(text)


def amounts(text: str) -> tuple[int | Fraction, ...]:
    """Bytes, like 256M,4G, or parts of the files, like 1/16,1/1."""
    return tuple(amount(part) for part in text.split(","))


def amount(text: str) -> int | Fraction:
    part = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", text.strip())
    if part:
        return Fraction(int(part.group(1)), int(part.group(2)))
    return size(text)


def size(text: str) -> int:
    match = re.fullmatch(r"(\d+)([KMG]?)", text.strip().upper())
    if match is None:
        refuse(text)
    return positive(text, int(match.group(1)) * UNITS[match.group(2)])


def positive(text: str, value: int) -> int:
    return value if value > 0 else refuse(text)


def refuse(text: str):
    raise argparse.ArgumentTypeError(f"'{text}' is no size: a number above 0, like 1000 or 450M")


# name of --sweep -> attribute of the arguments, and what reads its values
SWEPT = {
    "iops": ("iops", operations),
    "memory": ("memory_limit", amounts),
    "data": ("data", operations),
}


def disk(args, folder: Path) -> AbstractContextManager:
    """Where the data of the servers will be, `folder`, as a volume if operations are limited; also
    for a benchmark without the options."""
    limited = getattr(args, "iops", ()) and not args.on_folder
    return Volume(folder) if limited else nullcontext()


def is_limited(args) -> bool:
    return bool(args.iops or args.memory_limit)


def limits_of(args) -> list[Limits]:
    """One for each pair of the two options; none when neither is given. Parts of files are for
    pairs_of()."""
    return [limits for limits, _ in pairs_of(args, 0)]


def pairs_of(args, files: int) -> list[tuple[Limits, Fraction | None]]:
    """As limits_of(), and for which part of the files the memory is, where it was given as one.
    `files`: bytes of Basalt's files."""
    if not is_limited(args):
        return []
    return [
        (limits_with(memory_bytes(args, memory, files), iops), part_of(memory))
        for memory in args.memory_limit or (0,)
        for iops in args.iops or (0,)
    ]


def limits_with(memory: int, iops: int) -> Limits:
    return Limits(memory, iops, iops, iops * BYTES_AN_OPERATION, iops * BYTES_AN_OPERATION)


def memory_bytes(args, asked: int | Fraction, files: int) -> int:
    return args.server_memory + int(asked * files) if isinstance(asked, Fraction) else asked


def part_of(asked: int | Fraction) -> Fraction | None:
    return asked if isinstance(asked, Fraction) else None


def limit_of(args) -> Limits | None:
    """For a benchmark that does not sweep. DevError for lists and for parts of files."""
    if any(part_of(asked) for asked in args.memory_limit):
        raise DevError("--memory-limit: a part of the files is only for tpcc; give a size")
    found = limits_of(args)
    if len(found) > 1:
        raise DevError("--iops and --memory-limit: one value each; only tpcc takes lists")
    return found[0] if found else None


def check(limits: Limits | None, cache_bytes: int) -> None:
    """DevError for a limit of memory that the cache alone would fill: the kernel would kill the
    server."""
    if limits and limits.memory_bytes and cache_bytes >= limits.memory_bytes:
        cache = f"{cache_bytes / 2**20:,.0f} MB"
        raise DevError(
            f"--memory-limit: {limits.memory_bytes / 2**20:,.0f} MB hold no cache of {cache}; "
            "choose a smaller one with --memory-mb"
        )


def shown(limits: Limits | None) -> str:
    """Like '1,000 operations/s, 450 MB'; empty without limits."""
    if limits is None:
        return ""
    texts = [f"{limits.reads:,} operations/s"] if limits.reads else []
    texts += [f"{limits.memory_bytes / 2**20:,.0f} MB"] if limits.memory_bytes else []
    return ", ".join(texts)


def after(limits: Limits | None) -> str:
    """For the end of what a report says of its size."""
    return f"; limits: {shown(limits)}" if limits else ""


def add_operations(report, each: str, used: dict[str, tuple[Usage, int]], part: str = "") -> None:
    """What the disk was asked for, unless nothing was counted: servers without limits. `used`:
    engine -> what it used for how many of what `each` names."""
    if not any(usage.operations for usage, _ in used.values()):
        return
    for name, unit, value, scale in (
        (f"disk operations {each}", "", lambda u: u.operations, 1),
        ("of that, reads", "", lambda u: u.device_reads, 1),
        (f"read from the disk {each}", "KB", lambda u: u.device_read_bytes, 1e3),
        (f"written to the disk {each}", "KB", lambda u: u.device_written_bytes, 1e3),
        ("of what is read, background work", "KB", lambda u: u.background_read_bytes, 1e3),
        ("of what is written, background work", "KB", lambda u: u.background_written_bytes, 1e3),
    ):
        values = {engine: value(usage) / number / scale for engine, (usage, number) in used.items()}
        report.add(name, unit, values, False, part=part)
