// SPDX-License-Identifier: GPL-2.0-only
//
// Directories that cannot be served: each is refused with its reason, and no byte of it changes.
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/merge_operator.h>

#include "catalog/dictionary_records.h"
#include "engine/database.h"
#include "store/format/comparator.h"
#include "unit/store/fingerprint.h"
#include "unit/store/temporary_directory.h"

namespace basalt::engine {
namespace {

using catalog::IndexKey;
using catalog::RecordType;
using ::testing::HasSubstr;

std::string BigEndian(std::initializer_list<uint32_t> words) {
  std::string bytes;
  for (const uint32_t word : words) AppendBigEndian32(&bytes, word);
  return bytes;
}

// A key or value written in hexadecimal.
std::string Hex(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

class RefusalTest : public testing::Test {
 protected:
  std::string Path() const { return directory_ / "store"; }

  Database::Options Options() const {
    Database::Options options;
    options.store.directory = Path();
    options.store.block_cache_bytes = 8u << 20;
    options.store.reserved_free_bytes = 0;
    return options;
  }

  std::unique_ptr<Database> Open() {
    std::unique_ptr<Database> database;
    const Status status = Database::Open(Options(), &database);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return database;
  }

  // A store with one table, d.t: index 256 in `default`, index 257 in `rev:cf1` (id 2).
  void Make() {
    auto database = Open();
    const std::vector<catalog::IndexRequest> requests = {
        {"default", catalog::IndexKind::kPrimary, 0, 0, false},
        {"rev:cf1", catalog::IndexKind::kSecondary, 0, 0, false}};
    ASSERT_TRUE(database->catalog()->CreateTable("d.t", requests, 0, nullptr).ok());
    rocksdb::WriteBatch row;
    ASSERT_TRUE(row.Put(database->store()->default_column_family(), BigEndian({256, 1}), "v").ok());
    ASSERT_TRUE(database->store()->Write(&row, true).ok());
  }

  void PutSystem(const std::string& key, const std::string& value, bool flush) {
    auto database = Open();
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Put(database->store()->system(), key, value).ok());
    ASSERT_TRUE(database->store()->Write(&batch, true).ok());
    if (!flush) return;
    ASSERT_TRUE(database->store()->flushes().Flush().ok());
  }

  // The message of the refusal; the directory must stay as it is.
  std::string Refused() {
    const auto before = test::Fingerprint(Path());
    std::unique_ptr<Database> database;
    const Status status = Database::Open(Options(), &database);
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(database, nullptr);
    const auto after = test::Fingerprint(Path());
    EXPECT_EQ(before.size(), after.size());
    EXPECT_TRUE(before == after) << "something was written";
    return status.ToString();
  }

  std::vector<std::string> FilesEndingWith(const std::string& end) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(Path())) {
      if (entry.path().string().ends_with(end)) found.push_back(entry.path());
    }
    return found;
  }

  test::TemporaryDirectory directory_;
};

struct Damage {
  const char* name;
  std::string key;
  std::string value;
  const char* message;
};

std::vector<Damage> Damages() {
  const IndexId primary{0, 256};
  const std::string table = catalog::TableKey("d.t");
  const std::string index = IndexKey(RecordType::kIndex, primary);
  const std::string family = catalog::ColumnFamilyKey(2);
  const std::string job = catalog::IngestJobKey(7);
  return {
      {"short key", "ab", "", "shorter than a record type"},
      {"table cut off", table, Hex("0001000000"), "no list of indexes"},
      {"table of a later version", table, Hex("00020000000000000100"), "version 2 is not known"},
      {"table without a primary key", table, Hex("00010000000200000101"), "no primary key"},
      {"table with an unknown index", table, Hex("00010000000000000999"), "no record"},
      {"an index of two tables", catalog::TableKey("d.u"), Hex("00010000000000000100"),
       "two tables have this index"},
      {"index cut off", index, Hex("0006"), "cut off"},
      {"index of a later version", index, Hex("000801000d000000000000000000000000"),
       "version 8 is not known"},
      {"layout of rows cut off", index, Hex("000701000d000000000000000000000000"),
       "what follows the time to live is cut off"},
      {"rows of a later format", index, Hex("000601ffff000000000000000000000000"), "newer than"},
      {"unknown flags", index, Hex("000601000d800000000000000000000000"), "unknown index flags"},
      {"unknown kind", index, Hex("000609000d000000000000000000000000"), "kind 9"},
      {"index key cut off", catalog::TypeKey(RecordType::kIndex) + "abc", "", "wrong length"},
      {"column family of a later version", family, Hex("000200000001"), "version 2"},
      {"column family the other way round", family, Hex("000100000000"), "contradicts its name"},
      {"drop of an index in use", IndexKey(RecordType::kIndexDrop, primary), Hex("0001"),
       "marked as dropped"},
      {"drop key cut off", catalog::TypeKey(RecordType::kIndexDrop) + "a", Hex("0001"),
       "wrong length"},
      {"build key cut off", catalog::TypeKey(RecordType::kIndexBuild) + "a", Hex("0001"),
       "wrong length"},
      {"highest number cut off", catalog::TypeKey(RecordType::kMaximumIndexNumber), Hex("0001"),
       "not 6"},
      {"job cut off", job, Hex("0001"), "cut off"},
      {"job without its column family", job, Hex("000100000001000000090001") + "f",
       "column family 9"},
  };
}

