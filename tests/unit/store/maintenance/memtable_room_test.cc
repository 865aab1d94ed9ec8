// SPDX-License-Identifier: GPL-2.0-only
#include "store/maintenance/memtable_room.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/advanced_cache.h>
#include <rocksdb/listener.h>

#include "base/heap.h"
#include "store/options/memory_budget.h"
#include "store/store.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

// A flush that takes so long that writers are far ahead of it.
class SlowFlushes : public rocksdb::EventListener {
 public:
  void OnFlushBegin(rocksdb::DB*, const rocksdb::FlushJobInfo&) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
};

class MemtableRoomTest : public ::testing::TestWithParam<uint64_t> {
 protected:
  void SetUp() override {
    StoreOptions options;
    options.directory = directory_ / "store";
    options.reserved_free_bytes = 0;
    options.block_cache_bytes = GetParam() << 20;
    options.adjust_database = [this](rocksdb::DBOptions* db) {
      db->listeners.push_back(std::make_shared<SlowFlushes>());
      memtables_ = db->write_buffer_manager;
    };
    const Status status = Store::Open(std::move(options), &store_);
    ASSERT_TRUE(status.ok()) << status.ToString();
    families_ = {store_->default_column_family(), nullptr, nullptr};
    ASSERT_TRUE(store_->families().GetOrCreate("one", &families_[1]).ok());
    ASSERT_TRUE(store_->families().GetOrCreate("two", &families_[2]).ok());
  }

  // Enough to fill all memtables and go on.
  uint64_t More() const { return Limit() + std::max<uint64_t>(Limit(), 16 << 20); }
  uint64_t Limit() const { return AllMemtablesBytes(store_->options()); }
  // Memory is taken in pieces, so that a batch may go beyond the limit by one in its memtable and
  // by the first of the next; and a flush frees a memtable a moment after its end.
  uint64_t Most() const {
    const uint64_t memtable = MemtableBytes(store_->options());
    return Limit() + 2 * std::max(memtable / 8, uint64_t{kOutsideTheHeapBytes}) + memtable;
  }

  // Writes so many bytes as batches, to the families in turn; what is written of each key differs.
  void Write(uint64_t bytes, uint64_t batch_bytes) {
    for (uint64_t written = 0; written < bytes; written += batch_bytes) {
      rocksdb::WriteBatch batch;
      rocksdb::ColumnFamilyHandle* family = families_[written / batch_bytes % families_.size()];
      while (batch.GetDataSize() < batch_bytes) {
        ASSERT_TRUE(batch.Put(family, std::to_string(next_++), std::string(4000, 'v')).ok());
      }
      const Status status = store_->WriteUnlogged(&batch);
      ASSERT_TRUE(status.ok()) << status.ToString();
      most_ = std::max<uint64_t>(most_, memtables_->memory_usage());
    }
  }

  bool HoldsFlushedMemtables() const {
    return memtables_->memory_usage() > memtables_->mutable_memtable_memory_usage();
  }

  test::TemporaryDirectory directory_;
  std::shared_ptr<rocksdb::WriteBufferManager> memtables_;
  std::unique_ptr<Store> store_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
  uint64_t next_ = 0;
  uint64_t most_ = 0;  // bytes of all memtables
};

TEST_P(MemtableRoomTest, MemtablesStayInTheirPartOfTheBudget) {
  Write(More(), 32 << 10);
  EXPECT_LE(most_, Most());
}

TEST_P(MemtableRoomTest, LargeBatchesDoToo) {
  Write(More(), TransactionBytes(store_->options()));
  EXPECT_LE(most_, Most());
}

// Nobody writes to the families any more, which is when RocksDB would look for what it may forget.
// The thread that made the file frees the memtable a moment after the flush is said to be done.
TEST_P(MemtableRoomTest, WhatIsInAFileIsNotKeptInMemory) {
  Write(MemtableBytes(store_->options()), 32 << 10);
  ASSERT_TRUE(store_->flushes().Flush().ok());
  for (int looks = 0; HoldsFlushedMemtables() && looks < 1000; ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(HoldsFlushedMemtables());
}

TEST_P(MemtableRoomTest, TheCacheKeepsToTheBudgetWithMemtablesInIt) {
  Write(More(), 256 << 10);
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    const std::unique_ptr<rocksdb::Iterator> row(
        store_->base()->NewIterator(rocksdb::ReadOptions(), family));
    for (row->SeekToFirst(); row->Valid(); row->Next()) {
    }
  }
  Write(Limit() / 2, 256 << 10);
  EXPECT_LE(store_->block_cache()->GetUsage(), GetParam() << 20);
}

INSTANTIATE_TEST_SUITE_P(Budgets, MemtableRoomTest, ::testing::Values(16, 32, 64, 256),
                         [](const auto& info) { return std::to_string(info.param) + "MiB"; });

class PinnedMemtablesTest : public MemtableRoomTest {};

// Nothing that the writer waits for would ever come: it has the iterator itself.
TEST_P(PinnedMemtablesTest, AWriterDoesNotWaitForItsOwnIterator) {
  Write(Limit(), 32 << 10);
  std::vector<std::unique_ptr<rocksdb::Iterator>> pins;
  for (int i = 0; i < 4; ++i) {
    for (rocksdb::ColumnFamilyHandle* family : families_) {
      pins.emplace_back(store_->base()->NewIterator(rocksdb::ReadOptions(), family));
      pins.back()->SeekToFirst();
    }
    Write(Limit(), 32 << 10);
  }
  EXPECT_GT(memtables_->memory_usage(), 2 * Limit());
}

INSTANTIATE_TEST_SUITE_P(Budgets, PinnedMemtablesTest, ::testing::Values(16));

// What is promised to one writer is not there for another.
TEST_P(PinnedMemtablesTest, APlaceIsGivenBack) {
  rocksdb::WriteBatch batch;
  while (batch.GetDataSize() < Limit()) {
    ASSERT_TRUE(batch.Put(std::to_string(next_++), std::string(4000, 'v')).ok());
  }
  Write(Limit() / 2, 32 << 10);
  MemtableRoom::Place place = store_->flushes().room().Take(batch);
  // Nobody else fits now, so that what was written goes to a file.
  Write(64 << 10, 64 << 10);
  place.Release();
  place.Release();
  Write(64 << 10, 64 << 10);
  EXPECT_LE(memtables_->memory_usage(), Limit());
}

}  // namespace
}  // namespace basalt::store
