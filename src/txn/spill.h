// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/mutex.h"
#include "base/status.h"

namespace basalt::store {
class Store;
}

namespace basalt::txn {

// A run of uncommitted writes moved out of memory; its number is unique since the store opened.
struct SpillLayer {
  uint64_t number;
  uint64_t operations;
};

// Disk space for the uncommitted writes of large transactions: a column family of its own that is
// never written to the WAL and is emptied whenever the store opens. A crash therefore forgets every
// spilled write, which is what uncommitted means.
//
// Key: layer (8 bytes) + column family (4 bytes) + key; value: one byte (kPut or kDeleted) + value.
// Within a layer a later write replaces an earlier one of the same key.
//
// Safe for use by many threads; one layer is written by one transaction.
class Spill {
 public:
  static constexpr char kColumnFamilyName[] = "__spill__";
  static constexpr char kPut = 1;
  static constexpr char kDeleted = 0;
  static constexpr size_t kHeaderBytes = 12;

  explicit Spill(store::Store* store) : store_(store) {}

  // Drops what an earlier process left behind. Called once, before the first transaction.
  Status Reset();

  // A fresh layer. Creates the column family at first use.
  Status NewLayer(SpillLayer* layer);
  // Writes collected operations, whose keys MakeKey has built.
  Status Write(rocksdb::WriteBatch* batch);
  // Gives the space of a layer back. Errors are logged by the store; the space then returns at the
  // next start.
  void Drop(const SpillLayer& layer);

  // kNotFound when the layer says nothing of the key; otherwise `value` is the stored value with
  // its leading kind byte.
  Status Get(const SpillLayer& layer, uint32_t family, Bytes key, std::string* value);

  // An iterator over the writes of one layer in one column family. `bounds` keeps the limits that
  // the iterator refers to, and must outlive it.
  struct Bounds {
    std::string lower;
    std::string upper;
    rocksdb::Slice lower_slice;
    rocksdb::Slice upper_slice;
  };
  std::unique_ptr<rocksdb::Iterator> NewIterator(const SpillLayer& layer, uint32_t family,
                                                 Bounds* bounds);

  static void MakeKey(const SpillLayer& layer, uint32_t family, Bytes key, std::string* out);

  rocksdb::ColumnFamilyHandle* family() { return family_.load(std::memory_order_acquire); }

 private:
  Status EnsureFamily();

  store::Store* const store_;
  Mutex mutex_;  // creation of the column family
  std::atomic<rocksdb::ColumnFamilyHandle*> family_{nullptr};
  std::atomic<uint64_t> next_layer_{1};
};

}  // namespace basalt::txn
