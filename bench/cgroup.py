# SPDX-License-Identifier: GPL-2.0-only
"""Control groups of Linux (man 7 cgroups): what a server may take of memory and of its disk.

A group limits the memory of its processes and of the page cache that they fill together, and the
operations and bytes a second of one disk, reads and writes each. There are two versions of
control groups; the machine decides which it is (kernel, Documentation/admin-guide/cgroup-v1 and
cgroup-v2.rst).

Version 1 limits and counts what a process itself sends to the disk: direct I/O, all reads, and
writes that a sync of its own waits for. What the kernel writes back later from the page cache
belongs to nobody there, so that it is neither limited nor counted. Version 2 knows whose it is on
ext4, btrfs and XFS.
"""

import time
from dataclasses import dataclass
from pathlib import Path

from bench.block_device import sysfs
from tools.errors import DevError

SECONDS_TO_EMPTY = 5.0
# the processes of a group enter it before the server's program begins
ENTER = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 1; shift; done; shift; exec "$@"'


@dataclass(frozen=True)
class Limits:
    """0 is no limit. Memory is that of all processes with their page cache; the others are a
    second."""

    memory_bytes: int = 0
    reads: int = 0
    writes: int = 0
    read_bytes: int = 0
    written_bytes: int = 0


@dataclass(frozen=True)
class Traffic:
    """What a group has sent to its disk: operations and bytes."""

    reads: int = 0
    writes: int = 0
    read_bytes: int = 0
    written_bytes: int = 0


def device_of(folder: Path, root: Path = Path("/")) -> str:
    """The whole disk below a folder, as MAJOR:MINOR; a partition cannot be limited. DevError where
    no single disk is below it (tmpfs, overlayfs, btrfs)."""
    device = sysfs(folder.stat().st_dev, root)
    if not device.exists():
        raise DevError(
            f"{folder} lies on no single disk ({device.name}), so its operations cannot be "
            "limited; choose a folder on ext4 or XFS"
        )
    is_partition = (device / "partition").exists()
    return (device.resolve().parent / "dev").read_text().strip() if is_partition else device.name


class Group:
    """One group. `folders` are its folders in the hierarchies, `device` its disk. A group that
    limits nothing yet is made by create(); remove() when its last process has ended."""

    def __init__(self, folders: list[Path], device: str):
        self.folders, self.device = folders, device

    def create(self) -> "Group":
        """DevError when the groups above may not be written to."""
        for folder in self.folders:
            try:
                folder.mkdir()
            except OSError as error:
                self.remove()
                raise DevError(
                    f"no control group {folder}: {error.strerror}; limits need root"
                ) from error
        return self

    def command(self) -> list[str]:
        """What to put before a command line, so that it runs in the group."""
        files = [str(folder / "cgroup.procs") for folder in self.folders]
        return ["sh", "-c", ENTER, "sh", *files, "--"]

    def limit(self, limits: Limits) -> None:
        """Replaces all limits. DevError when the kernel refuses: memory that is less than what the
        processes hold, a disk that cannot be limited."""
        raise NotImplementedError

    def traffic(self) -> Traffic:
        """So far. A group that was never limited counts nothing."""
        raise NotImplementedError

    def memory_bytes(self) -> int:
        """Of the processes and their page cache, now."""
        raise NotImplementedError

    def killed(self) -> int:
        """How many of its processes the kernel has killed because of the limit of memory."""
        raise NotImplementedError

    def remove(self) -> None:
        """The kernel needs a moment to see that the last process is gone. No error when it is
        removed already."""
        deadline = time.monotonic() + SECONDS_TO_EMPTY
        for folder in self.folders:
            while folder.is_dir():
                try:
                    folder.rmdir()
                except OSError as error:
                    if time.monotonic() > deadline:
                        raise DevError(f"{folder} stays: {error.strerror}") from error
                    time.sleep(0.05)


class GroupV1(Group):
    """A folder in the hierarchy of the memory controller, and one in that of blkio."""

    @property
    def memory(self) -> Path:
        return self.folders[0]

    @property
    def blkio(self) -> Path:
        return self.folders[1]

    def limit(self, limits: Limits) -> None:
        memory = str(limits.memory_bytes or -1)
        # swap counts in memsw, which is never below the limit of memory alone
        has_swap = (self.memory / "memory.memsw.limit_in_bytes").exists()
        if has_swap:
            write(self.memory / "memory.memsw.limit_in_bytes", "-1")
        write(self.memory / "memory.limit_in_bytes", memory)
        if has_swap:
            write(self.memory / "memory.memsw.limit_in_bytes", memory)
        for name, value in (
            ("read_iops", limits.reads),
            ("write_iops", limits.writes),
            ("read_bps", limits.read_bytes),
            ("write_bps", limits.written_bytes),
        ):
            write(self.blkio / f"blkio.throttle.{name}_device", f"{self.device} {value}")

    def traffic(self) -> Traffic:
        operations = self._counted("io_serviced")
        amounts = self._counted("io_service_bytes")
        return Traffic(
            operations.get("Read", 0),
            operations.get("Write", 0),
            amounts.get("Read", 0),
            amounts.get("Write", 0),
        )

    def _counted(self, name: str) -> dict[str, int]:
        """Lines 'MAJOR:MINOR KIND COUNT'."""
        lines = (self.blkio / f"blkio.throttle.{name}").read_text().splitlines()
        words = [line.split() for line in lines]
        return {w[1]: int(w[2]) for w in words if len(w) == 3 and w[0] == self.device}

    def memory_bytes(self) -> int:
        return int((self.memory / "memory.usage_in_bytes").read_text())

    def killed(self) -> int:
        return named(self.memory / "memory.oom_control").get("oom_kill", 0)