TEST_F(RefusalTest, EachDamagedRecordOfTheDictionary) {
  for (const bool flush : {false, true}) {  // in the log only; in a table file
    for (const Damage& damage : Damages()) {
      SCOPED_TRACE(std::string(damage.name) + (flush ? ", flushed" : ""));
      std::filesystem::remove_all(Path());
      Make();
      PutSystem(damage.key, damage.value, flush);
      const std::string message = Refused();
      EXPECT_THAT(message, HasSubstr(damage.message));
      EXPECT_THAT(message, HasSubstr("left as it is"));
    }
  }
}

TEST_F(RefusalTest, WhatConcernsOneTableOnlyIsNoReason) {
  Make();
  const IndexId primary{0, 256};
  PutSystem(IndexKey(RecordType::kAutoIncrement, primary), "bad", true);
  PutSystem(IndexKey(RecordType::kIndexStatistics, primary), "bad", true);
  PutSystem(catalog::TableVersionKey("./d/t"), "bad", true);
  PutSystem(BigEndian({0x40000077}) + "of a later version", "x", true);
  EXPECT_NE(Open()->catalog()->FindTable("d.t"), nullptr);
}

TEST_F(RefusalTest, AMissingColumnFamilyRecordIsWritten) {
  Make();
  {
    auto database = Open();
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Delete(database->store()->system(), catalog::ColumnFamilyKey(2)).ok());
    ASSERT_TRUE(database->store()->Write(&batch, true).ok());
  }
  EXPECT_EQ(Open()->summary().dictionary.column_family_records_added, 1u);
  EXPECT_EQ(Open()->summary().dictionary.column_family_records_added, 0u);
}

TEST_F(RefusalTest, ALaterRocksDB) {
  Make();
  for (const std::string& path : FilesEndingWith("")) {
    if (path.find("OPTIONS-") == std::string::npos) continue;
    std::ifstream in(path);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    const size_t at = text.find("rocksdb_version=");
    ASSERT_NE(at, std::string::npos);
    text.replace(at, text.find('\n', at) - at, "rocksdb_version=99.1.0");
    std::ofstream(path) << text;
  }
  EXPECT_THAT(Refused(), HasSubstr("written by RocksDB 99.1.0"));
}

TEST_F(RefusalTest, MarkedAsDamaged) {
  Make();
  std::ofstream(Path() + "/ROCKSDB_CORRUPTED") << "x";
  EXPECT_THAT(Refused(), HasSubstr("rocksdb_allow_to_start_after_corruption"));
  Database::Options options = Options();
  options.store.ignore_corruption_marker = true;
  std::unique_ptr<Database> database;
  EXPECT_EQ(Database::Open(std::move(options), &database).ToString(), "ok");
}

TEST_F(RefusalTest, TableFilesThatAreMissingOrCutOff) {
  Make();
  ASSERT_TRUE(Open()->store()->flushes().Flush().ok());
  const std::vector<std::string> tables = FilesEndingWith(".sst");
  ASSERT_FALSE(tables.empty());
  std::filesystem::resize_file(tables[0], std::filesystem::file_size(tables[0]) - 10);
  EXPECT_THAT(Refused(), HasSubstr("size"));
  std::filesystem::remove(tables[0]);
  EXPECT_THAT(Refused(), HasSubstr("reading it"));
}

