// SPDX-License-Identifier: GPL-2.0-only
#include "txn/idle_cursors.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "txn/cursor.h"
#include "unit/txn/txn_fixture.h"

namespace basalt::txn {
namespace {

class IdleCursorsTest : public TxnFixture {
 protected:
  void Put(uint32_t number) {
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Put(family(), Key(number), "value").ok());
    ASSERT_TRUE(store_->Write(&batch, false).ok());
  }
  // True while an iterator holds table files that compaction has replaced.
  bool FilesArePinned() {
    uint64_t live = 0;
    uint64_t all = 0;
    store_->base()->GetIntProperty(family(), rocksdb::DB::Properties::kLiveSstFilesSize, &live);
    store_->base()->GetIntProperty(family(), rocksdb::DB::Properties::kTotalSstFilesSize, &all);
    return all > live;
  }
  void Flush() { ASSERT_TRUE(store_->base()->Flush(rocksdb::FlushOptions(), family()).ok()); }
  void ReplaceFiles() {
    Put(2);
    Flush();
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    ASSERT_TRUE(store_->base()->CompactRange(options, family(), nullptr, nullptr).ok());
  }
  void Tick(uint64_t times) {
    for (uint64_t i = 0; i < times; ++i) manager_->idle_cursors()->Tick();
  }
};

TEST_F(IdleCursorsTest, WhatStaysParkedIsReleased) {
  Put(1);
  Flush();
  Cursor cursor(store_->base(), family(), false, index(), manager_->idle_cursors());
  ASSERT_TRUE(cursor.Bind(nullptr, nullptr).ok());
  cursor.SeekFirst();
  cursor.Park();
  ReplaceFiles();
  Tick(IdleCursors::kTicksToKeep - 1);
  EXPECT_TRUE(FilesArePinned()) << "the next statement would have to make a new iterator";
  Tick(1);
  EXPECT_FALSE(FilesArePinned());
  ASSERT_TRUE(cursor.Bind(nullptr, nullptr).ok());
  cursor.SeekFirst();
  EXPECT_EQ(std::string(cursor.key()), Key(1));
}

TEST_F(IdleCursorsTest, ACursorInUseIsLeftAlone) {
  Put(1);
  Flush();
  Cursor cursor(store_->base(), family(), false, index(), manager_->idle_cursors());
  ASSERT_TRUE(cursor.Bind(nullptr, nullptr).ok());
  cursor.SeekFirst();
  Tick(3 * IdleCursors::kTicksToKeep);
  EXPECT_EQ(std::string(cursor.key()), Key(1));
  cursor.Unbind();  // the end of a scan, but not of its statement
  ReplaceFiles();
  Tick(3 * IdleCursors::kTicksToKeep);
  EXPECT_TRUE(FilesArePinned());
  EXPECT_EQ(std::string(cursor.key()), Key(1)) << "rows of the statement may point into it";
}

TEST_F(IdleCursorsTest, AnIteratorHasOneOwner) {
  Put(1);
  std::atomic<bool> stop{false};
  std::thread housekeeping([&] {
    while (!stop) manager_->idle_cursors()->Tick();
  });
  for (int round = 0; round < 300; ++round) {
    Cursor cursor(store_->base(), family(), false, index(), manager_->idle_cursors());
    for (int statement = 0; statement < 10; ++statement) {
      ASSERT_TRUE(cursor.Bind(nullptr, nullptr).ok());
      cursor.SeekFirst();
      ASSERT_TRUE(cursor.Valid());
      ASSERT_EQ(std::string(cursor.key()), Key(1));
      cursor.Park();
    }
  }
  stop = true;
  housekeeping.join();
}

}  // namespace
}  // namespace basalt::txn