class GroupV2(Group):
    """A folder in the one hierarchy."""

    def limit(self, limits: Limits) -> None:
        folder = self.folders[0]
        write(folder / "memory.max", str(limits.memory_bytes or "max"))
        if (folder / "memory.swap.max").exists():
            write(folder / "memory.swap.max", "0" if limits.memory_bytes else "max")
        values = {
            "riops": limits.reads,
            "wiops": limits.writes,
            "rbps": limits.read_bytes,
            "wbps": limits.written_bytes,
        }
        text = " ".join(f"{name}={value or 'max'}" for name, value in values.items())
        write(folder / "io.max", f"{self.device} {text}")

    def traffic(self) -> Traffic:
        """A line 'MAJOR:MINOR rbytes=N wbytes=N rios=N wios=N ...' for each disk."""
        for line in (self.folders[0] / "io.stat").read_text().splitlines():
            device, *pairs = line.split()
            if device == self.device:
                found = dict(pair.split("=", 1) for pair in pairs)
                names = ("rios", "wios", "rbytes", "wbytes")
                return Traffic(*(int(found.get(name, 0)) for name in names))
        return Traffic()

    def memory_bytes(self) -> int:
        return int((self.folders[0] / "memory.current").read_text())

    def killed(self) -> int:
        return named(self.folders[0] / "memory.events").get("oom_kill", 0)


def new_group(name: str, folder: Path, root: Path = Path("/")) -> Group:
    """A group for a server whose data is below `folder`, beside no other of this name. It lies
    below this process's own, so that what limits this process limits the server too. DevError
    where it cannot be had. `root` is another one in tests."""
    device = device_of(folder, root)
    top = root / "sys/fs/cgroup"
    own = own_groups(root)
    if (top / "cgroup.controllers").exists():
        return GroupV2([parent_v2(top, own.get("", "/")) / name], device).create()
    parents = [parent_v1(top, controller, own) for controller in ("memory", "blkio")]
    if not (parents[1] / "blkio.throttle.read_iops_device").exists():
        raise DevError(f"the kernel's blkio controller has no throttle ({parents[1]})")
    return GroupV1([parent / name for parent in parents], device).create()


def own_groups(root: Path) -> dict[str, str]:
    """controller -> path of this process's group; '' stands for version 2."""
    found = {}
    for line in (root / "proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        found |= dict.fromkeys(controllers.split(","), path)
    return found


def parent_v1(top: Path, controller: str, own: dict[str, str]) -> Path:
    """The own group of a controller, or the topmost where a container does not see its own."""
    if controller not in own or not (top / controller).is_dir():
        raise DevError(
            f"no limits here: no control groups with the controller '{controller}' below {top}"
        )
    mine = top / controller / own[controller].lstrip("/")
    return mine if mine.is_dir() else top / controller


def parent_v2(top: Path, own: str) -> Path:
    """The nearest group, from the own one upwards, that hands the controllers io and memory down.
    One with processes of its own cannot, unless it is the topmost."""
    mine = top / own.lstrip("/")
    reasons = []
    for folder in (mine, *mine.parents):
        if not folder.is_relative_to(top):
            break
        try:
            there = (folder / "cgroup.controllers").read_text().split()
            if not {"io", "memory"} <= set(there):
                reasons.append(f"{folder}: only the controllers {' '.join(there) or 'none'}")
                continue
            handed = (folder / "cgroup.subtree_control").read_text().split()
            if not {"io", "memory"} <= set(handed):
                (folder / "cgroup.subtree_control").write_text("+io +memory")
            return folder
        except OSError as error:
            reasons.append(f"{folder}: {error.strerror}")
    raise DevError(
        "no limits here, they need root and the controllers io and memory:\n  "
        + "\n  ".join(reasons)
    )


def write(file: Path, text: str) -> None:
    try:
        file.write_text(text)
    except OSError as error:
        raise DevError(f"{file}: '{text}' is refused: {error.strerror}") from error


def named(file: Path) -> dict[str, int]:
    """Lines 'NAME COUNT'."""
    lines = file.read_text().splitlines()
    return {name: int(value) for name, value in (line.split() for line in lines)}
