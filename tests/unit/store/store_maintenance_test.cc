// SPDX-License-Identifier: GPL-2.0-only

// What administrators see of a running store, and change in it.

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/advanced_cache.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/statistics.h>
#include <rocksdb/write_buffer_manager.h>

#include "base/bytes.h"
#include "store/options/database_defaults.h"
#include "store/reports/store_reports.h"
#include "store/store.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

using test::TemporaryDirectory;
using ::testing::HasSubstr;

constexpr uint32_t kIndex = 300;

std::string Key(uint32_t number) {
  std::string key;
  AppendBigEndian32(&key, kIndex);
  AppendBigEndian32(&key, number);
  return key;
}

// Holds compactions at their beginning while it is shut.
class Gate : public rocksdb::EventListener {
 public:
  void OnCompactionBegin(rocksdb::DB*, const rocksdb::CompactionJobInfo&) override {
    ++waiting_;
    while (shut_) std::this_thread::yield();
    --waiting_;
  }
  void Shut() { shut_ = true; }
  void Open() { shut_ = false; }
  void WaitForCompaction() const {
    while (waiting_ == 0) std::this_thread::yield();
  }

 private:
  std::atomic<bool> shut_{false};
  std::atomic<int> waiting_{0};
};

class StoreMaintenanceTest : public ::testing::Test {
 protected:
  StoreMaintenanceTest() : trigger_(std::make_shared<DeletionTriggerSettings>()) {}

  void SetUp() override {
    StoreOptions options;
    options.directory = directory_ / "store";
    options.block_cache_bytes = 8 << 20;
    options.reserved_free_bytes = 0;
    options.deletion_trigger = trigger_;
    options.adjust_database = [this](rocksdb::DBOptions* db) {
      db->keep_log_file_num = 7;
      db->listeners.push_back(gate_);
    };
    options.adjust_tables = [](rocksdb::BlockBasedTableOptions* table) {
      table->block_size = 12345;
    };
    const Status status = Store::Open(std::move(options), &store_);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_TRUE(store_->families().GetOrCreate("rows", &rows_).ok());
  }

  void Write(uint32_t first, uint32_t past_last, bool deletions) {
    rocksdb::WriteBatch batch;
    for (uint32_t number = first; number < past_last; ++number) {
      if (deletions) {
        ASSERT_TRUE(batch.Delete(rows_, Key(number)).ok());
      } else {
        ASSERT_TRUE(batch.Put(rows_, Key(number), "value").ok());
      }
    }
    ASSERT_EQ(store_->Write(&batch, /*sync=*/false).ToString(), "ok");
  }

  void Flush() { ASSERT_EQ(store_->flushes().Flush(rows_).ToString(), "ok"); }

  Status CompactAndCancel() {
    ManualCompaction compaction;
    compaction.family = rows_;
    compaction.report = [](uint64_t, uint64_t) { return false; };
    return store_->compactions().Compact(compaction);
  }

  // With the compactions that follow.
  void FlushForScansAndWait() {
    store_->flushes().FlushForScans();
    ASSERT_TRUE(store_->base()->WaitForCompact(rocksdb::WaitForCompactOptions()).ok());
  }

  void Scan(int times) {
    for (int i = 0; i < times; ++i) {
      const std::unique_ptr<rocksdb::Iterator> row(
          store_->base()->NewIterator(rocksdb::ReadOptions(), rows_));
      for (row->SeekToFirst(); row->Valid(); row->Next()) {
      }
    }
  }

  std::string Option(const std::string& name) {
    for (const auto& [option, value] : ColumnFamilyOptionTexts(*store_, rows_)) {
      if (option == name) return value;
    }
    return "absent";
  }

  uint64_t FilesOfLevel(int level) {
    uint64_t count = 0;
    for (const rocksdb::LiveFileMetaData& file : TableFiles(*store_)) {
      count += file.column_family_name == "rows" && file.level == level;
    }
    return count;
  }

  TemporaryDirectory directory_;
  std::shared_ptr<DeletionTriggerSettings> trigger_;
  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  std::unique_ptr<Store> store_;
  rocksdb::ColumnFamilyHandle* rows_ = nullptr;
};

