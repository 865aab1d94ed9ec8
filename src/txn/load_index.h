// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/bytes.h"
#include "base/index_id.h"

namespace basalt::txn {

// Entries of a load between two reports of its progress.
inline constexpr uint64_t kEntriesPerReport = 4096;

// An index that entries are loaded into. Immutable: any number of threads.
struct LoadIndex {
  IndexId id;
  rocksdb::ColumnFamilyHandle* family = nullptr;
  // Bytes at the beginning of a key that no two entries may share; 0: any number may share them.
  // Empty: nothing is unique. Called by several threads at once.
  std::function<size_t(Bytes key)> unique_bytes;

  // Do two entries that follow each other share what is unique?
  bool AreAlike(Bytes before, Bytes key) const {
    if (!unique_bytes) return false;
    const size_t unique = unique_bytes(key);
    return unique != 0 && before.size() >= unique &&
           before.substr(0, unique) == key.substr(0, unique);
  }
};

}  // namespace basalt::txn
