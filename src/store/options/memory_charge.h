// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>

#include <rocksdb/cache.h>
#include <rocksdb/write_buffer_manager.h>

namespace basalt::store {

// Memory outside the block cache that counts as a part of it: what is charged drives blocks out.
// The cache is charged in pieces of 256 KiB.
//
// Any thread.
class MemoryCharge {
 public:
  // RocksDB's manager with no limit of its own does nothing but charge a cache.
  explicit MemoryCharge(std::shared_ptr<rocksdb::Cache> cache) : charged_(0, std::move(cache)) {}

  // Charges `now` bytes for what `before` bytes were charged for. Takes a mutex.
  void Change(uint64_t before, uint64_t now) {
    if (now > before) charged_.ReserveMem(now - before);
    if (before > now) charged_.FreeMem(before - now);
  }
  uint64_t bytes() const { return charged_.memory_usage(); }

 private:
  rocksdb::WriteBufferManager charged_;
};

}  // namespace basalt::store
