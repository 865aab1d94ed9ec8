// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>
#include <rocksdb/write_buffer_manager.h>

#include "store/families/column_families.h"
#include "store/options/store_options.h"

namespace basalt::store {

class Flushes;

// Keeps all memtables together inside their part of the memory budget (memory_budget.h): a writer
// waits until there is room for its batch. RocksDB by itself only begins flushes at that limit.
// While they run, each column family may fill three memtables, and a batch goes into one of them
// whole, however large it is.
//
// RocksDB could stop writers, too (allow_stall of its WriteBufferManager), until memory is freed.
// But memtables that an iterator refers to stay in memory when they are written out. A writer whose
// own iterator does so, as in INSERT .. SELECT, would wait for itself. Here a writer waits only as
// long as a flush is going to make room.
//
// Any thread. Borrows what it is made with, until the store closes.
class MemtableRoom {
 public:
  struct Parts {
    rocksdb::DB* db;
    const rocksdb::WriteBufferManager* memtables;
    const ColumnFamilies* families;
    Flushes* flushes;
    const StoreOptions* options;
  };
  explicit MemtableRoom(const Parts& parts) : parts_(parts) {}

  // The room for a batch that is not in the memtables yet. Others count it as taken until it is
  // released or destroyed, which must happen before the store closes. Small ones count nothing.
  class Place {
   public:
    Place() = default;
    ~Place() { Release(); }
    Place(Place&& other) noexcept { Swap(&other); }
    Place& operator=(Place&& other) noexcept {
      Swap(&other);
      other.Release();
      return *this;
    }
    void Release();

   private:
    friend class MemtableRoom;
    Place(std::atomic<uint64_t>* promised, uint64_t bytes);
    void Swap(Place* other) {
      std::swap(promised_, other->promised_);
      std::swap(bytes_, other->bytes_);
    }
    std::atomic<uint64_t>* promised_ = nullptr;
    uint64_t bytes_ = 0;
  };

  // To be called before the batch is written. Does not wait for what will not come: flushes that
  // fail, that make no progress, or memory that is not theirs to free. The batch may be written
  // then, too. Costs two loads while there is room.
  Place Take(const rocksdb::WriteBatch& batch);

 private:
  bool Fits(uint64_t used, uint64_t bytes) const;
  uint64_t Sum(const std::string& property) const;
  uint64_t Unflushed() const;
  void Wait(uint64_t bytes);
  bool FlushIsUnderWay(bool may_begin) const;
  bool BeginFlush() const;

  const Parts parts_;
  std::atomic<uint64_t> promised_{0};
  // The size of memtables for which the last waiter found nothing to wait for; RocksDB takes memory
  // in large pieces, so that it holds for many batches.
  std::atomic<uint64_t> hopeless_{0};
};

}  // namespace basalt::store