TEST_F(StoreMaintenanceTest, OptionsOfTheCallerAreTaken) {
  EXPECT_EQ(store_->base()->GetDBOptions().keep_log_file_num, 7);
  EXPECT_EQ(Option("TABLE_FACTORY::BLOCK_SIZE"), "12345");
  EXPECT_TRUE(store_->base()->GetDBOptions().allow_2pc);
}

TEST_F(StoreMaintenanceTest, ThreadsAndMemoryCanBeChanged) {
  ASSERT_EQ(store_->settings().SetBackgroundJobs(5).ToString(), "ok");
  EXPECT_EQ(store_->base()->GetDBOptions().max_background_jobs, 5);
  ASSERT_EQ(store_->settings().SetBackgroundJobs(0).ToString(), "ok");  // from the number of cores
  EXPECT_EQ(store_->base()->GetDBOptions().max_background_jobs, BackgroundJobs(store_->options()));
  store_->settings().SetBlockCacheBytes(40 << 20);
  EXPECT_EQ(store_->block_cache()->GetCapacity(), size_t{40} << 20);
  EXPECT_EQ(store_->base()->GetDBOptions().write_buffer_manager->buffer_size(), size_t{20} << 20);
}

TEST_F(StoreMaintenanceTest, UpdatedOptionsHoldNowAndForFamiliesMadeLater) {
  const Status status = store_->families().UpdateOptions(
      "rows={write_buffer_size=9m};later={write_buffer_size=10m;max_successive_merges=3}");
  ASSERT_EQ(status.ToString(), "ok");
  EXPECT_EQ(Option("WRITE_BUFFER_SIZE"), std::to_string(9 << 20));
  ASSERT_TRUE(store_->families().GetOrCreate("later", &rows_).ok());
  EXPECT_EQ(Option("WRITE_BUFFER_SIZE"), std::to_string(10 << 20));
  EXPECT_EQ(Option("MAX_SUCCESSIVE_MERGES"), "3");
}

TEST_F(StoreMaintenanceTest, BytesThatWaitForACompactionAreANumberOfTheFamily) {
  const auto pending = [this](rocksdb::ColumnFamilyHandle* family) {
    for (const auto& [name, value] : ColumnFamilyNumbers(*store_, family)) {
      if (name == std::string("PENDING_COMPACTION_BYTES")) return value;
    }
    return uint64_t{0};
  };
  ASSERT_EQ(store_->families()
                .UpdateOptions("rows={disable_auto_compactions=true;"
                               "level0_file_num_compaction_trigger=2}")
                .ToString(),
            "ok");
  EXPECT_EQ(pending(rows_), 0U);
  for (uint32_t file = 0; file < 3; ++file) {
    Write(0, 100, /*deletions=*/false);
    Flush();
  }
  EXPECT_GT(pending(rows_), 0U);
  EXPECT_EQ(pending(store_->default_column_family()), 0U);
}

TEST_F(StoreMaintenanceTest, NothingIsUpdatedWhenOneTextIsWrong) {
  const std::string before = Option("WRITE_BUFFER_SIZE");
  const Status status =
      store_->families().UpdateOptions("rows={write_buffer_size=9m};zz={no_such_option=1}");
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("rocksdb_update_cf_options"));
  EXPECT_EQ(Option("WRITE_BUFFER_SIZE"), before);
}

TEST_F(StoreMaintenanceTest, NothingIsUpdatedWhenAnOpenFamilyWouldHaveToBeMadeAnew) {
  const std::string before = Option("WRITE_BUFFER_SIZE");
  const Status status = store_->families().UpdateOptions(
      "default={write_buffer_size=9m};rows={write_buffer_size=9m;num_levels=5}");
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("for rows: 'write_buffer_size=9m;num_levels=5', at "
                                           "character 22: the option 'num_levels' cannot be"));
  EXPECT_EQ(Option("WRITE_BUFFER_SIZE"), before);
  rows_ = store_->default_column_family();
  EXPECT_EQ(Option("WRITE_BUFFER_SIZE"), before);
  EXPECT_EQ(store_->families().UpdateOptions("later={num_levels=5}").ToString(), "ok");
}

