# SPDX-License-Identifier: GPL-2.0-only
"""Proves backups: every object is read from the disk and compared with its checksum, every block
of a table file with the one that RocksDB gave it."""

from collections.abc import Iterable

from programs.backup.checker import BlockChecker
from programs.backup.errors import BackupError
from programs.backup.manifest import Manifest, Object
from programs.backup.progress import Progress
from programs.backup.repository import Repository


def objects(
    repository: Repository, backup: Manifest, wanted: Iterable[Object], progress: Progress
) -> None:
    """Damaged, with the backup, the name and the path, at the first that is not good."""
    progress.begin(f"verifying {backup.id}")
    with BlockChecker() as blocks:
        for part in wanted:
            check(repository, part, blocks, progress)


def check(repository: Repository, part: Object, blocks: BlockChecker, progress: Progress) -> None:
    repository.objects.check(part, progress.advance)
    name = getattr(part, "name", "")
    if name.endswith(".sst"):
        blocks.check(repository.objects.path(part.sha256), name)


def backups(repository: Repository, ids: list[str], progress: Progress) -> dict[str, list[str]]:
    """What is wrong with each backup, the backups that it needs included; an object that several
    share is read once."""
    state: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    with BlockChecker() as blocks:
        for wanted in ids:
            progress.begin(f"verifying {wanted}")
            found[wanted] = one(repository, wanted, blocks, state, progress)
    return found


def one(
    repository: Repository,
    wanted: str,
    blocks: BlockChecker,
    state: dict[str, str],
    progress: Progress,
) -> list[str]:
    try:
        chain = repository.chain(wanted)
    except BackupError as error:
        return [str(error)]
    # of older backups only the archives are needed
    needed = [*(older.archive for older in chain[:-1]), *chain[-1].objects()]
    for part in needed:
        if part.sha256 not in state:
            state[part.sha256] = problem(repository, part, blocks, progress)
    return [state[part.sha256] for part in needed if state[part.sha256]]


def problem(repository: Repository, part: Object, blocks: BlockChecker, progress: Progress) -> str:
    try:
        check(repository, part, blocks, progress)
    except BackupError as error:
        name = getattr(part, "name", "the archive of mariabackup")
        return f"{name}: {error}"
    return ""
