# SPDX-License-Identifier: GPL-2.0-only
"""Takes backups out of a repository, and the objects that no backup needs any more.

Also those that a killed run left behind. Manifests go first: whatever dies in between, no backup
is there without its objects, and the next removal finds the rest.
"""

from collections.abc import Iterable

from programs.backup.errors import BackupError, naming
from programs.backup.objects import sync_folder
from programs.backup.repository import Repository


def remove(repository: Repository, ids: Iterable[str]) -> int:
    """The lock of the repository must be held. Returns the bytes that became free. BackupError,
    and nothing is changed, when a backup that stays builds on one of them, or when the manifest of
    one that stays cannot be read: nobody knows what it needs then."""
    gone = set(ids)
    unknown = gone - set(repository.ids())
    if unknown:
        raise BackupError(f"{repository.folder} has no backup {' and no '.join(sorted(unknown))}")
    needed = needs(repository, gone)
    with naming(repository.manifests):
        for name in gone:
            (repository.manifests / name).unlink()
    sync_folder(repository.manifests)
    return remove_objects(repository, needed)


def needs(repository: Repository, gone: set[str]) -> set[str]:
    """The checksums of the objects of all backups that stay."""
    found = set()
    for name in repository.ids():
        if name in gone:
            continue
        backup = repository.load(name)
        if backup.base in gone:
            raise BackupError(f"backup {backup.id} builds on {backup.base}: remove both or none")
        found.update(part.sha256 for part in backup.objects())
    return found


def remove_objects(repository: Repository, needed: set[str]) -> int:
    freed = 0
    for name, size in repository.objects.sizes().items():
        if name not in needed:
            with naming(repository.objects.path(name)):
                repository.objects.path(name).unlink()
            freed += size
    return freed
