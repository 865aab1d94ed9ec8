// SPDX-License-Identifier: GPL-2.0-only
#include "store/store.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/listener.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/table.h>

#include "base/bytes.h"
#include "store/format/auto_increment_merge_operator.h"
#include "unit/store/end_of_log.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

using test::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// An auto-increment record of the dictionary.
std::string Counter(uint64_t next) {
  std::string value;
  AppendBigEndian16(&value, 1);
  AppendBigEndian64(&value, next);
  return value;
}

class StoreTest : public ::testing::Test {
 protected:
  StoreOptions Options() {
    StoreOptions options;
    options.directory = directory_ / "store";
    options.block_cache_bytes = 8 << 20;
    options.reserved_free_bytes = 0;
    return options;
  }

  Status TryOpen(StoreOptions options) { return Store::Open(std::move(options), &store_); }

  void Open() {
    const Status status = TryOpen(Options());
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  void Reopen() {
    ASSERT_TRUE(store_->Close().ok());
    store_.reset();
    Open();
  }

  rocksdb::ColumnFamilyHandle* Family(const std::string& name) {
    rocksdb::ColumnFamilyHandle* handle = nullptr;
    EXPECT_TRUE(store_->families().GetOrCreate(name, &handle).ok());
    return handle;
  }

  void Put(rocksdb::ColumnFamilyHandle* handle, const std::string& key, const std::string& value,
           bool sync = false) {
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Put(handle, key, value).ok());
    const Status status = store_->Write(&batch, sync);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  std::string Get(rocksdb::ColumnFamilyHandle* handle, const std::string& key) {
    std::string value;
    const auto status = store_->db()->Get(rocksdb::ReadOptions(), handle, key, &value);
    return status.ok() ? value : status.ToString();
  }

  std::vector<std::string> Keys(rocksdb::ColumnFamilyHandle* handle) {
    std::vector<std::string> keys;
    const std::unique_ptr<rocksdb::Iterator> iterator(
        store_->db()->NewIterator(rocksdb::ReadOptions(), handle));
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      keys.push_back(iterator->key().ToString());
    }
    return keys;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
};

TEST_F(StoreTest, NewStoreHasDefaultAndSystem) {
  Open();
  EXPECT_EQ(store_->default_column_family()->GetID(), 0u);
  EXPECT_EQ(store_->system()->GetID(), 1u);
  EXPECT_EQ(store_->FindColumnFamily(uint32_t{1}), store_->system());
  EXPECT_EQ(store_->FindColumnFamily("__system__"), store_->system());
  EXPECT_EQ(store_->FindColumnFamily(uint32_t{2}), nullptr);
  EXPECT_EQ(store_->FindColumnFamily("other"), nullptr);
}

// What RocksDB's own threads count at the end of their jobs.
struct LevelsSeen : rocksdb::EventListener {
  void OnFlushCompleted(rocksdb::DB*, const rocksdb::FlushJobInfo&) override {
    of_flush = rocksdb::GetPerfLevel();
  }
  void OnCompactionCompleted(rocksdb::DB*, const rocksdb::CompactionJobInfo&) override {
    of_compaction = rocksdb::GetPerfLevel();
  }
  std::atomic<rocksdb::PerfLevel> of_flush{rocksdb::kUninitialized};
  std::atomic<rocksdb::PerfLevel> of_compaction{rocksdb::kUninitialized};
};

TEST_F(StoreTest, BackgroundThreadsCountNothing) {
  const auto seen = std::make_shared<LevelsSeen>();
  StoreOptions options = Options();
  options.adjust_database = [&](rocksdb::DBOptions* db) { db->listeners.push_back(seen); };
  ASSERT_TRUE(TryOpen(std::move(options)).ok());
  for (const char* value : {"one", "two"}) {
    Put(store_->default_column_family(), "k", value);
    ASSERT_TRUE(store_->flushes().Flush(store_->default_column_family()).ok());
  }
  ASSERT_TRUE(store_->compactions().Compact(store_->default_column_family()).ok());
  ASSERT_TRUE(store_->Close().ok());
  EXPECT_EQ(seen->of_flush, rocksdb::kDisable);
  EXPECT_EQ(seen->of_compaction, rocksdb::kDisable);
}

TEST_F(StoreTest, OpenWithoutCreatingNeedsAStore) {
  StoreOptions options = Options();
  options.create_if_missing = false;
  const Status status = TryOpen(std::move(options));
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr(directory_ / "store"));
}

