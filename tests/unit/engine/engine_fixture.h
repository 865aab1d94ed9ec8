// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/database.h"
#include "engine/rows/row_access.h"
#include "engine/table.h"
#include "unit/store/temporary_directory.h"

namespace basalt::engine {

// A row of the test table: (id INT primary key or plain column, k INT NULL, name VARBINARY(20)).
struct Row {
  int32_t id = 0;
  bool k_is_null = false;
  int32_t k = 0;
  std::string name;
  bool operator==(const Row&) const = default;
};

// A database in a directory of its own and one table with the indexes `by_k` (not unique) and
// `by_name` (unique), with a primary key on id or a hidden one.
class EngineFixture : public testing::Test {
 protected:
  static constexpr uint32_t kNullByte = 0;
  static constexpr uint32_t kId = 1;
  static constexpr uint32_t kK = 5;
  static constexpr uint32_t kName = 9;
  static constexpr uint32_t kRecordBytes = 30;

  void Open() {
    Database::Options options;
    options.store.directory = directory_ / "store";
    options.store.block_cache_bytes = block_cache_bytes_;
    options.store.env = env_;
    options.transactions.writes.spill_bytes = spill_bytes_;
    options.store.time_to_live = time_to_live_;
    ASSERT_EQ(Database::Open(std::move(options), &database_).ToString(), "ok");
  }
  void Reopen() {
    access_.reset();
    table_.reset();
    transaction_.reset();
    database_.reset();
    Open();
  }

  codec::TableDescriptor Descriptor(bool hidden) const {
    codec::TableDescriptor table;
    table.name = "d.t";
    table.record_length = kRecordBytes;
    table.columns.resize(3);
    table.columns[0].kind = codec::ColumnKind::kSigned;
    table.columns[0].offset = kId;
    table.columns[0].pack_length = 4;
    table.columns[1] = table.columns[0];
    table.columns[1].offset = kK;
    table.columns[1].nullable = true;
    table.columns[1].null_offset = kNullByte;
    table.columns[1].null_mask = 1;
    table.columns[2].kind = codec::ColumnKind::kVarbinary;
    table.columns[2].offset = kName;
    table.columns[2].pack_length = 21;
    table.columns[2].length_bytes = 1;
    table.columns[2].field_length = 20;
    codec::IndexDescriptor primary, by_k, by_name;
    primary.kind = hidden ? codec::IndexKind::kHiddenPrimary : codec::IndexKind::kPrimary;
    primary.name = "PRIMARY";
    if (!hidden) primary.parts = {{0, 4}};
    by_k.kind = by_name.kind = codec::IndexKind::kSecondary;
    by_k.name = "by_k";
    by_k.parts = {{1, 4}};
    by_name.name = "by_name";
    by_name.unique = true;
    by_name.parts = {{2, unique_bytes_}};
    table.indexes =
        hidden ? std::vector{by_k, by_name, primary} : std::vector{primary, by_k, by_name};
    table.primary = hidden ? 2 : 0;
    table.hidden_primary = hidden;
    return table;
  }

  // `index_flags`: catalog::kIndexHasTtl for a table as MyRocks makes it with a time to live.
  void CreateTable(bool hidden, uint32_t index_flags = 0) {
    codec::TableDescriptor descriptor = Descriptor(hidden);
    std::vector<catalog::IndexRequest> requests;
    for (const codec::IndexDescriptor& index : descriptor.indexes) {
      catalog::IndexRequest request;
      request.kind = static_cast<catalog::IndexKind>(index.kind);
      request.flags = index_flags;
      request.ttl_seconds = index_flags == 0 ? 0 : 3600;
      requests.push_back(request);
    }
    std::shared_ptr<const catalog::TableRecord> record;
    ASSERT_TRUE(database_->catalog()->CreateTable("d.t", requests, 0, &record).ok());
    OpenTable(hidden);
  }
  void OpenTable(bool hidden) {
    ASSERT_EQ(Table::Open(database_.get(), Descriptor(hidden), {}, &table_).ToString(), "ok");
    access_ = std::make_unique<RowAccess>(table_);
    transaction_ = database_->transactions()->NewTransaction();
  }
  size_t by_k() const { return table_->hidden_primary() ? 0 : 1; }
  size_t by_name() const { return table_->hidden_primary() ? 1 : 2; }

  static std::vector<uint8_t> Record(const Row& row) {
    std::vector<uint8_t> record(kRecordBytes);
    record[kNullByte] = row.k_is_null ? 1 : 0;
    std::memcpy(&record[kId], &row.id, 4);
    if (!row.k_is_null) std::memcpy(&record[kK], &row.k, 4);
    record[kName] = static_cast<uint8_t>(row.name.size());
    std::memcpy(&record[kName + 1], row.name.data(), row.name.size());
    return record;
  }
  static Row RowOf(const std::vector<uint8_t>& record) {
    Row row;
    std::memcpy(&row.id, &record[kId], 4);
    row.k_is_null = (record[kNullByte] & 1) != 0;
    if (!row.k_is_null) std::memcpy(&row.k, &record[kK], 4);
    row.name.assign(reinterpret_cast<const char*>(&record[kName + 1]), record[kName]);
    return row;
  }

  void Begin(const ReadIntent& intent = {}) {
    if (!transaction_->active()) {
      txn::Transaction::Settings settings;
      settings.lock_wait_microseconds = 20'000;
      transaction_->Begin(settings);
    }
    access_->Bind(transaction_.get(), intent);
    access_->SetWantedColumns(codec::ColumnSet::All(3));
  }
  void Commit() {
    access_->Unbind();
    ASSERT_EQ(transaction_->Commit(txn::Durability::kWrite).ToString(), "ok");
  }
  Status Insert(const Row& row, size_t* duplicate = nullptr) {
    size_t unused = 0;
    return access_->writer().Insert(Record(row).data(), duplicate == nullptr ? &unused : duplicate);
  }
  // All rows in the order of an index, by way of that index.
  std::vector<Row> Scan(size_t index, Direction direction = Direction::kForward) {
    std::vector<Row> rows;
    EXPECT_EQ(access_->scan().BeginScan(index, false, true).ToString(), "ok");
    Status moved = access_->scan().SeekToEnd(direction);
    while (moved.ok()) {
      std::vector<uint8_t> record(kRecordBytes);
      const Status read = access_->scan().ReadRow(record.data());
      EXPECT_EQ(read.ToString(), "ok");
      rows.push_back(RowOf(record));
      moved = access_->scan().Step(direction);
    }
    EXPECT_EQ(moved.code(), Code::kEndOfRange);
    access_->scan().End();
    return rows;
  }

  rocksdb::Env* env_ = nullptr;
  uint64_t block_cache_bytes_ = 8u << 20;
  size_t spill_bytes_ = 32u << 20;
  uint16_t unique_bytes_ = 20;  // of the name, in by_name; fewer: the key's bytes do not decide
  test::TemporaryDirectory directory_;
  std::shared_ptr<store::TimeToLiveSettings> time_to_live_ =
      std::make_shared<store::TimeToLiveSettings>();
  std::unique_ptr<Database> database_;
  std::shared_ptr<Table> table_;
  std::unique_ptr<RowAccess> access_;
  std::unique_ptr<txn::Transaction> transaction_;
};

}  // namespace basalt::engine
