// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/index_reclaimer.h"

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/dictionary_records.h"
#include "unit/catalog/open_catalog.h"

namespace basalt::catalog {
namespace {

using ::testing::Contains;
using ::testing::Not;

// Fills tables with rows and looks how many of them are left, in a forward and a reverse column
// family: Requests() has one index in each.
class IndexReclaimerTest : public CatalogFixture {
 protected:
  void Fill(const TableRecord& table, int rows) {
    rocksdb::WriteBatch batch;
    for (const IndexRecord& index : table.indexes) {
      for (int i = 0; i < rows; ++i) {
        std::string key;
        AppendBigEndian32(&key, index.id.number);
        AppendBigEndian32(&key, static_cast<uint32_t>(i) * 2654435761u);
        ASSERT_TRUE(batch
                        .Put(store_->FindColumnFamily(index.id.column_family), key,
                             std::string(100, static_cast<char>(i)))
                        .ok());
      }
    }
    ASSERT_TRUE(store_->Write(&batch, true).ok());
  }

  int Rows(IndexId index) {
    std::string prefix;
    AppendBigEndian32(&prefix, index.number);
    int rows = 0;
    const std::unique_ptr<rocksdb::Iterator> iterator(store_->db()->NewIterator(
        rocksdb::ReadOptions(), store_->FindColumnFamily(index.column_family)));
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      if (iterator->key().starts_with(prefix)) ++rows;
    }
    return rows;
  }

  // Gives up after a minute; the caller then sees what is missing.
  static void WaitUntil(const std::function<bool()>& done) {
    for (int i = 0; i < 2400 && !done(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
  }

  // Everything of the old table is gone, everything of its neighbours is there.
  void ExpectReclaimed(const TableRecord& gone) {
    for (const IndexRecord& index : gone.indexes) {
      EXPECT_EQ(Rows(index.id), 0);
      EXPECT_THAT(catalog_->dropped_indexes().All(), Not(Contains(index.id)));
      for (const RecordType type : {RecordType::kIndex, RecordType::kIndexDrop,
                                    RecordType::kAutoIncrement, RecordType::kIndexStatistics}) {
        EXPECT_EQ(System(IndexKey(type, index.id)), "absent");
      }
    }
  }
};

TEST_F(IndexReclaimerTest, FreesSmallAndLargeIndexesAndNothingElse) {
  for (const int rows : {0, 100, 30000}) {
    const auto before = Create("d.before");
    const auto table = Create("d.t", 7);
    const auto after = Create("d.after");
    for (const auto& filled : {before, table, after}) Fill(*filled, rows);
    ASSERT_TRUE(store_->flushes().Flush().ok());
    Fill(*table, rows);
    ASSERT_TRUE(catalog_->DropTable("d.t").ok());
    IndexReclaimer reclaimer(catalog_.get());
    const Status status = reclaimer.ReclaimAll();
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(reclaimer.reclaimed(), 2u);
    ExpectReclaimed(*table);
    for (const auto& kept : {before, after}) {
      for (const IndexRecord& index : kept->indexes) EXPECT_EQ(Rows(index.id), rows);
    }
    Reopen();
    ExpectReclaimed(*table);
    ASSERT_TRUE(catalog_->DropTable("d.before").ok());
    ASSERT_TRUE(catalog_->DropTable("d.after").ok());
    ASSERT_TRUE(IndexReclaimer(catalog_.get()).ReclaimAll().ok());
  }
}

TEST_F(IndexReclaimerTest, LargeIndexesGiveTheirSpaceBack) {
  const auto table = Create("d.t");
  for (int i = 0; i < 3; ++i) {
    Fill(*table, 30000);
    ASSERT_TRUE(store_->flushes().Flush().ok());
  }
  ASSERT_TRUE(catalog_->DropTable("d.t").ok());
  ASSERT_TRUE(IndexReclaimer(catalog_.get()).ReclaimAll().ok());
  for (const IndexRecord& index : table->indexes) {
    EXPECT_EQ(store_->index_statistics().StatisticsOf(index.id).rows, 0)
        << "no file has entries of it";
  }
}

TEST_F(IndexReclaimerTest, ThreadWorksOnDropsOldAndNew) {
  const auto old = Create("d.old");
  Fill(*old, 10);
  ASSERT_TRUE(catalog_->DropTable("d.old").ok());
  Reopen();
  IndexReclaimer reclaimer(catalog_.get());
  reclaimer.Start();
  const auto fresh = Create("d.fresh");
  Fill(*fresh, 20000);
  ASSERT_TRUE(catalog_->DropTable("d.fresh").ok());
  WaitUntil([&] { return reclaimer.reclaimed() >= 4; });
  EXPECT_EQ(reclaimer.reclaimed(), 4u);
  reclaimer.Stop();
  reclaimer.Stop();
  ExpectReclaimed(*old);
  ExpectReclaimed(*fresh);
  ASSERT_TRUE(catalog_->TruncateTable("d.none", 0, nullptr).code() == Code::kNotFound);
}

TEST_F(IndexReclaimerTest, StopsAndGoesOnLater) {
  const auto table = Create("d.t");
  for (int i = 0; i < 4; ++i) {
    Fill(*table, 50000);
    ASSERT_TRUE(store_->flushes().Flush().ok());
  }
  ASSERT_TRUE(catalog_->DropTable("d.t").ok());
  {
    IndexReclaimer reclaimer(catalog_.get());
    reclaimer.Start();
  }
  Reopen();
  ASSERT_TRUE(IndexReclaimer(catalog_.get()).ReclaimAll().ok());
  ExpectReclaimed(*table);
}

// What SET GLOBAL rocksdb_signal_drop_index_thread does.
TEST_F(IndexReclaimerTest, WakingEndsTheWaitAfterAnError) {
  const auto table = Create("d.t");
  Fill(*table, 20000);
  ASSERT_TRUE(catalog_->DropTable("d.t").ok());
  store_->base()->DisableManualCompaction();
  const int warnings = warnings_;
  IndexReclaimer reclaimer(catalog_.get(), std::chrono::hours(1));
  reclaimer.Start();
  WaitUntil([&] { return warnings_ > warnings; });
  EXPECT_EQ(reclaimer.reclaimed(), 0u);
  store_->base()->EnableManualCompaction();
  reclaimer.Wake();
  WaitUntil([&] { return reclaimer.reclaimed() == 2; });
  reclaimer.Stop();
  ExpectReclaimed(*table);
}

TEST_F(IndexReclaimerTest, CancelledCompactionIsRetried) {
  const auto table = Create("d.t");
  Fill(*table, 20000);
  ASSERT_TRUE(catalog_->DropTable("d.t").ok());
  store_->base()->DisableManualCompaction();
  IndexReclaimer reclaimer(catalog_.get());
  EXPECT_EQ(reclaimer.ReclaimAll().code(), Code::kInterrupted);
  EXPECT_THAT(catalog_->dropped_indexes().All(), Contains(table->indexes[0].id));
  store_->base()->EnableManualCompaction();
  EXPECT_TRUE(reclaimer.ReclaimAll().ok());
  ExpectReclaimed(*table);
}

}  // namespace
}  // namespace basalt::catalog