TEST_F(StoreTest, ColumnFamiliesComeBackWithTheirOrder) {
  Open();
  auto* forward = Family("cf1");
  auto* reverse = Family("rev:cf1");
  EXPECT_FALSE(IsReverse(forward));
  EXPECT_TRUE(IsReverse(reverse));
  EXPECT_EQ(Family("cf1"), forward);
  for (const char* key : {"b", "a", "ab"}) {
    Put(forward, key, "1");
    Put(reverse, key, "2");
  }
  Reopen();
  EXPECT_THAT(Keys(Family("cf1")), ElementsAre("a", "ab", "b"));
  EXPECT_THAT(Keys(Family("rev:cf1")), ElementsAre("b", "ab", "a"));
  EXPECT_STREQ(Family("cf1")->GetComparator()->Name(), "RocksDB_SE_v3.10");
  EXPECT_STREQ(Family("rev:cf1")->GetComparator()->Name(), "rev:RocksDB_SE_v3.10");
  ASSERT_TRUE(store_->flushes().Flush().ok());
  EXPECT_THAT(Keys(Family("rev:cf1")), ElementsAre("b", "ab", "a"));
}

TEST_F(StoreTest, ReverseOrderIsExactInLargeFiles) {
  Open();
  auto* reverse = Family("rev:big");
  std::vector<std::string> expected;
  for (int i = 0; i < 20000; ++i) {
    std::string key = std::to_string(i * 7919 % 20000);
    Put(reverse, key, std::string(50, 'x'));
    expected.push_back(key);
  }
  ASSERT_TRUE(store_->flushes().Flush().ok());
  ASSERT_TRUE(store_->compactions().Compact(reverse).ok());
  std::sort(expected.rbegin(), expected.rend());
  EXPECT_EQ(Keys(reverse), expected);
  for (int i = 0; i < 20000; i += 97) EXPECT_EQ(Get(reverse, std::to_string(i)).size(), 50u);
}

TEST_F(StoreTest, DefaultsAreAppliedAndOptionStringsChangeThem) {
  StoreOptions options = Options();
  options.default_column_family_options =
      "write_buffer_size=4m;block_based_table_factory={block_size=4096}";
  options.override_column_family_options = "cf1={write_buffer_size=8m;}; rev:x = {num_levels=5}";
  ASSERT_TRUE(TryOpen(std::move(options)).ok());
  const auto defaults = store_->base()->GetOptions(store_->default_column_family());
  EXPECT_EQ(defaults.write_buffer_size, 4u << 20);
  EXPECT_EQ(defaults.compression, rocksdb::kLZ4Compression);
  EXPECT_EQ(defaults.bottommost_compression, rocksdb::kZSTD);
  const auto* table = defaults.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->block_size, 4096u);
  EXPECT_NE(table->filter_policy, nullptr) << "an option string must not drop other defaults";
  EXPECT_EQ(table->block_cache.get(), store_->block_cache());
  EXPECT_LE(table->format_version, 5u) << "the old plugin must be able to read our files";
  EXPECT_EQ(store_->base()->GetOptions(Family("cf1")).write_buffer_size, 8u << 20);
  EXPECT_EQ(store_->base()->GetOptions(Family("rev:x")).num_levels, 5);
  EXPECT_STREQ(store_->base()->GetOptions(store_->system()).merge_operator->Name(),
               kAutoIncrementMergeOperatorName);
  EXPECT_EQ(defaults.merge_operator, nullptr);
}

TEST_F(StoreTest, BadOptionStringsAreRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"no_such_option=1", ""},
      {"write_buffer_size=many", ""},
      {"", "cf1"},
      {"", "cf1={write_buffer_size=1m"},
      {"", "cf1={};cf1={}"},
      {"", "={}"},
      {"", "cf1={} x"},
      {"", "default={no_such_option=1}"},
      {"", "made_later={compression=kNoCompresion}"},
      {"", "made_later={bottommost_compression=kBZip2Compression}"},
  };
  for (const auto& [defaults, overrides] : cases) {
    StoreOptions options = Options();
    options.default_column_family_options = defaults;
    options.override_column_family_options = overrides;
    const Status status = TryOpen(std::move(options));
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << defaults << " | " << overrides;
    EXPECT_THAT(std::string(status.message()), HasSubstr("_cf_options"));
  }
}

