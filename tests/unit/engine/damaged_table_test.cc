// SPDX-License-Identifier: GPL-2.0-only
//
// Ordinary reads and writes of a damaged table: an error that names table, index and key, and a
// store that goes on.
#include <gmock/gmock.h>

#include "unit/engine/damage_fixture.h"

namespace basalt::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<std::string> kTable = {
    "column a int",  "column b int null", "column d varbinary(10)",
    "primary 100 a", "index 101 b",       "index 102 d unique"};

class DamagedTableTest : public DamageFixture {
 protected:
  void SetUp() override {
    Open();
    CreateTable("d.t", kTable, false);
    Insert({"1,10,'x'", "2,20,'y'"});
  }
  std::vector<uint8_t> Buffer() const {
    return std::vector<uint8_t>(described_->descriptor().record_length);
  }
  // Reads the first row by way of an index.
  Status ReadFirst(size_t index, bool lock = false) {
    Begin({.lock = lock});
    std::vector<uint8_t> record = Buffer();
    Status status = access_->scan().BeginScan(index, false, true);
    if (status.ok()) status = access_->scan().SeekToEnd(Direction::kForward);
    if (status.ok()) status = access_->scan().ReadRow(record.data());
    access_->scan().End();
    access_->Unbind();
    EXPECT_TRUE(transaction_->Rollback().ok());
    return status;
  }
  void ExpectNamed(const Status& status, const std::string& index, const std::string& key) {
    EXPECT_EQ(status.code(), Code::kCorruption);
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("table d.t, index " + index), HasSubstr(key)));
  }
  std::string KeyOf(size_t index, const std::string& row) {
    return test::Hex(EntryOf(index, row).key);
  }
};

TEST_F(DamagedTableTest, AGarbledRow) {
  const Entry row = EntryOf(0, "1,10,'x'");
  PutEntry(0, {row.key, "\x01"});
  for (const bool lock : {false, true}) {
    ExpectNamed(ReadFirst(0, lock), "PRIMARY", test::Hex(row.key));
    ExpectNamed(ReadFirst(1, lock), "PRIMARY", test::Hex(row.key));
  }
  Begin();
  std::vector<uint8_t> record = Buffer();
  ExpectNamed(access_->reader().Read(row.key, record.data()), "PRIMARY", test::Hex(row.key));
  const std::vector<std::string> keys = {row.key};
  access_->FetchRows(keys, 1);
  ExpectNamed(access_->TakeFetched(0, record.data()), "PRIMARY", test::Hex(row.key));
  Commit();
  Insert({"3,30,'z'"});
}

TEST_F(DamagedTableTest, AGarbledEntry) {
  const Entry entry = EntryOf(1, "1,10,'x'");
  RemoveEntry(1, entry.key);
  const std::string cut = entry.key.substr(0, entry.key.size() - 3);
  PutEntry(1, {cut, ""});
  const Status status = ReadFirst(1);
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(std::string(status.message()), HasSubstr("table d.t"));
}

TEST_F(DamagedTableTest, AnEntryWithoutARow) {
  RemoveEntry(0, EntryOf(0, "1,10,'x'").key);
  ExpectNamed(ReadFirst(1), "PRIMARY", KeyOf(0, "1,10,'x'"));
  // A locking read looks at the newest state, where a row may be gone for good reasons.
  EXPECT_EQ(ReadFirst(1, true).code(), Code::kNotFound);
  Begin();
  std::vector<uint8_t> record = Buffer();
  ASSERT_TRUE(access_->scan().BeginScan(1, false, true).ok());
  ASSERT_TRUE(access_->scan().SeekToEnd(Direction::kForward).ok());
  ASSERT_TRUE(access_->scan().TakeRowKey().ok());
  const std::vector<std::string> keys = {std::string(access_->reader().key())};
  access_->FetchRows(keys, 1);
  ExpectNamed(access_->TakeFetched(0, record.data()), "PRIMARY", KeyOf(0, "1,10,'x'"));
  Commit();
}

TEST_F(DamagedTableTest, ADamagedBlock) {
  const std::string key = EntryOf(0, "1,10,'x'").key;
  FlipBytesOf(0);
  OpenTable("d.t", kTable);
  ExpectNamed(ReadFirst(0), "PRIMARY", "");
  ExpectNamed(ReadFirst(1), "PRIMARY", test::Hex(key));
  ExpectNamed(ReadFirst(1, true), "PRIMARY", test::Hex(key));
  Begin();
  std::vector<uint8_t> record = Buffer();
  size_t duplicate = 0;
  ExpectNamed(access_->writer().Insert(described_->Record("1,1,'q'").data(), &duplicate), "PRIMARY",
              test::Hex(key));
  const std::vector<std::string> keys = {key};
  access_->FetchRows(keys, 1);
  ExpectNamed(access_->TakeFetched(0, record.data()), "PRIMARY", test::Hex(key));
  access_->Unbind();
  ASSERT_TRUE(transaction_->Rollback().ok());
  EXPECT_TRUE(database_->store()->writing_allowed());
}

TEST_F(DamagedTableTest, ADamagedBlockOfAUniqueIndex) {
  FlipBytesOf(2);
  OpenTable("d.t", kTable);
  Begin();
  size_t duplicate = 0;
  const Status status = access_->writer().Insert(described_->Record("5,1,'x'").data(), &duplicate);
  ExpectNamed(status, "k2", test::Hex(EntryOf(2, "5,1,'x'").key.substr(0, 6)));
  access_->Unbind();
  ASSERT_TRUE(transaction_->Rollback().ok());
  EXPECT_TRUE(ReadFirst(1).ok());
}

// A compaction that meets the damage must not take the server's writes with it.
TEST_F(DamagedTableTest, ACompactionOverTheDamage) {
  FlipBytesOf(0);
  OpenTable("d.t", kTable);
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  EXPECT_FALSE(database_->store()
                   ->base()
                   ->CompactRange(options, table_->index(0).family, nullptr, nullptr)
                   .ok());
  EXPECT_EQ(database_->store()->CheckWritingAllowed().ToString(), "ok");
  Insert({"7,70,'seven'"});
  CreateTable("d.other", kTable, false);
  Insert({"1,10,'x'"});
  EXPECT_TRUE(ReadFirst(0).ok());
}

}  // namespace
}  // namespace basalt::engine
