// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/index_id.h"
#include "txn/lock_owner.h"

// Small types that transactions and their users have in common.

namespace basalt::txn {

enum class Isolation : uint8_t { kReadCommitted, kRepeatableRead, kSerializable };

// An entry that a write adds to an index. The key is borrowed.
struct NewEntry {
  IndexId index;
  Bytes key;
};

// What the latest committed state was: while the stamp is the same, a view made before shows all
// that one made now would show.
struct ViewStamp {
  uint64_t sequence = 0;
  uint64_t ingestions = 0;
  bool operator==(const ViewStamp&) const = default;
};

// How a transaction runs; set at its begin, the wait and the cache anew at each statement.
struct TransactionSettings {
  Isolation isolation = Isolation::kRepeatableRead;
  uint64_t lock_wait_microseconds = 50'000'000;
  // Under REPEATABLE READ: locking reads look at the snapshot, and a row that has changed since
  // fails with kSnapshotConflict (MyRocks' behaviour).
  bool detect_conflicts = false;
  // Blocks that reads bring in stay in the block cache.
  bool fill_cache = true;

  bool detects_conflicts() const {
    return detect_conflicts && isolation == Isolation::kRepeatableRead;
  }
};

// When a commit is durable; the meaning of rocksdb_flush_log_at_trx_commit.
enum class Durability : uint8_t {
  kNone = 0,   // log stays in memory until the once-a-second flush
  kSync = 1,   // synced to the device before the commit is acknowledged
  kWrite = 2,  // handed to the operating system; survives the process, not the machine
};

// Which state of a row to read.
enum class View : uint8_t {
  kSnapshot,  // as of the transaction's or the statement's snapshot
  kLatest,    // the last committed one: after the row was locked
};

// A transaction as reports show it.
struct TransactionInfo {
  uint64_t id = 0;
  bool active = false;
  bool prepared = false;
  std::string name;        // of a prepared one
  uint64_t writes = 0;     // keys written
  uint64_t row_locks = 0;  // a lock of a whole index counts for none
  bool waiting = false;    // then for what:
  IndexId wanted_index;
  std::string wanted_key;
  LockKind wanted = LockKind::kRowShared;
};

// A place in the writes of a transaction: marks of its write sets (WriteSet::Mark).
struct WriteMark {
  uint64_t logged;
  uint64_t temporary;
};

// A place in a transaction to roll back to: its writes, and how many locks it had.
struct Savepoint {
  WriteMark writes;
  size_t lock_position;
};

// What an auto-increment counter has reached in a transaction; `primary` stands for the table.
struct AutoIncrement {
  IndexId primary;
  uint64_t next = 0;
};

}  // namespace basalt::txn