TEST_F(StoreTest, MistakesInOptionStringsSayWhereTheyAre) {
  const auto message = [this](const std::string& overrides) {
    StoreOptions options = Options();
    options.override_column_family_options = overrides;
    return std::string(TryOpen(std::move(options)).message());
  };
  EXPECT_EQ(message("made_later={num_levels=5;compression=kNoCompresion}"),
            "rocksdb_override_cf_options for made_later: 'num_levels=5;compression=kNoCompresion', "
            "at character 26: 'kNoCompresion' is no value of the option 'compression'; is "
            "'kNoCompression' meant?");
  EXPECT_EQ(message("cf1={num_levels=5};\n cf2 = {num_levels=5"),
            "rocksdb_override_cf_options at character 28: '{' without '}'");
  EXPECT_EQ(message("cf1={};cf2"),
            "rocksdb_override_cf_options at character 8: expected name={options};name={options}, "
            "got 'cf2'");
  EXPECT_EQ(message("cf1={} ; cf1={}"),
            "rocksdb_override_cf_options at character 10: column family 'cf1' comes twice");
}

TEST_F(StoreTest, OldValuesAreTaken) {
  StoreOptions options = Options();
  options.default_column_family_options = "bottommost_compression=kZSTDNotFinalCompression";
  options.override_column_family_options = "cf1={compression=kZSTDNotFinalCompression}";
  ASSERT_EQ(TryOpen(std::move(options)).ToString(), "ok");
  EXPECT_EQ(store_->base()->GetOptions(Family("cf1")).compression, rocksdb::kZSTD);
  ASSERT_EQ(store_->families().UpdateOptions("cf1={compression=kNoCompression}").ToString(), "ok");
  ASSERT_EQ(
      store_->families().UpdateOptions("cf1={compression=kZSTDNotFinalCompression}").ToString(),
      "ok");
  EXPECT_EQ(store_->base()->GetOptions(Family("cf1")).compression, rocksdb::kZSTD);
}

// As published for the old plugin, where LZ4 took no level.
TEST_F(StoreTest, Lz4OfALevelIsNotLz4Hc) {
  StoreOptions options = Options();
  options.default_column_family_options =
      "compression=kLZ4Compression;bottommost_compression=kZSTD;compression_opts=-14:4:0";
  ASSERT_EQ(TryOpen(std::move(options)).ToString(), "ok");
  const int none = rocksdb::CompressionOptions::kDefaultCompressionLevel;
  auto found = store_->base()->GetOptions(Family("cf1"));
  EXPECT_EQ(found.compression_opts.level, none);
  EXPECT_EQ(found.bottommost_compression_opts.level, 4);
  ASSERT_EQ(store_->families().UpdateOptions("cf1={compression_opts=-14:1:0}").ToString(), "ok");
  found = store_->base()->GetOptions(Family("cf1"));
  EXPECT_EQ(found.compression_opts.level, none);
  EXPECT_EQ(found.bottommost_compression_opts.level, 1);
  EXPECT_TRUE(found.bottommost_compression_opts.enabled);
  ASSERT_EQ(store_->families().UpdateOptions("cf1={compression=kZSTD}").ToString(), "ok");
  found = store_->base()->GetOptions(Family("cf1"));
  EXPECT_EQ(found.compression_opts.level, 1) << "the level was meant for any compression";
}

TEST_F(StoreTest, MergeKeepsTheLargerCounter) {
  Open();
  const std::string key("\0\0\0\x09\0\0\0\0\0\0\x01\x2c", 12);
  for (const uint64_t next : {5, 9, 7}) {
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Merge(store_->system(), key, Counter(next)).ok());
    ASSERT_TRUE(store_->Write(&batch, false).ok());
  }
  EXPECT_EQ(Get(store_->system(), key), Counter(9));
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(batch.Merge(store_->system(), key, "garbage").ok());
  ASSERT_TRUE(store_->Write(&batch, false).ok());
  ASSERT_TRUE(store_->flushes().Flush().ok());
  ASSERT_TRUE(store_->compactions().Compact(store_->system()).ok());
  EXPECT_EQ(Get(store_->system(), key), Counter(9));
}

