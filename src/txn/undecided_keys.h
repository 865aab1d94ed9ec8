// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/mutex.h"

namespace basalt::txn {

class Transaction;

// The keys that prepared (XA) transactions found at start have put, until they are committed or
// rolled back. Their locks are those of whole keys only: at start it is unknown which part of a key
// a unique index must keep unique, and what counters a table has. So a check of a unique value, or
// a search for the highest value of a counter, asks here as well.
//
// Keys of tombstones are not kept: a reader that meets the old row waits for its lock.
//
// Thread-safety: any thread. Empty but for the moments after a crash, and then one load says so.
class UndecidedKeys {
 public:
  // `most_keys`: of one transaction in one index. Beyond that the lock table has traded them for a
  // lock of the whole index, and they need not be known one by one.
  explicit UndecidedKeys(size_t most_keys) : most_keys_(most_keys) {}
  UndecidedKeys(const UndecidedKeys&) = delete;
  UndecidedKeys& operator=(const UndecidedKeys&) = delete;

  // At start: the transaction has put this key (index number first), or noted this counter.
  void Add(const Transaction* owner, IndexId index, Bytes key);
  void AddAutoIncrement(const Transaction* owner, IndexId primary, uint64_t next);
  // The transaction is decided; called before its locks go.
  void Forget(const Transaction* owner);

  bool empty() const { return owners_.load(std::memory_order_relaxed) == 0; }
  // A key that begins with `prefix`, whose lock tells when its transaction is decided; with more
  // keys than are kept, the prefix itself. False when there is none.
  bool Find(IndexId index, Bytes prefix, std::string* key) const;
  // The greatest key; empty when there is none.
  std::string Greatest(IndexId index) const;
  // The greatest counter; 0 when there is none.
  uint64_t AutoIncrement(IndexId primary) const;

 private:
  struct KeysOfIndex {
    std::set<std::string, std::less<>> keys;
    std::string greatest;
    bool whole = false;  // too many: `keys` is empty
  };
  struct Owned {
    std::map<IndexId, KeysOfIndex> indexes;
    std::map<IndexId, uint64_t> auto_increments;
  };

  const size_t most_keys_;
  std::atomic<size_t> owners_{0};
  mutable Mutex mutex_;
  std::map<const Transaction*, Owned> by_owner_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::txn
