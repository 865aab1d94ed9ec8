// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/word_rules_record.h"
#include "codec/word_source.h"
#include "unit/codec/test_table.h"
#include "unit/engine/engine_fixture.h"
#include "unit/engine/full_text/memory_postings.h"

namespace basalt::engine {

// Two columns of text, as SQL writes them; no value for NULL.
struct Texts {
  std::optional<std::string> title;
  std::optional<std::string> body;
};
using WordRows = std::map<int, Texts>;  // by id

inline std::string Literal(const std::optional<std::string>& text) {
  return text ? "'" + *text + "'" : "NULL";
}

// A database with the table d.words: an id, two texts with a FULLTEXT index, and an index on the
// id.
class WordTableFixture : public EngineFixture {
 protected:
  static constexpr size_t kPrimary = 0;
  static constexpr size_t kWords = 1;
  static constexpr size_t kById = 2;

  // With a primary key on id, or a hidden one.
  void CreateWordTable(bool hidden) {
    image_ = std::make_unique<test::TestTable>(
        std::vector<std::string>{"column id int", "column title varchar(60) letters_ci null",
                                 "column body text(2) letters_ci null",
                                 hidden ? "hidden 0100" : "primary 0100 id",
                                 "index 0101 title body(1) full_text version=16", "index 0102 id"},
        test::FakeCollationByName);
    std::vector<catalog::IndexRequest> requests;
    for (const codec::IndexDescriptor& index : image_->descriptor().indexes) {
      catalog::IndexRequest request;
      request.kind = static_cast<catalog::IndexKind>(index.kind);
      request.key_value_format_version = index.kv_format_version;
      if (IsFullText(index)) request.word_rules = codec::EncodeWordRules({}, *language_.rules());
      requests.push_back(request);
    }
    std::shared_ptr<const catalog::TableRecord> record;
    ASSERT_EQ(database_->catalog()->CreateTable("d.words", requests, 0, &record).ToString(), "ok");
    OpenWordTable();
  }
  // With the rules that the dictionary has.
  void OpenWordTable() {
    codec::TableDescriptor descriptor = image_->descriptor();
    descriptor.name = "d.words";
    std::string parser = "none";
    codec::WordRules rules(0, 0);
    const auto record = database_->catalog()->FindTable("d.words");
    ASSERT_EQ(
        codec::DecodeWordRules(record->indexes[kWords].word_rules, &parser, &rules).ToString(),
        "ok");
    ASSERT_EQ(parser, "");
    descriptor.indexes[kWords].words = std::make_shared<codec::WordSource>(
        std::make_unique<codec::ScanningParser>(language_.characters()), std::move(rules));
    ASSERT_EQ(Table::Open(database_.get(), descriptor, {}, &table_).ToString(), "ok");
    access_ = std::make_unique<RowAccess>(table_);
    transaction_ = database_->transactions()->NewTransaction();
  }

  std::vector<uint8_t> RecordOf(int id, const Texts& row) {
    return image_->Record(std::to_string(id) + ", " + Literal(row.title) + ", " +
                          Literal(row.body));
  }

  // --- Writes ---

  Status Put(int id, const Texts& row) {
    size_t duplicate = 0;
    return access_->writer().Insert(RecordOf(id, row).data(), &duplicate);
  }
  // The row is read by its id first, as UPDATE and DELETE do.
  Status Find(int id, std::vector<uint8_t>* record) {
    IndexScan& scan = access_->scan();
    BASALT_RETURN_IF_ERROR(scan.BeginScan(kById, false, true));
    std::vector<uint8_t> key(table_->max_key_bytes());
    const std::vector<uint8_t> probe = RecordOf(id, {});
    const size_t bytes = table_->index(kById).codec->EncodePrefix(probe.data(), 1, key.data());
    BASALT_RETURN_IF_ERROR(scan.Seek(MakeBytes(key.data(), bytes)));
    record->resize(table_->descriptor().record_length);
    return scan.ReadRow(record->data());
  }
  Status Change(int id, int new_id, const Texts& row) {
    std::vector<uint8_t> before;
    BASALT_RETURN_IF_ERROR(Find(id, &before));
    size_t duplicate = 0;
    bool changed = false;
    Status status =
        access_->writer().Update(before.data(), RecordOf(new_id, row).data(), &duplicate, &changed);
    access_->scan().End();
    return status;
  }
  Status Remove(int id) {
    std::vector<uint8_t> record;
    BASALT_RETURN_IF_ERROR(Find(id, &record));
    Status status = access_->writer().Delete(record.data());
    access_->scan().End();
    return status;
  }
  void BeginWork() {
    Begin();
    access_->SetWantedColumns(codec::ColumnSet::All(3));
  }
  void RollbackWork() {
    access_->Unbind();
    ASSERT_TRUE(transaction_->Rollback().ok());
  }

  test::TestLanguage language_;
  std::unique_ptr<test::TestTable> image_;
};

}  // namespace basalt::engine