TEST_F(StoreTest, PreparedTransactionsSurviveClosing) {
  Open();
  rocksdb::TransactionOptions transaction_options;
  transaction_options.skip_concurrency_control = true;
  std::unique_ptr<rocksdb::Transaction> transaction(
      store_->db()->BeginTransaction(rocksdb::WriteOptions(), transaction_options));
  ASSERT_TRUE(transaction->SetName("xid").ok());
  ASSERT_TRUE(transaction->Put(store_->default_column_family(), "key", "value").ok());
  ASSERT_TRUE(transaction->Prepare().ok());
  ASSERT_TRUE(store_->SyncWal(true).ok());
  transaction.release();  // a crash would not roll it back either; the store's end frees it
  Reopen();
  std::vector<rocksdb::Transaction*> prepared;
  store_->db()->GetAllPreparedTransactions(&prepared);
  ASSERT_EQ(prepared.size(), 1u);
  EXPECT_EQ(prepared[0]->GetName(), "xid");
  ASSERT_TRUE(prepared[0]->Commit().ok());
  delete prepared[0];
  EXPECT_EQ(Get(store_->default_column_family(), "key"), "value");
}

TEST_F(StoreTest, WritesTakeNoLocksOfRocksDb) {
  Open();
  rocksdb::TransactionOptions transaction_options;
  transaction_options.skip_concurrency_control = true;
  std::unique_ptr<rocksdb::Transaction> transaction(
      store_->db()->BeginTransaction(rocksdb::WriteOptions(), transaction_options));
  ASSERT_TRUE(transaction->Put(store_->default_column_family(), "key", "1").ok());
  Put(store_->default_column_family(), "key", "2");
  ASSERT_TRUE(transaction->Commit().ok());
  EXPECT_EQ(Get(store_->default_column_family(), "key"), "1");
}

TEST_F(StoreTest, KilledProcessLosesNothingThatWasSynced) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "TSan knows no new threads after the fork of a process that has some";
#endif
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    StoreOptions options = Options();
    options.write_buffer_bytes = 64 << 20;  // no flush: the threads for it stayed in the parent
    if (!TryOpen(options).ok()) _exit(1);
    for (int i = 0; i < 100; ++i) {
      rocksdb::WriteBatch batch;
      if (!batch.Put(store_->default_column_family(), "synced" + std::to_string(i), "x").ok() ||
          !store_->Write(&batch, i == 99).ok()) {
        _exit(2);
      }
    }
    // Unacknowledged, and more than the log's buffer holds, so that its end is torn.
    for (int i = 0; i < 300; ++i) {
      rocksdb::WriteBatch batch;
      if (!batch.Put("lost" + std::to_string(i), std::string(10007, 'y')).ok() ||
          !store_->Write(&batch, false).ok()) {
        _exit(3);
      }
    }
    kill(getpid(), SIGKILL);
  }
  int state = 0;
  ASSERT_EQ(waitpid(child, &state, 0), child);
  ASSERT_TRUE(WIFSIGNALED(state)) << "exit status " << WEXITSTATUS(state);
  Open();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(Get(store_->default_column_family(), "synced" + std::to_string(i)), "x");
  }
}

// Also the strictest mode takes the space made ready behind the end of a log for what it is.
TEST_F(StoreTest, ALogThatEndsInZerosIsWhole) {
  Open();
  Put(store_->default_column_family(), "key", "1", true);
  const std::string copy = directory_ / "copy";  // what a crash leaves behind
  std::filesystem::copy(directory_ / "store", copy, std::filesystem::copy_options::recursive);
  for (const int mode : {1, 2}) {
    StoreOptions options = Options();
    options.directory = copy;
    options.wal_recovery_mode = mode;
    std::string warning;
    options.log = [&](LogLevel level, std::string_view text) {
      if (level != LogLevel::kInformation) warning = text;
    };
    ASSERT_TRUE(store_->Close().ok());
    store_.reset();
    const Status status = TryOpen(options);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(warning, "");
    EXPECT_EQ(Get(store_->default_column_family(), "key"), "1");
  }
}

