// SPDX-License-Identifier: GPL-2.0-only
//
// What RocksDB does below Basalt, in half a minute: the set-up compiles the library once to count
// how often each branch of it is taken here, and then again with those counts. So the options and
// the calls are those of src/store and src/txn, and what is rare there is rare here. It tests
// nothing; but a call that fails ends it, and the set-up with it.
//
//   workload DIRECTORY    makes the store in it, which must not exist

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/transaction_db.h>
#include <rocksdb/utilities/write_batch_with_index.h>
#include <rocksdb/write_buffer_manager.h>

namespace {

constexpr uint32_t kRows = 150'000;
constexpr uint32_t kPrimary = 256;  // index numbers, the first four bytes of each key
constexpr uint32_t kSecondary = 257;
constexpr uint32_t kLoaded = 258;

void Check(const rocksdb::Status& status) {
  if (status.ok() || status.IsNotFound()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

void Append(std::string* key, uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) key->push_back(static_cast<char>(number >> shift));
}

std::string Key(uint32_t index, uint32_t first) {
  std::string key;
  Append(&key, index);
  Append(&key, first ^ 0x80000000U);
  return key;
}

std::string Key(uint32_t index, uint32_t first, uint32_t second) {
  std::string key = Key(index, first);
  Append(&key, second ^ 0x80000000U);
  return key;
}

// As compressible as most rows are: digits with a few letters.
std::string Row(uint32_t number, size_t size) {
  std::string row;
  while (row.size() < size) row += std::to_string(number = number * 1103515245 + 12345) + "-";
  row.resize(size);
  return row;
}

// Basalt's comparator has a name of its own, so RocksDB's short cuts for its own one are not taken.
class Forward final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "forward"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return a.compare(b);
  }
  bool Equal(const rocksdb::Slice& a, const rocksdb::Slice& b) const override { return a == b; }
  void FindShortestSeparator(std::string* start, const rocksdb::Slice& limit) const override {
    rocksdb::BytewiseComparator()->FindShortestSeparator(start, limit);
  }
  void FindShortSuccessor(std::string* key) const override {
    rocksdb::BytewiseComparator()->FindShortSuccessor(key);
  }
  bool CanKeysWithDifferentByteContentsBeEqual() const override { return false; }
};

rocksdb::Options StoreOptions() {
  static const Forward forward;
  rocksdb::Options options;
  options.comparator = &forward;
  const std::shared_ptr<rocksdb::Cache> cache =
      rocksdb::HyperClockCacheOptions(size_t{64} << 20).MakeSharedCache();

  rocksdb::BlockBasedTableOptions table;
  table.format_version = 5;
  table.checksum = rocksdb::kXXH3;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.block_size = 8 << 10;
  table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
  table.block_cache = cache;
  table.cache_index_and_filter_blocks = true;
  table.metadata_cache_options.top_level_index_pinning = rocksdb::PinningTier::kAll;
  table.metadata_cache_options.unpartitioned_pinning = rocksdb::PinningTier::kAll;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));

  options.write_buffer_size = 4 << 20;
  options.max_write_buffer_number = 3;
  options.max_bytes_for_level_base = 16 << 20;
  options.target_file_size_base = 8 << 20;
  options.memtable_prefix_bloom_size_ratio = 0.02;
  options.memtable_whole_key_filtering = true;
  options.memtable_op_scan_flush_trigger = 16384;
  options.max_write_buffer_size_to_maintain = 1;
  options.compression = rocksdb::kLZ4Compression;
  options.bottommost_compression = rocksdb::kZSTD;

  options.create_if_missing = true;
  options.allow_2pc = true;
  options.two_write_queues = true;
  options.manual_wal_flush = true;
  options.max_background_jobs = 2;
  options.avoid_flush_during_shutdown = true;
  options.write_buffer_manager =
      std::make_shared<rocksdb::WriteBufferManager>(size_t{16} << 20, cache);
  options.statistics = rocksdb::CreateDBStatistics();
  options.statistics->set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers);
  return options;
}

// One connection of a server.
class Client {
 public:
  Client(rocksdb::TransactionDB* db, uint32_t seed)
      : db_(db), base_(db->GetBaseDB()), family_(db->DefaultColumnFamily()), random_(seed) {}

  uint32_t AnyRow() { return static_cast<uint32_t>(random_() % kRows); }

  // A statement that inserts rows: each key is looked up before.
  void Insert(uint32_t first, uint32_t count) {
    Begin();
    for (uint32_t row = first; row < first + count; ++row) {
      Get(Key(kPrimary, row));
      Put(Key(kPrimary, row), Row(row, 180));
      Put(Key(kSecondary, row * 7919 % kRows, row), "");
    }
    Commit();
  }

  // A row is read, its secondary entry moves, and the row is written.
  void Update() {
    const uint32_t row = AnyRow();
    Begin();
    Get(Key(kPrimary, row));
    Put(Key(kPrimary, row), Row(static_cast<uint32_t>(random_()), 180));
    Check(batch_->SingleDelete(family_, Key(kSecondary, row * 7919 % kRows, row)));
    Put(Key(kSecondary, row * 7919 % kRows, row), "");
    Commit();
  }

  void DeleteAndInsert() {
    const uint32_t row = AnyRow();
    Begin();
    Get(Key(kPrimary, row));
    Check(batch_->Delete(family_, Key(kPrimary, row)));
    Put(Key(kPrimary, row), Row(row, 180));
    Commit();
  }

