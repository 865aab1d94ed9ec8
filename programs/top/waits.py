# SPDX-License-Identifier: GPL-2.0-only
"""Which transaction waits for which. ROCKSDB_TRX has the key that is waited for, ROCKSDB_LOCKS the
hash of each locked row's key (docs/locking.md, "Which transaction blocks which")."""

from collections.abc import Callable, Iterable

from programs.top.snapshot import Lock, Transaction, Wait

INDEX_DIGITS = 8
# ROCKSDB_TRX shows no more of a key; the hash of a longer one cannot be had
MOST_KEY_DIGITS = 512


def waiting(transactions: Iterable[Transaction]) -> list[Transaction]:
    return [t for t in transactions if t.waiting_key]


def index_of(key: str) -> str:
    return key[:INDEX_DIGITS]


def row_lock_key(key: str, hash_of: Callable[[bytes], str]) -> str:
    """How ROCKSDB_LOCKS writes the row lock of a key; '' for a key that is not known whole."""
    if len(key) >= MOST_KEY_DIGITS:
        return ""
    return f"{index_of(key)}#{hash_of(bytes.fromhex(key))}"


def blocks(lock: Lock, key: str, row_key: str) -> bool:
    """Whether a lock in the key's index is on this key."""
    if lock.mode.endswith(",INDEX"):
        return True
    if lock.mode == "RANGE":
        first, _, behind = lock.key.partition("..")
        return first <= key < behind
    return lock.key == row_key


def who_waits(
    transactions: list[Transaction],
    waiters: list[Transaction],
    locks: list[Lock],
    names: dict[tuple[int, str], str],
    hash_of: Callable[[bytes], str],
) -> list[Wait]:
    """A row for each pair of one of the waiters and a transaction in its way. `names`: of indexes,
    by column family and number in hexadecimal digits. `hash_of`: XXH3 with 64 bits, as digits."""
    threads = {t.id: t.thread for t in transactions}
    found: list[Wait] = []
    for waiter in waiters:
        row_key = row_lock_key(waiter.waiting_key, hash_of)
        near = [lock for lock in locks if near_by(lock, waiter)]
        sure = [lock for lock in near if blocks(lock, waiter.waiting_key, row_key)]
        index = index_of(waiter.waiting_key)
        name = names.get((waiter.waiting_family, index), f"index {int(index, 16)}")
        for lock in one_each(sure or near) or [None]:
            found.append(pair(waiter, lock, threads, name, sure=bool(sure)))
    return found


def near_by(lock: Lock, waiter: Transaction) -> bool:
    """Somebody else's lock in the index that is waited for."""
    return (
        lock.family == waiter.waiting_family
        and lock.transaction != waiter.id
        and index_of(lock.key) == index_of(waiter.waiting_key)
    )


def one_each(locks: list[Lock]) -> list[Lock]:
    """The first lock of each transaction."""
    return list({lock.transaction: lock for lock in reversed(locks)}.values())[::-1]


def pair(
    waiter: Transaction, lock: Lock | None, threads: dict[int, int], name: str, sure: bool
) -> Wait:
    return Wait(
        thread=waiter.thread,
        transaction=waiter.id,
        blocker=lock.transaction if lock else None,
        blocker_thread=threads.get(lock.transaction) if lock else None,
        index=name,
        key=waiter.waiting_key,
        mode=lock.mode if lock else "",
        seconds=waiter.seconds,
        sure=sure,
    )