TEST_F(RefusalTest, ADamagedTableFileOfTheDictionary) {
  Make();
  std::string file;
  {
    auto database = Open();
    ASSERT_TRUE(database->store()->flushes().Flush().ok());
    rocksdb::TablePropertiesCollection properties;
    ASSERT_TRUE(database->store()
                    ->base()
                    ->GetPropertiesOfAllTables(database->store()->system(), &properties)
                    .ok());
    ASSERT_FALSE(properties.empty());
    file = properties.begin()->first;
  }
  std::fstream damaged(file, std::ios::in | std::ios::out | std::ios::binary);
  damaged.seekp(4);
  damaged << "damage";
  damaged.close();
  EXPECT_THAT(Refused(), HasSubstr("corruption"));
}

TEST_F(RefusalTest, NoManifest) {
  Make();
  for (const std::string& path : FilesEndingWith("")) {
    if (path.find("MANIFEST-") != std::string::npos) std::filesystem::remove(path);
  }
  EXPECT_THAT(Refused(), HasSubstr("MANIFEST"));
}

TEST_F(RefusalTest, OpenInAnotherProcess) {
  Make();
  auto database = Open();
  std::unique_ptr<Database> second;
  EXPECT_THAT(Database::Open(Options(), &second).ToString(),
              HasSubstr("another process has the store open"));
}

// A RocksDB of another program.
void MakeForeign(const std::string& path, const rocksdb::Options& options, const char* key) {
  std::unique_ptr<rocksdb::DB> db;
  rocksdb::Options made = options;
  made.create_if_missing = true;
  ASSERT_TRUE(rocksdb::DB::Open(made, path, &db).ok());
  ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), key, "value").ok());
  ASSERT_TRUE(db->Flush(rocksdb::FlushOptions()).ok());
  ASSERT_TRUE(db->Close().ok());
}

TEST_F(RefusalTest, AnotherComparator) {
  MakeForeign(Path(), rocksdb::Options(), "key");
  EXPECT_THAT(Refused(), HasSubstr("omparator"));
}

TEST_F(RefusalTest, NoDictionary) {
  rocksdb::Options options;
  options.comparator = store::ForwardComparator();
  MakeForeign(Path(), options, "key");
  EXPECT_THAT(Refused(), HasSubstr("no column family __system__"));
}

class OtherMergeOperator : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice*, const rocksdb::Slice& value,
             std::string* merged, rocksdb::Logger*) const override {
    *merged = value.ToString();
    return true;
  }
  const char* Name() const override { return "other_merge"; }
};

TEST_F(RefusalTest, AnUnknownMergeOperator) {
  rocksdb::Options options;
  options.comparator = store::ForwardComparator();
  options.merge_operator = std::make_shared<OtherMergeOperator>();
  MakeForeign(Path(), options, "key");
  EXPECT_THAT(Refused(), HasSubstr("merge operator 'other_merge'"));
}

TEST_F(RefusalTest, AFirstStartThatWasCutOffIsNoReason) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.comparator = store::ForwardComparator();
  std::unique_ptr<rocksdb::DB> db;
  ASSERT_TRUE(rocksdb::DB::Open(options, Path(), &db).ok());
  db.reset();
  EXPECT_NE(Open(), nullptr);
}

TEST_F(RefusalTest, UnfinishedBulkLoadsGoOnlyWhenTheStoreIsServed) {
  Make();
  std::ofstream(Path() + "/x.bulk_load.tmp") << "x";
  PutSystem(catalog::TableKey("d.u"), "bad", true);
  std::ofstream(Path() + "/y.bulk_load.tmp") << "y";
  Refused();
  EXPECT_EQ(FilesEndingWith(".bulk_load.tmp").size(), 1u) << "x went with the first opening";
}

TEST_F(RefusalTest, APreparedTransactionInTheLogIsNoReason) {
  Make();
  {
    auto database = Open();
    auto transaction = database->transactions()->NewTransaction();
    transaction->Begin({});
    ASSERT_TRUE(transaction->writes()
                    .Put(database->store()->default_column_family(), BigEndian({256, 5}), "v")
                    .ok());
    transaction->writes().NoteAutoIncrement({0, 256}, 9);
    ASSERT_TRUE(transaction->Prepare("left", txn::Durability::kSync).ok());
    database->transactions()->Detach(std::move(transaction));
  }
  auto database = Open();
  EXPECT_EQ(database->summary().prepared_transactions, 1u);
  EXPECT_THAT(Describe(database->summary()), HasSubstr("1 prepared transaction recovered"));
  EXPECT_THAT(Describe(database->summary()), HasSubstr("last written by Basalt"));
}

}  // namespace
}  // namespace basalt::engine
