// SPDX-License-Identifier: GPL-2.0-only
//
// Tables whose definition was changed over their rows: docs/format/row-versions.md.
#include <gmock/gmock.h>

#include "codec/row_layout_change.h"
#include "codec/row_layout_record.h"
#include "unit/engine/engine_fixture.h"

namespace basalt::engine {
namespace {

using testing::HasSubstr;

class ChangedRowsTest : public EngineFixture {
 protected:
  static constexpr uint32_t kAdded = kRecordBytes;  // behind the other columns
  static constexpr int32_t kDefault = 7;

  void SetUp() override {
    Open();
    CreateTable(/*hidden=*/false);
    Begin();
    ASSERT_TRUE(Insert({1, false, 30, "one"}).ok());
    ASSERT_TRUE(Insert({2, true, 0, "two"}).ok());
    Commit();
  }

  // With a column `added INT NOT NULL DEFAULT 7`, and without `k` and its index.
  codec::TableDescriptor Changed() const {
    codec::TableDescriptor table = Descriptor(/*hidden=*/false);
    codec::Column added = table.columns[0];
    added.offset = kAdded;
    table.columns[1] = added;
    table.record_length = kRecordBytes + 4;
    table.indexes.erase(table.indexes.begin() + 1);
    return table;
  }

  std::vector<uint8_t> ChangedRecord(const Row& row, int32_t added) const {
    std::vector<uint8_t> record = Record(row);
    record.resize(kRecordBytes + 4);
    std::memcpy(&record[kAdded], &added, sizeof(added));
    return record;
  }

  std::string Layout() const {
    const codec::TableDescriptor changed = Changed();
    std::shared_ptr<const codec::RowLayout> layout;
    const std::vector<uint8_t> defaults = ChangedRecord({}, kDefault);
    const std::vector<codec::ColumnOrigin> origins = {
        {0, false, ""}, codec::NewColumn(changed.columns[1], defaults.data()), {2, false, ""}};
    EXPECT_TRUE(codec::ChangeRowLayout(Descriptor(false), changed, origins, &layout));
    return codec::EncodeRowLayout(*layout);
  }

  void Change(const std::string& layout) {
    access_.reset();
    catalog::TableRecord record = *database_->catalog()->FindTable("d.t");
    record.indexes.erase(record.indexes.begin() + 1);
    record.indexes[0].row_layout = layout;
    ASSERT_TRUE(database_->catalog()->ReplaceIndexes({record}).ok());
  }

  Status OpenChanged() {
    BASALT_RETURN_IF_ERROR(Table::Open(database_.get(), Changed(), {}, &table_));
    access_ = std::make_unique<RowAccess>(table_);
    transaction_ = database_->transactions()->NewTransaction();
    return Status::Ok();
  }

