# SPDX-License-Identifier: GPL-2.0-only
"""The options --iops and --memory-limit: a slow disk and little memory, equal for all servers."""

import argparse
import re

from bench.cgroup import Limits
from bench.process_usage import Usage
from tools.errors import DevError

# how volumes of clouds count: larger operations are several
BYTES_AN_OPERATION = 16 * 1024
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


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
        "--memory-limit",
        type=amounts,
        default=(),
        metavar="SIZE",
        help="a server and its page cache together (450M, 4G), while it is measured; the same",
    )


def operations(text: str) -> tuple[int, ...]:
    """Numbers with commas."""
    return tuple(operations_in(part) for part in text.split(","))


def operations_in(text: str) -> int:
    return positive(text, int(text)) if re.fullmatch(r"\d+", text.strip()) else refuse(text)


def amounts(text: str) -> tuple[int, ...]:
    """Bytes; like 256M,4G."""
    return tuple(amount(part) for part in text.split(","))


def amount(text: str) -> int:
    match = re.fullmatch(r"(\d+)([KMG]?)", text.strip().upper())
    if match is None:
        refuse(text)
    return positive(text, int(match.group(1)) * UNITS[match.group(2)])


def positive(text: str, value: int) -> int:
    return value if value > 0 else refuse(text)


def refuse(text: str):
    raise argparse.ArgumentTypeError(f"'{text}' is no size: a number above 0, like 1000 or 450M")


def limits_of(args) -> list[Limits]:
    """One for each pair of the two options; none when neither is given."""
    if not args.iops and not args.memory_limit:
        return []
    return [
        Limits(memory, iops, iops, iops * BYTES_AN_OPERATION, iops * BYTES_AN_OPERATION)
        for memory in args.memory_limit or (0,)
        for iops in args.iops or (0,)
    ]


def limit_of(args) -> Limits | None:
    """For a benchmark that does not sweep. DevError for lists."""
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


def add_operations(report, each: str, used: dict[str, tuple[Usage, int]]) -> None:
    """The figure of the operations that the disk was asked for, unless none was counted: servers
    without limits. `used`: engine -> what it used for how many of what `each` names."""
    if any(usage.operations for usage, _ in used.values()):
        values = {engine: usage.operations / number for engine, (usage, number) in used.items()}
        report.add(f"disk operations {each}", "", values, False)
