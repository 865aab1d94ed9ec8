// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <functional>

#include <rocksdb/db.h>

namespace basalt::store {

// A compaction that somebody asks for and waits for (maintenance/manual_compactions.h).
struct ManualCompaction {
  rocksdb::ColumnFamilyHandle* family = nullptr;
  // Keys in the order of the family, the second one not included; null: to the end of the family.
  // Borrowed.
  const rocksdb::Slice* first = nullptr;
  const rocksdb::Slice* past_last = nullptr;
  // Threads that share it; 0: as many as the store's options say.
  uint32_t threads = 0;
  // Called ten times a second by the thread that waits, with the bytes that background work has
  // written since the beginning, of about so many; with 0 of 0 while memtables are written out
  // before. False ends the compaction soon. Empty: nobody asks.
  std::function<bool(uint64_t done, uint64_t expected)> report;
};

}  // namespace basalt::store