  // With a second number behind the key no such row is there.
  void ReadPoints() {
    for (int i = 0; i < 10; ++i) Get(Key(kPrimary, AnyRow()));
    Get(Key(kPrimary, AnyRow(), 1));
  }

  void ReadTogether() {
    std::vector<std::string> keys;
    for (int i = 0; i < 10; ++i) keys.push_back(Key(kPrimary, AnyRow()));
    const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    base_->MultiGet(rocksdb::ReadOptions(), family_, keys.size(), slices.data(), values.data(),
                    statuses.data());
  }

  // An iterator is kept and refreshed, as by a cursor.
  void Scan(uint32_t index, int steps, bool backwards) {
    if (iterator_ == nullptr) {
      iterator_.reset(base_->NewIterator(rocksdb::ReadOptions(), family_));
    } else {
      Check(iterator_->Refresh());
    }
    const std::string from = Key(index, AnyRow());
    backwards ? iterator_->SeekForPrev(from) : iterator_->Seek(from);
    size_t bytes = 0;
    for (; steps > 0 && iterator_->Valid(); --steps) {
      bytes += iterator_->key().size() + iterator_->value().size();
      backwards ? iterator_->Prev() : iterator_->Next();
    }
    Check(iterator_->status());
    read_ += bytes;
  }

  uint64_t bytes_read() const { return read_; }

 private:
  void Begin() {
    rocksdb::TransactionOptions options;
    options.skip_concurrency_control = true;
    rocksdb::Transaction* begun =
        db_->BeginTransaction(rocksdb::WriteOptions(), options, transaction_.get());
    if (begun != transaction_.get()) transaction_.reset(begun);
    batch_ = transaction_->GetWriteBatch();
  }

  void Put(const std::string& key, const std::string& value) {
    Check(batch_->Put(family_, key, value));
  }

  void Get(const std::string& key) {
    rocksdb::PinnableSlice value;
    Check(base_->Get(rocksdb::ReadOptions(), family_, key, &value));
    read_ += value.size();
  }

  void Commit() {
    static std::atomic<uint64_t> names{0};
    const uint64_t number = ++names;
    Check(transaction_->SetName("MySQLXid" + std::to_string(number)));
    Check(transaction_->Prepare());
    Check(base_->FlushWAL(/*sync=*/number % 64 == 0));
    Check(transaction_->Commit());
  }

  rocksdb::TransactionDB* const db_;
  rocksdb::DB* const base_;
  rocksdb::ColumnFamilyHandle* const family_;
  std::minstd_rand random_;
  std::unique_ptr<rocksdb::Transaction> transaction_;
  rocksdb::WriteBatchWithIndex* batch_ = nullptr;
  std::unique_ptr<rocksdb::Iterator> iterator_;
  uint64_t read_ = 0;
};

std::unique_ptr<rocksdb::TransactionDB> Open(const std::string& directory) {
  rocksdb::TransactionDBOptions options;
  options.skip_concurrency_control = true;
  options.num_stripes = 1;
  rocksdb::TransactionDB* db = nullptr;
  Check(rocksdb::TransactionDB::Open(StoreOptions(), options, directory, &db));
  return std::unique_ptr<rocksdb::TransactionDB>(db);
}

void Fill(rocksdb::TransactionDB* db) {
  constexpr uint32_t kRowsAStatement = 500;
  Client client(db, 1);
  for (uint32_t row = 0; row < kRows; row += kRowsAStatement) client.Insert(row, kRowsAStatement);
}

// Sorted files, as bulk loads write them.
void Load(rocksdb::DB* db, const std::string& directory) {
  const std::string path = directory + "/loaded.sst";
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), db->GetOptions());
  Check(writer.Open(path));
  for (uint32_t row = 0; row < kRows; ++row) Check(writer.Put(Key(kLoaded, row), Row(row, 120)));
  Check(writer.Finish());
  rocksdb::IngestExternalFileOptions options;
  options.move_files = true;
  Check(db->IngestExternalFile({path}, options));
}

void Work(rocksdb::TransactionDB* db, uint32_t seed) {
  constexpr int kRounds = 2500;
  Client client(db, seed);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < 4; ++i) client.Update();
    client.DeleteAndInsert();
    client.ReadPoints();
    client.ReadTogether();
    client.Scan(kPrimary, 100, /*backwards=*/false);
    client.Scan(kSecondary, 20, /*backwards=*/round % 4 == 0);
    if (round % 50 == 0) client.Scan(kLoaded, 10'000, /*backwards=*/false);
  }
  std::printf("client %u has read %llu bytes\n", seed,
              static_cast<unsigned long long>(client.bytes_read()));
}

void WorkTogether(rocksdb::TransactionDB* db) {
  constexpr uint32_t kClients = 4;
  std::vector<std::thread> threads;
  for (uint32_t seed = 1; seed <= kClients; ++seed) threads.emplace_back(Work, db, seed);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: workload DIRECTORY\n");
    return 2;
  }
  const std::string directory = arguments[1];
  std::unique_ptr<rocksdb::TransactionDB> db = Open(directory);
  Fill(db.get());
  Load(db->GetBaseDB(), directory);
  WorkTogether(db.get());
  db.reset();
  db = Open(directory);  // the log is read
  WorkTogether(db.get());
  Check(db->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr));
  Work(db.get(), 9);
  return 0;
}