TEST_F(StoreMaintenanceTest, LevelZeroIsEmptyAfterItsCompaction) {
  for (uint32_t number = 0; number < 3; ++number) {
    Write(number, number + 1, /*deletions=*/false);
    Flush();
  }
  EXPECT_EQ(FilesOfLevel(0), 3);
  ASSERT_EQ(store_->compactions().CompactLevelZero().ToString(), "ok");
  EXPECT_EQ(FilesOfLevel(0), 0);
  ASSERT_EQ(store_->compactions().CompactLevelZero().ToString(), "ok");  // nothing to do
  const IndexId index{rows_->GetID(), kIndex};
  // RocksDB tells of a flush a moment after it has woken those who waited for it.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (store_->index_statistics().StatisticsOf(index).rows != 3 &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(store_->index_statistics().StatisticsOf(index).rows, 3);
}

// Whoever asks while another compaction works on the files waits for it.
TEST_F(StoreMaintenanceTest, LevelZeroIsEmptyForEachWhoAsksAtOnce) {
  for (uint32_t round = 0; round < 5; ++round) {
    for (uint32_t number = 0; number < 3; ++number) {
      Write(number, number + 1, /*deletions=*/false);
      Flush();
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        EXPECT_EQ(store_->compactions().CompactLevelZero().ToString(), "ok");
        EXPECT_EQ(FilesOfLevel(0), 0);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST_F(StoreMaintenanceTest, AFileOfManyDeletionsIsCompacted) {
  trigger_->deletions = 100;
  trigger_->window = 200;
  Write(0, 1000, /*deletions=*/false);
  Flush();
  ASSERT_EQ(store_->compactions().Compact(rows_).ToString(), "ok");
  const size_t before = store_->compaction_journal().History().size();
  Write(0, 100, /*deletions=*/true);  // not more than 100
  Flush();
  EXPECT_EQ(FilesOfLevel(0), 1);
  EXPECT_EQ(store_->compaction_journal().History().size(), before);
  Write(100, 300, /*deletions=*/true);
  Flush();
  ASSERT_TRUE(store_->base()->WaitForCompact(rocksdb::WaitForCompactOptions()).ok());
  const std::vector<CompactionReport> history = store_->compaction_journal().History();
  ASSERT_GT(history.size(), before);
  EXPECT_EQ(history.back().reason, "FilesMarkedForCompaction");
  EXPECT_EQ(history.back().status, "OK");
  EXPECT_TRUE(store_->compaction_journal().Active().empty());
}

TEST_F(StoreMaintenanceTest, AMemtableOfManyDeletionsIsWrittenOut) {
  Write(0, 1000, /*deletions=*/false);
  Flush();
  ASSERT_EQ(store_->compactions().Compact(rows_).ToString(), "ok");
  Write(0, 1000, /*deletions=*/true);
  store_->flushes().FlushForScans();  // the trigger is off
  trigger_->deletions = 500;
  trigger_->window = 1000;
  store_->flushes().FlushForScans();  // not more than twice as many
  uint64_t entries = 0;
  ASSERT_TRUE(store_->base()->GetIntProperty(
      rows_, rocksdb::DB::Properties::kNumEntriesActiveMemTable, &entries));
  EXPECT_EQ(entries, 1000);
  trigger_->deletions = 400;
  FlushForScansAndWait();
  EXPECT_TRUE(TableFiles(*store_).empty());  // all of it is gone
}

TEST_F(StoreMaintenanceTest, AMemtableWithSomeDeletionsIsLeftAlone) {
  trigger_->deletions = 100;
  trigger_->window = 200;
  Write(0, 300, /*deletions=*/true);
  Write(1000, 2000, /*deletions=*/false);
  store_->flushes().FlushForScans();
  EXPECT_TRUE(TableFiles(*store_).empty());
}

// As UPDATEs of an indexed column make them: a row, an entry deleted, an entry added.
TEST_F(StoreMaintenanceTest, DeletionsAmongNewEntriesAreLeftAlone) {
  trigger_->deletions = 100;
  trigger_->window = 150;
  for (uint32_t number = 0; number < 1000; ++number) {
    Write(number, number + 1, /*deletions=*/true);
    Write(10000 + number, 10000 + number + 1, /*deletions=*/false);
    Write(20000 + number, 20000 + number + 1, /*deletions=*/false);
    if (number % 100 == 0) store_->flushes().FlushForScans();
  }
  store_->flushes().FlushForScans();
  EXPECT_TRUE(TableFiles(*store_).empty());
}

TEST_F(StoreMaintenanceTest, DeletionsInMassesAreSeenInAMemtableOfOtherWork) {
  trigger_->deletions = 100;
  trigger_->window = 150;
  Write(0, 5000, /*deletions=*/false);
  store_->flushes().FlushForScans();
  Write(0, 100, /*deletions=*/true);
  store_->flushes().FlushForScans();
  EXPECT_TRUE(TableFiles(*store_).empty()) << "not more than twice as many";
  Write(100, 250, /*deletions=*/true);
  FlushForScansAndWait();
  EXPECT_FALSE(TableFiles(*store_).empty());
}

TEST_F(StoreMaintenanceTest, AMemtableOfOldVersionsIsWrittenOutWhenScansHavePaidForIt) {
  trigger_->deletions = 100;
  trigger_->window = 150;
  for (int version = 0; version < 5; ++version) Write(0, 1000, /*deletions=*/false);
  store_->flushes().FlushForScans();
  Scan(60);  // over four old versions of each row
  store_->flushes().FlushForScans();
  EXPECT_TRUE(TableFiles(*store_).empty()) << "240,000 steps are not worth a file";
  Scan(60);
  FlushForScansAndWait();
  ASSERT_EQ(TableFiles(*store_).size(), 1);
  EXPECT_EQ(TableFiles(*store_).front().num_entries, 1000);
}

// What a flush costs is what it writes, not what the memtable holds.
TEST_F(StoreMaintenanceTest, TheMoreVersionsAreOldTheSoonerAMemtableIsWrittenOut) {
  trigger_->deletions = 100;
  trigger_->window = 150;
  for (int version = 0; version < 20; ++version) Write(0, 1000, /*deletions=*/false);
  store_->flushes().FlushForScans();
  Scan(15);  // over 19,000 old versions, and less than 64 for each of them
  FlushForScansAndWait();
  EXPECT_EQ(TableFiles(*store_).size(), 1);
}

TEST_F(StoreMaintenanceTest, DeletionsAreAmongWhatAFlushWrites) {
  trigger_->deletions = 10000;
  trigger_->window = 15000;
  for (int version = 0; version < 2; ++version) Write(0, 1000, /*deletions=*/false);
  Write(1000, 9000, /*deletions=*/true);
  store_->flushes().FlushForScans();
  Scan(40);  // over 9,000 entries that are nothing to it
  store_->flushes().FlushForScans();
  EXPECT_TRUE(TableFiles(*store_).empty()) << "360,000 steps do not pay for 9,000 entries";
  Scan(40);
  FlushForScansAndWait();
  EXPECT_EQ(TableFiles(*store_).size(), 1);
}

// What lies in files does not go by writing the memtable out.
TEST_F(StoreMaintenanceTest, AMemtableOfRowsStaysWhateverScansPay) {
  trigger_->deletions = 10000;
  trigger_->window = 15000;
  Write(0, 5000, /*deletions=*/true);
  Flush();
  Write(10000, 11000, /*deletions=*/false);
  const size_t files = TableFiles(*store_).size();
  store_->flushes().FlushForScans();
  const rocksdb::Statistics& counters = *store_->base()->GetDBOptions().statistics;
  const uint64_t before = counters.getTickerCount(rocksdb::NUMBER_ITER_SKIP);
  Scan(100);
  ASSERT_GT(counters.getTickerCount(rocksdb::NUMBER_ITER_SKIP), before + 64 * 4096)
      << "scans have not paid for a memtable";
  store_->flushes().FlushForScans();
  EXPECT_EQ(TableFiles(*store_).size(), files);
}

TEST_F(StoreMaintenanceTest, DeletionsOfATakenOverFileAreCompacted) {
  Write(0, 1000, /*deletions=*/false);
  Flush();
  ASSERT_EQ(store_->compactions().Compact(rows_).ToString(), "ok");
  const rocksdb::Options options = store_->base()->GetOptions(rows_);
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options, rows_);
  const std::string path = directory_ / "deletions";
  ASSERT_TRUE(writer.Open(path).ok());
  for (uint32_t number = 0; number < 900; ++number) ASSERT_TRUE(writer.Delete(Key(number)).ok());
  ASSERT_TRUE(writer.Finish().ok());
  rocksdb::IngestExternalFileArg file;
  file.column_family = rows_;
  file.external_files = {path};
  trigger_->deletions = 500;
  trigger_->window = 750;
  ASSERT_EQ(store_->compactions().Ingest({file}).ToString(), "ok");
  ASSERT_TRUE(store_->base()->WaitForCompact(rocksdb::WaitForCompactOptions()).ok());
  ASSERT_EQ(TableFiles(*store_).size(), 1);
  EXPECT_EQ(TableFiles(*store_).front().num_entries, 100);
  EXPECT_EQ(TableFiles(*store_).front().num_deletions, 0);
}

TEST_F(StoreMaintenanceTest, WrittenEntriesAreCounted) {
  Write(0, 10, /*deletions=*/false);
  Flush();
  Write(0, 4, /*deletions=*/true);
  Flush();
  // RocksDB tells of a flush a moment after it has woken those who waited for it.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (store_->index_statistics().Written().deletes == 0 &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(store_->index_statistics().Written().rows, 10);
  EXPECT_EQ(store_->index_statistics().Written().deletes, 4);
}

TEST_F(StoreMaintenanceTest, PausedBackgroundWorkGoesOn) {
  ASSERT_EQ(store_->compactions().PauseBackgroundWork(true).ToString(), "ok");
  ASSERT_EQ(store_->compactions().PauseBackgroundWork(false).ToString(), "ok");
  Write(0, 1, /*deletions=*/false);
  Flush();
}

TEST_F(StoreMaintenanceTest, ACompactionIsCancelledWhileItWaitsForAFlush) {
  Write(0, 100, /*deletions=*/false);
  ASSERT_TRUE(store_->compactions().PauseBackgroundWork(true).ok());
  EXPECT_EQ(CompactAndCancel().code(), Code::kInterrupted);
  EXPECT_EQ(store_->compactions().left(), 0);
  ASSERT_TRUE(store_->compactions().PauseBackgroundWork(false).ok());
  EXPECT_TRUE(store_->compactions().Compact(rows_).ok());
  EXPECT_EQ(TableFiles(*store_).size(), 1);
}

// RocksDB does not look then whether it has been cancelled.
TEST_F(StoreMaintenanceTest, ACompactionIsCancelledWhileItWaitsForAnother) {
  Write(0, 100, /*deletions=*/false);
  Flush();
  gate_->Shut();
  std::thread other([this] { EXPECT_TRUE(store_->compactions().Compact(rows_).ok()); });
  gate_->WaitForCompaction();
  EXPECT_EQ(CompactAndCancel().code(), Code::kInterrupted);
  EXPECT_EQ(CompactAndCancel().code(), Code::kInterrupted);
  EXPECT_EQ(store_->compactions().left(), 2);
  gate_->Open();
  other.join();
  store_->compactions().WaitForLeft();
  EXPECT_EQ(store_->compactions().left(), 0);
}

TEST_F(StoreMaintenanceTest, AStoreClosesBehindACancelledCompaction) {
  Write(0, 100, /*deletions=*/false);
  Flush();
  gate_->Shut();
  std::thread other([this] { (void)store_->compactions().Compact(rows_).ok(); });
  gate_->WaitForCompaction();
  EXPECT_EQ(CompactAndCancel().code(), Code::kInterrupted);
  EXPECT_EQ(store_->compactions().left(), 1);
  gate_->Open();
  other.join();
  EXPECT_TRUE(store_->Close().ok());
}

TEST_F(StoreMaintenanceTest, ReportsOfFilesAgree) {
  Write(0, 1000, /*deletions=*/false);
  Flush();
  std::vector<TableFile> files;
  ASSERT_EQ(ReadTableFiles(*store_, &files).ToString(), "ok");
  ASSERT_EQ(files.size(), TableFiles(*store_).size());
  const IndexId index{rows_->GetID(), kIndex};
  EXPECT_GT(DiskBytesOf(*store_, rows_, index), 0);
  EXPECT_EQ(MemtableShareOf(*store_, rows_, index).entries, 0);
  Write(2000, 3000, /*deletions=*/false);
  EXPECT_GT(MemtableShareOf(*store_, rows_, index).entries, 100);
}

}  // namespace
}  // namespace basalt::store