TEST_F(StoreTest, TornLogStopsTheStartOnlyInAbsoluteMode) {
  Open();
  Put(store_->default_column_family(), "first", "1", true);
  // A copy of the running store is what a crash leaves behind.
  Put(store_->default_column_family(), "second", std::string(1000, '2'), true);
  const std::string copy = directory_ / "copy";
  std::filesystem::copy(directory_ / "store", copy, std::filesystem::copy_options::recursive);
  std::string last_log;
  for (const auto& entry : std::filesystem::directory_iterator(copy)) {
    if (entry.path().extension() == ".log") last_log = std::max(last_log, entry.path().string());
  }
  ASSERT_FALSE(last_log.empty());
  std::filesystem::resize_file(last_log, test::EndOfLog(last_log) - 500);

  StoreOptions options = Options();
  options.directory = copy;
  options.wal_recovery_mode = 1;
  std::unique_ptr<Store> opened;
  EXPECT_EQ(Store::Open(options, &opened).code(), Code::kCorruption);

  std::string warning;
  options.wal_recovery_mode = StoreOptions().wal_recovery_mode;
  options.log = [&](LogLevel level, std::string_view text) {
    if (level == LogLevel::kWarning) warning = text;
  };
  const Status status = Store::Open(options, &opened);
  ASSERT_TRUE(status.ok()) << status.ToString();
  std::string value;
  EXPECT_TRUE(opened->db()->Get(rocksdb::ReadOptions(), "first", &value).ok());
  EXPECT_TRUE(opened->db()->Get(rocksdb::ReadOptions(), "second", &value).IsNotFound());
  EXPECT_THAT(warning, HasSubstr("torn end of the log"));
}

TEST_F(StoreTest, CheckpointHoldsUnsyncedWritesAndOpens) {
  Open();
  Put(Family("rev:cf"), "key", "value");
  const std::string path = directory_ / "checkpoint";
  ASSERT_TRUE(store_->checkpoints().Create(path).ok());
  EXPECT_FALSE(store_->checkpoints().Create(path).ok()) << "the target exists";
  Put(Family("rev:cf"), "key", "later");
  StoreOptions options = Options();
  options.directory = path;
  std::unique_ptr<Store> copy;
  const Status status = Store::Open(options, &copy);
  ASSERT_TRUE(status.ok()) << status.ToString();
  std::string value;
  ASSERT_TRUE(copy->db()
                  ->Get(rocksdb::ReadOptions(), copy->FindColumnFamily("rev:cf"), "key", &value)
                  .ok());
  EXPECT_EQ(value, "value");
}

TEST_F(StoreTest, CorruptionMarkerStopsTheStart) {
  Open();
  store_.reset();
  std::ofstream(directory_ / "store/ROCKSDB_CORRUPTED").put('\n');
  const Status status = TryOpen(Options());
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(std::string(status.message()), HasSubstr("ROCKSDB_CORRUPTED"));
  StoreOptions options = Options();
  options.ignore_corruption_marker = true;
  EXPECT_TRUE(TryOpen(std::move(options)).ok());
}

TEST_F(StoreTest, UnfinishedBulkLoadsAreRemoved) {
  Open();
  store_.reset();
  const std::string left = directory_ / "store/t_0.bulk_load.tmp";
  std::ofstream(left).put('x');
  Open();
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(StoreTest, CompactionThatRocksDBRefusesIsInterrupted) {
  Open();
  Put(store_->default_column_family(), "key", "value");
  store_->base()->DisableManualCompaction();
  EXPECT_EQ(store_->compactions().Compact(store_->default_column_family()).code(),
            Code::kInterrupted);
  store_->base()->EnableManualCompaction();
  EXPECT_TRUE(store_->compactions().Compact(store_->default_column_family()).ok());
}

TEST_F(StoreTest, OptionsCanBeChangedWhileOpen) {
  Open();
  auto* handle = store_->default_column_family();
  ASSERT_TRUE(store_->families().UpdateOptions("default={write_buffer_size=2m}").ok());
  EXPECT_EQ(store_->base()->GetOptions(handle).write_buffer_size, 2u << 20);
  EXPECT_FALSE(store_->families().UpdateOptions("default={num_levels=3}").ok());
  EXPECT_TRUE(store_->settings().SetDatabaseOptions("max_background_jobs=3").ok());
}

TEST_F(StoreTest, CloseIsIdempotent) {
  Open();
  EXPECT_TRUE(store_->Close().ok());
  EXPECT_TRUE(store_->Close().ok());
}

}  // namespace
}  // namespace basalt::store
