// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <gtest/gtest.h>

#include <rocksdb/write_batch.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codec/checksum_chunk.h"
#include "codec/word_source.h"
#include "engine/checks/table_check.h"
#include "engine/database.h"
#include "engine/rows/row_access.h"
#include "engine/table.h"
#include "unit/codec/fake_collation.h"
#include "unit/codec/test_table.h"
#include "unit/engine/full_text/memory_postings.h"
#include "unit/store/temporary_directory.h"

namespace basalt::engine {

// A database with tables described in words (unit/codec/test_table.h), and ways to damage them
// behind the engine's back: entries put, removed and changed in the store, bytes flipped in its
// files.
class DamageFixture : public testing::Test {
 protected:
  struct Entry {
    std::string key;
    std::string value;
  };

  void Open() {
    Database::Options options;
    options.store.directory = directory_ / "store";
    options.store.block_cache_bytes = 8u << 20;
    options.transactions.writes.spill_bytes = spill_bytes_;
    ASSERT_EQ(Database::Open(std::move(options), &database_).ToString(), "ok");
  }

  // Each index lies in a column family of its own, "INDEXnumber" or "rev:INDEXnumber", so that each
  // has files of its own.
  void CreateTable(const std::string& name, const std::vector<std::string>& lines, bool reverse) {
    test::TestTable described(lines, test::FakeCollationByName);
    std::vector<catalog::IndexRequest> requests;
    for (const codec::IndexDescriptor& index : described.descriptor().indexes) {
      catalog::IndexRequest request = RequestOf(index);
      request.column_family = (reverse ? "rev:" : "") + name + std::to_string(requests.size());
      requests.push_back(request);
    }
    std::shared_ptr<const catalog::TableRecord> record;
    ASSERT_EQ(database_->catalog()->CreateTable(name, requests, 0, &record).ToString(), "ok");
    OpenTable(name, lines);
  }

  static catalog::IndexRequest RequestOf(const codec::IndexDescriptor& index) {
    catalog::IndexRequest request;
    request.kind = static_cast<catalog::IndexKind>(index.kind);
    if (IsFullText(index)) request.key_value_format_version = index.kv_format_version;
    return request;
  }
  // FULLTEXT indexes have all words of the test's language.
  void GiveWords(codec::TableDescriptor* table) const {
    for (codec::IndexDescriptor& index : table->indexes) {
      if (!IsFullText(index)) continue;
      codec::WordRules rules = *language_.rules();
      index.words = std::make_shared<codec::WordSource>(
          std::make_unique<codec::ScanningParser>(language_.characters()), std::move(rules));
    }
  }

  void OpenTable(const std::string& name, const std::vector<std::string>& lines) {
    described_ = std::make_unique<test::TestTable>(lines, test::FakeCollationByName);
    codec::TableDescriptor descriptor = described_->descriptor();
    descriptor.name = name;
    for (size_t i = 0; i < descriptor.indexes.size(); ++i) {
      descriptor.indexes[i].name = i == descriptor.primary ? "PRIMARY" : "k" + std::to_string(i);
    }
    GiveWords(&descriptor);
    ASSERT_EQ(Table::Open(database_.get(), descriptor, {}, &table_).ToString(), "ok");
    access_ = std::make_unique<RowAccess>(table_);
    transaction_ = database_->transactions()->NewTransaction();
  }

  void CloseDatabase() {
    access_.reset();
    table_.reset();
    transaction_.reset();
    database_.reset();
  }

  void Begin(const ReadIntent& intent = {}) {
    if (!transaction_->active()) transaction_->Begin({});
    access_->Bind(transaction_.get(), intent);
    access_->SetWantedColumns(codec::ColumnSet::All(described_->descriptor().columns.size()));
  }
  void Commit() {
    access_->Unbind();
    ASSERT_EQ(transaction_->Commit(txn::Durability::kWrite).ToString(), "ok");
  }
  void Insert(const std::vector<std::string>& rows) {
    Begin();
    for (const std::string& row : rows) {
      size_t duplicate = 0;
      ASSERT_EQ(access_->writer().Insert(described_->Record(row).data(), &duplicate).ToString(),
                "ok")
          << row;
    }
    Commit();
  }

  // What the row has in the index.
  Entry EntryOf(size_t index, const std::string& row, uint64_t hidden_id = 0) {
    const std::vector<uint8_t> record = described_->Record(row);
    std::vector<uint8_t> key(table_->max_key_bytes());
    std::vector<uint8_t> unpack(table_->max_unpack_bytes());
    size_t unpack_bytes = 0;
    const codec::KeyCodec& codec = *table_->index(index).codec;
    const size_t bytes =
        codec.EncodeKey(record.data(), hidden_id, key.data(), unpack.data(), &unpack_bytes);
    const Bytes content = MakeBytes(unpack.data(), unpack_bytes);
    Entry entry{std::string(MakeBytes(key.data(), bytes)), {}};
    if (index == table_->primary_position()) {
      table_->row_codec().EncodeValue(record.data(), content, 0, &entry.value);
    } else {
      codec::EncodeSecondaryValue(codec, content, 0, &entry.value);
    }
    return entry;
  }
  void PutEntry(size_t index, const Entry& entry) {
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Put(table_->index(index).family, entry.key, entry.value).ok());
    ASSERT_TRUE(database_->store()->Write(&batch, false).ok());
  }
  void RemoveEntry(size_t index, const std::string& key) {
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Delete(table_->index(index).family, key).ok());
    ASSERT_TRUE(database_->store()->Write(&batch, false).ok());
  }

  // Changes a byte in the first block of every table file of the index, with the database closed,
  // and opens it again. The table must be opened anew.
  void FlipBytesOf(size_t index) {
    ASSERT_TRUE(database_->store()->flushes().Flush().ok());
    const std::string family = table_->index(index).family->GetName();
    std::vector<rocksdb::LiveFileMetaData> files;
    database_->store()->base()->GetLiveFilesMetaData(&files);
    CloseDatabase();
    for (const rocksdb::LiveFileMetaData& file : files) {
      if (file.column_family_name == family) FlipByte(file.db_path + file.name, 8);
    }
    Open();
  }

  static void FlipByte(const std::string& path, uint64_t offset) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const char byte = static_cast<char>(file.get() ^ 0x40);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(byte);
    ASSERT_TRUE(file.good()) << path;
  }

  // What CHECK TABLE EXTENDED finds, in a snapshot of its own; rows_ is how many rows it has seen.
  std::vector<std::string> CheckExtended(TaskProgress* progress) {
    auto transaction = database_->transactions()->NewTransaction();
    transaction->Begin({});
    TableCheck check(table_.get(), transaction.get(), CheckDepth::kExtended, progress, nullptr);
    EXPECT_TRUE(check.Run().ok());
    rows_ = check.rows();
    return check.findings().Lines();
  }

  test::TemporaryDirectory directory_;
  size_t spill_bytes_ = 32u << 20;
  std::unique_ptr<Database> database_;
  test::TestLanguage language_;
  std::unique_ptr<test::TestTable> described_;
  std::shared_ptr<Table> table_;
  std::unique_ptr<RowAccess> access_;
  std::unique_ptr<txn::Transaction> transaction_;
  uint64_t rows_ = 0;
};

}  // namespace basalt::engine