  // Names and the added column, by way of the primary key.
  std::vector<std::pair<std::string, int32_t>> ReadAll(size_t index = 0) {
    std::vector<std::pair<std::string, int32_t>> rows;
    EXPECT_EQ(access_->scan().BeginScan(index, false, true).ToString(), "ok");
    Status moved = access_->scan().SeekToEnd(Direction::kForward);
    for (; moved.ok(); moved = access_->scan().Step(Direction::kForward)) {
      std::vector<uint8_t> record(kRecordBytes + 4);
      EXPECT_EQ(access_->scan().ReadRow(record.data()).ToString(), "ok");
      int32_t added;
      std::memcpy(&added, &record[kAdded], sizeof(added));
      rows.emplace_back(RowOf(record).name, added);
    }
    EXPECT_EQ(moved.code(), Code::kEndOfRange);
    access_->scan().End();
    return rows;
  }
};

using Rows = std::vector<std::pair<std::string, int32_t>>;

TEST_F(ChangedRowsTest, AreReadAndWritten) {
  Change(Layout());
  ASSERT_EQ(OpenChanged().ToString(), "ok");
  Begin();
  EXPECT_EQ(ReadAll(), (Rows{{"one", 7}, {"two", 7}}));
  size_t duplicate;
  const std::vector<uint8_t> third = ChangedRecord({3, false, 0, "three"}, 8);
  ASSERT_TRUE(access_->writer().Insert(third.data(), &duplicate).ok());
  const std::vector<uint8_t> again = ChangedRecord({4, false, 0, "one"}, 9);
  EXPECT_EQ(access_->writer().Insert(again.data(), &duplicate).code(), Code::kDuplicateKey);
  Commit();
  Reopen();
  ASSERT_EQ(OpenChanged().ToString(), "ok");
  Begin();
  EXPECT_EQ(ReadAll(), (Rows{{"one", 7}, {"two", 7}, {"three", 8}}));
  EXPECT_EQ(ReadAll(1), (Rows{{"one", 7}, {"three", 8}, {"two", 7}}));
  Commit();
}

TEST_F(ChangedRowsTest, KeepTheirLayoutWithAnotherNameAndLoseItWhenEmptied) {
  Change(Layout());
  catalog::Catalog* catalog = database_->catalog();
  ASSERT_TRUE(catalog->RenameTable("d.t", "d.u").ok());
  EXPECT_EQ(catalog->FindTable("d.u")->Primary()->row_layout, Layout());
  Reopen();
  catalog = database_->catalog();
  EXPECT_EQ(catalog->FindTable("d.u")->Primary()->row_layout, Layout());
  ASSERT_TRUE(catalog->TruncateTable("d.u", 0, nullptr).ok());
  EXPECT_EQ(catalog->FindTable("d.u")->Primary()->row_layout, "");
}

// As TRUNCATE opens it again: with the descriptor of the table as it was.
TEST_F(ChangedRowsTest, HaveNoLayoutThatTheDictionaryDoesNotHave) {
  Change(Layout());
  ASSERT_TRUE(OpenChanged().ok());
  const codec::TableDescriptor descriptor = table_->descriptor();
  ASSERT_NE(descriptor.row_layout, nullptr);
  access_.reset();
  ASSERT_TRUE(database_->catalog()->TruncateTable("d.t", 0, nullptr).ok());
  ASSERT_TRUE(Table::Open(database_.get(), descriptor, {}, &table_).ok());
  EXPECT_EQ(table_->descriptor().row_layout, nullptr);
}

TEST_F(ChangedRowsTest, OfAnotherDefinitionAreRefused) {
  Change(Layout());
  codec::TableDescriptor wider = Changed();
  wider.columns[1].pack_length = 8;
  wider.record_length += 4;
  const Status status = Table::Open(database_.get(), wider, {}, &table_);
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(status.ToString(), HasSubstr("d.t"));
  EXPECT_THAT(status.ToString(), HasSubstr("the layout of its rows and its definition disagree"));
}

TEST_F(ChangedRowsTest, OfADamagedLayoutAreRefused) {
  Change(Layout() + "x");
  const Status status = OpenChanged();
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(status.ToString(), HasSubstr("d.t: the layout of rows: bytes are left over"));
}

// Rows of a table that has nothing but its key are removed in another way, but only if there have
// never been others.
TEST_F(ChangedRowsTest, AreNeverNothingButKeys) {
  codec::TableDescriptor keys = Descriptor(/*hidden=*/false);
  keys.columns.resize(1);
  keys.indexes.resize(1);
  access_.reset();
  catalog::TableRecord record = *database_->catalog()->FindTable("d.t");
  record.indexes.resize(1);
  std::shared_ptr<const codec::RowLayout> layout;
  ASSERT_TRUE(codec::ChangeRowLayout(Descriptor(false), keys, {{0, false, ""}}, &layout));
  record.indexes[0].row_layout = codec::EncodeRowLayout(*layout);
  ASSERT_TRUE(database_->catalog()->ReplaceIndexes({record}).ok());
  ASSERT_TRUE(Table::Open(database_.get(), keys, {}, &table_).ok());
  EXPECT_FALSE(table_->rows_are_keys());
}

}  // namespace
}  // namespace basalt::engine
