// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/catalog.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "catalog/dictionary_records.h"
#include "unit/catalog/open_catalog.h"

namespace basalt::catalog {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class CatalogTest : public CatalogFixture {
 protected:
  // Loads the catalog again without reopening; the message of the corruption it finds.
  std::string Corruption() {
    std::unique_ptr<Catalog> loaded;
    const Status status = Catalog::Load(store_.get(), &loaded);
    EXPECT_EQ(status.code(), Code::kCorruption) << status.ToString();
    return std::string(status.message());
  }
};

TEST_F(CatalogTest, NewDictionaryCanBeReadByTheOldEngine) {
  EXPECT_THAT(catalog_->Tables(), IsEmpty());
  EXPECT_EQ(System(ColumnFamilyKey(0)), EncodeColumnFamily(0));
  EXPECT_EQ(System(ColumnFamilyKey(1)), EncodeColumnFamily(0));
}

TEST_F(CatalogTest, CreatedTableHasItsRecordsAndComesBack) {
  const auto table = Create("d.t", 5);
  ASSERT_EQ(table->indexes.size(), 2u);
  EXPECT_EQ(table->indexes[0].id, (IndexId{0, 256}));
  EXPECT_EQ(table->indexes[1].id.number, 257u);
  EXPECT_EQ(table->Primary(), &table->indexes[0]);
  const uint32_t family = store_->FindColumnFamily("rev:cf1")->GetID();
  EXPECT_EQ(table->indexes[1].id.column_family, family);
  EXPECT_EQ(System(TableKey("d.t")), EncodeTable(table->indexes));
  EXPECT_EQ(System(IndexKey(RecordType::kIndex, {0, 256})), EncodeIndex(table->indexes[0]));
  EXPECT_EQ(System(ColumnFamilyKey(family)), EncodeColumnFamily(kColumnFamilyReverse));
  EXPECT_EQ(System(TypeKey(RecordType::kMaximumIndexNumber)), EncodeMaximumIndexNumber(257));
  Reopen();
  const auto again = catalog_->FindTable("d.t");
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(*again, *table);
  uint64_t next = 0;
  ASSERT_TRUE(catalog_->auto_increments().Read({0, 256}, &next).ok());
  EXPECT_EQ(next, 5u);
  EXPECT_EQ(Create("d.u")->indexes[0].id.number, 258u) << "numbers are never used again";
  size_t position = 9;
  EXPECT_EQ(catalog_->FindIndex({0, 258}, &position)->name, "d.u");
  EXPECT_EQ(position, 0u);
  EXPECT_EQ(catalog_->FindIndex({0, 999}, &position), nullptr);
}

TEST_F(CatalogTest, BadCreatesAreRefused) {
  Create("d.t");
  EXPECT_EQ(catalog_->CreateTable("d.t", Requests(), 0, nullptr).code(), Code::kInvalidArgument);
  EXPECT_EQ(catalog_->CreateTable("", Requests(), 0, nullptr).code(), Code::kInvalidArgument);
  EXPECT_EQ(catalog_->CreateTable("d.x", {}, 0, nullptr).code(), Code::kInvalidArgument);
  auto requests = Requests();
  requests[1].kind = IndexKind::kHiddenPrimary;
  EXPECT_EQ(catalog_->CreateTable("d.x", requests, 0, nullptr).code(), Code::kInvalidArgument);
  for (const char* reserved : {"__system__", "$per_index_cf", ""}) {
    requests = Requests();
    requests[1].column_family = reserved;
    EXPECT_EQ(catalog_->CreateTable("d.x", requests, 0, nullptr).code(), Code::kInvalidArgument);
  }
  EXPECT_EQ(catalog_->FindTable("d.x"), nullptr);
}

TEST_F(CatalogTest, DropQueuesTheIndexesAcrossRestarts) {
  const auto table = Create("d.t");
  PutSystem(TableVersionKey("./d/t"), EncodeTableVersion(1));
  int notified = 0;
  catalog_->dropped_indexes().SetListener([&] { ++notified; });
  ASSERT_TRUE(catalog_->DropTable("d.t").ok());
  EXPECT_EQ(notified, 1);
  EXPECT_EQ(catalog_->DropTable("d.t").code(), Code::kNotFound);
  EXPECT_EQ(catalog_->FindTable("d.t"), nullptr);
  EXPECT_EQ(System(TableKey("d.t")), "absent");
  EXPECT_EQ(System(TableVersionKey("./d/t")), "absent");
  EXPECT_EQ(System(IndexKey(RecordType::kIndexDrop, {0, 256})), EncodeMarker());
  EXPECT_NE(System(IndexKey(RecordType::kIndex, {0, 256})), "absent");
  Reopen();
  EXPECT_THAT(catalog_->dropped_indexes().All(),
              UnorderedElementsAre(table->indexes[0].id, table->indexes[1].id));
  EXPECT_THAT(catalog_->dropped_indexes().All(), Contains(IndexId{0, 256}));
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(catalog_->dropped_indexes().AppendReclaimed(&batch, {0, 256}).ok());
  ASSERT_TRUE(store_->Write(&batch, true).ok());
  catalog_->dropped_indexes().Forget({0, 256});
  EXPECT_THAT(catalog_->dropped_indexes().All(), Not(Contains(IndexId{0, 256})));
  EXPECT_EQ(System(IndexKey(RecordType::kIndex, {0, 256})), "absent");
  EXPECT_EQ(System(IndexKey(RecordType::kIndexDrop, {0, 256})), "absent");
}

TEST_F(CatalogTest, OnlyUnusedColumnFamiliesAreDropped) {
  const auto table = Create("d.t");
  const uint32_t family = table->indexes[1].id.column_family;
  for (const char* own : {"default", "__system__"}) {
    EXPECT_EQ(catalog_->DropColumnFamily(own).code(), Code::kInvalidArgument);
  }
  EXPECT_EQ(catalog_->DropColumnFamily("nothing").code(), Code::kNotFound);
  EXPECT_THAT(catalog_->DropColumnFamily("rev:cf1").ToString(), HasSubstr("the table d.t"));
  ASSERT_TRUE(catalog_->DropTable("d.t").ok());
  EXPECT_THAT(catalog_->DropColumnFamily("rev:cf1").ToString(), HasSubstr("a dropped index"));
  for (const IndexRecord& index : table->indexes) {
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(catalog_->dropped_indexes().AppendReclaimed(&batch, index.id).ok());
    ASSERT_TRUE(store_->Write(&batch, true).ok());
    catalog_->dropped_indexes().Forget(index.id);
  }
  std::vector<IndexRecord> built;
  ASSERT_TRUE(catalog_->BeginIndexBuild({Requests()[1]}, &built).ok());
  EXPECT_THAT(catalog_->DropColumnFamily("rev:cf1").ToString(), HasSubstr("being built"));
  ASSERT_TRUE(catalog_->AbortIndexBuild(built).ok());
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(catalog_->dropped_indexes().AppendReclaimed(&batch, built[0].id).ok());
  ASSERT_TRUE(store_->Write(&batch, true).ok());
  catalog_->dropped_indexes().Forget(built[0].id);
  ASSERT_EQ(catalog_->DropColumnFamily("rev:cf1").ToString(), "ok");
  EXPECT_EQ(store_->FindColumnFamily("rev:cf1"), nullptr);
  EXPECT_EQ(System(ColumnFamilyKey(family)), "absent");
  Reopen();
  EXPECT_EQ(store_->FindColumnFamily("rev:cf1"), nullptr);
  EXPECT_NE(Create("d.u")->indexes[1].id.column_family, family) << "ids are never used again";
}

TEST_F(CatalogTest, RenameKeepsIndexesAndVersion) {
  const auto table = Create("d.t");
  PutSystem(TableVersionKey("./d/t"), EncodeTableVersion(1));
  Create("d.other");
  EXPECT_EQ(catalog_->RenameTable("d.t", "d.other").code(), Code::kInvalidArgument);
  EXPECT_EQ(catalog_->RenameTable("d.none", "d.x").code(), Code::kNotFound);
  ASSERT_TRUE(catalog_->RenameTable("d.t", "e.u").ok());
  Reopen();
  EXPECT_EQ(catalog_->FindTable("d.t"), nullptr);
  ASSERT_NE(catalog_->FindTable("e.u"), nullptr);
  EXPECT_EQ(catalog_->FindTable("e.u")->indexes, table->indexes);
  uint64_t version = 9;
  ASSERT_TRUE(catalog_->TableVersion("e.u", &version).ok());
  EXPECT_EQ(version, 1u);
  ASSERT_TRUE(catalog_->TableVersion("d.t", &version).ok());
  EXPECT_EQ(version, 0u);
}

TEST_F(CatalogTest, PartitionsShareOneVersion) {
  Create("d.t#P#p0");
  Create("d.t#P#p1");
  PutSystem(TableVersionKey("./d/t"), EncodeTableVersion(1));
  uint64_t version = 0;
  ASSERT_TRUE(catalog_->DropTable("d.t#P#p0").ok());
  ASSERT_TRUE(catalog_->TableVersion("d.t#P#p1", &version).ok());
  EXPECT_EQ(version, 1u);
  Create("d.t#P#p2");
  ASSERT_TRUE(catalog_->RenameTable("d.t#P#p1", "d.u#P#p1").ok());
  ASSERT_TRUE(catalog_->RenameTable("d.t#P#p2", "d.u#P#p2").ok());
  ASSERT_TRUE(catalog_->TableVersion("d.u", &version).ok());
  EXPECT_EQ(version, 1u) << "the second rename must not remove it";
  ASSERT_TRUE(catalog_->DropTable("d.u#P#p1").ok());
  ASSERT_TRUE(catalog_->DropTable("d.u#P#p2").ok());
  ASSERT_TRUE(catalog_->TableVersion("d.u", &version).ok());
  EXPECT_EQ(version, 0u) << "the last partition takes it along";
}

TEST_F(CatalogTest, TruncateSwapsIndexesInOneStep) {
  const auto old = Create("d.t", 100);
  std::shared_ptr<const TableRecord> emptied;
  ASSERT_TRUE(catalog_->TruncateTable("d.t", 0, &emptied).ok());
  ASSERT_EQ(emptied->indexes.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(emptied->indexes[i].id.column_family, old->indexes[i].id.column_family);
    EXPECT_EQ(emptied->indexes[i].id.number, old->indexes[i].id.number + 2);
    EXPECT_EQ(emptied->indexes[i].kind, old->indexes[i].kind);
    EXPECT_THAT(catalog_->dropped_indexes().All(), Contains(old->indexes[i].id));
  }
  uint64_t next = 7;
  ASSERT_TRUE(catalog_->auto_increments().Read(emptied->Primary()->id, &next).ok());
  EXPECT_EQ(next, 0u);
  Reopen();
  EXPECT_EQ(*catalog_->FindTable("d.t"), *emptied);
  EXPECT_EQ(catalog_->TruncateTable("d.none", 0, nullptr).code(), Code::kNotFound);
}

TEST_F(CatalogTest, TruncateKeepsFormatVersions) {
  IndexRequest primary{"default", IndexKind::kPrimary, 0, 0, false};
  IndexRequest secondary;
  secondary.key_value_format_version = kNewestKeyValueFormatVersion;
  ASSERT_TRUE(catalog_->CreateTable("d.v", {primary, secondary}, 0, nullptr).ok());
  ASSERT_TRUE(catalog_->TruncateTable("d.v", 0, nullptr).ok());
  Reopen();
  const auto table = catalog_->FindTable("d.v");
  EXPECT_EQ(table->indexes[0].key_value_format_version, kKeyValueFormatVersion);
  EXPECT_EQ(table->indexes[1].key_value_format_version, kNewestKeyValueFormatVersion);
  secondary.key_value_format_version = kNewestKeyValueFormatVersion + 1;
  EXPECT_EQ(catalog_->CreateTable("d.w", {primary, secondary}, 0, nullptr).code(),
            Code::kInvalidArgument);
}

IndexRequest FullTextRequest(const char* rules) {
  IndexRequest request;
  request.key_value_format_version = kFullTextFormatVersion;
  request.word_rules = rules;
  return request;
}

// They come with the index and stay what they were, whatever becomes of its table.
TEST_F(CatalogTest, RulesForWordsStayWithTheirIndex) {
  const IndexRequest primary{"default", IndexKind::kPrimary, 0, 0, false};
  const auto rules = [this](Bytes name, size_t index) {
    return catalog_->FindTable(name)->indexes[index].word_rules;
  };
  ASSERT_TRUE(catalog_->CreateTable("d.w", {primary, FullTextRequest("one")}, 0, nullptr).ok());
  ASSERT_TRUE(catalog_->TruncateTable("d.w", 0, nullptr).ok());
  ASSERT_TRUE(catalog_->RenameTable("d.w", "d.v").ok());
  std::vector<IndexRecord> built;
  ASSERT_TRUE(catalog_->BeginIndexBuild({FullTextRequest("two")}, &built).ok());
  TableRecord record = *catalog_->FindTable("d.v");
  record.indexes.push_back(built[0]);
  ASSERT_TRUE(catalog_->ReplaceIndexes({record}).ok());
  Reopen();
  EXPECT_EQ(rules("d.v", 0), "");
  EXPECT_EQ(rules("d.v", 1), "one");
  EXPECT_EQ(rules("d.v", 2), "two");
  record.indexes.pop_back();
  ASSERT_TRUE(catalog_->ReplaceIndexes({record}).ok());
  Reopen();
  EXPECT_EQ(*catalog_->FindTable("d.v"), record);
}

TEST_F(CatalogTest, RulesForWordsAreForFullTextIndexesOnly) {
  IndexRequest primary{"default", IndexKind::kPrimary, 0, 0, false};
  IndexRequest older = FullTextRequest("one");
  older.key_value_format_version = kFullTextFormatVersion - 1;
  EXPECT_EQ(catalog_->CreateTable("d.w", {primary, older}, 0, nullptr).code(),
            Code::kInvalidArgument);
  primary.word_rules = "one";
  EXPECT_EQ(catalog_->CreateTable("d.w", {primary}, 0, nullptr).code(), Code::kInvalidArgument);
}

TEST_F(CatalogTest, IndexBuildThatCommits) {
  const auto old = Create("d.t");
  std::vector<IndexRecord> built;
  ASSERT_TRUE(
      catalog_->BeginIndexBuild({{"cf2", IndexKind::kSecondary, 0, 0, false}}, &built).ok());
  ASSERT_EQ(built.size(), 1u);
  EXPECT_EQ(System(IndexKey(RecordType::kIndexBuild, built[0].id)), EncodeMarker());
  // Keeps the primary key, drops the old secondary one, adds the new one.
  ASSERT_TRUE(catalog_->ReplaceIndexes({{"d.t", {old->indexes[0], built[0]}}}).ok());
  const auto table = catalog_->FindTable("d.t");
  EXPECT_EQ(System(IndexKey(RecordType::kIndexBuild, built[0].id)), "absent");
  EXPECT_THAT(catalog_->dropped_indexes().All(), ElementsAre(old->indexes[1].id));
  uint64_t version = 0;
  ASSERT_TRUE(catalog_->TableVersion("d.t", &version).ok());
  EXPECT_EQ(version, 1u);
  Reopen();
  EXPECT_EQ(*catalog_->FindTable("d.t"), *table);
  EXPECT_EQ(catalog_->ReplaceIndexes({{"d.t", {built[0]}}}).code(), Code::kInvalidArgument);
}

TEST_F(CatalogTest, ATableThatGetsAllIndexesAnewIsNew) {
  const auto old = Create("d.t");
  TableDefinition definition;
  definition.identity = "identity";
  definition.frm = "frm";
  ASSERT_TRUE(catalog_->StoreDefinition("d.t", definition, true).ok());
  const uint64_t before = catalog_->visibility().ReadableFrom("d.t");
  std::vector<IndexRecord> built;
  ASSERT_TRUE(catalog_->BeginIndexBuild(Requests(), &built).ok());
  ASSERT_TRUE(catalog_->ReplaceIndexes({{"d.t", built}}).ok());
  EXPECT_GT(catalog_->visibility().ReadableFrom("d.t"), before);
  EXPECT_EQ(catalog_->dropped_indexes().All().size(), old->indexes.size());
  EXPECT_TRUE(catalog_->definitions().Read("d.t", &definition).ok());
  Reopen();
  EXPECT_EQ(catalog_->FindTable("d.t")->indexes, built);
  ASSERT_TRUE(catalog_->definitions().Read("d.t", &definition).ok());
  EXPECT_EQ(definition.frm, "frm");
}

class FullDisk final : public rocksdb::EnvWrapper {
 public:
  FullDisk() : EnvWrapper(rocksdb::Env::Default()) {}
  rocksdb::Status GetFreeSpace(const std::string&, uint64_t* bytes) override {
    *bytes = 1 << 20;
    return rocksdb::Status::OK();
  }
  const char* Name() const override { return "FullDisk"; }
};

TEST_F(CatalogTest, WhileSpaceIsLowIndexesCanOnlyGo) {
  const auto table = Create("d.t");
  FullDisk disk;
  env_ = &disk;
  reserved_free_bytes_ = 64 << 20;
  Reopen();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (store_->writing_allowed() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_FALSE(store_->writing_allowed());
  EXPECT_EQ(catalog_->ReplaceIndexes({*table}).code(), Code::kNoSpace);
  EXPECT_TRUE(catalog_->ReplaceIndexes({{"d.t", {table->indexes[0]}}}).ok());
  Close();
}

TEST_F(CatalogTest, IndexBuildThatIsGivenUpOrCutOffIsDropped) {
  std::vector<IndexRecord> aborted;
  std::vector<IndexRecord> cut_off;
  const std::vector<IndexRequest> request = {{"default", IndexKind::kSecondary, 0, 0, false}};
  ASSERT_TRUE(catalog_->BeginIndexBuild(request, &aborted).ok());
  ASSERT_TRUE(catalog_->BeginIndexBuild(request, &cut_off).ok());
  ASSERT_TRUE(catalog_->AbortIndexBuild(aborted).ok());
  EXPECT_THAT(catalog_->dropped_indexes().All(), ElementsAre(aborted[0].id));
  Reopen();
  EXPECT_THAT(catalog_->dropped_indexes().All(),
              UnorderedElementsAre(aborted[0].id, cut_off[0].id));
  EXPECT_EQ(System(IndexKey(RecordType::kIndexBuild, cut_off[0].id)), "absent");
  EXPECT_EQ(Create("d.t")->indexes[0].id.number, cut_off[0].id.number + 1);
}

TEST_F(CatalogTest, BuildRecordOfAnIndexInUseIsNoDrop) {
  const auto table = Create("d.t");
  PutSystem(IndexKey(RecordType::kIndexBuild, table->indexes[1].id), EncodeMarker());
  Reopen();
  EXPECT_THAT(catalog_->dropped_indexes().All(), IsEmpty());
  EXPECT_EQ(System(IndexKey(RecordType::kIndexBuild, table->indexes[1].id)), "absent");
}

TEST_F(CatalogTest, CorruptionNamesTheRecord) {
  const auto table = Create("d.t");
  const std::string table_key = TableKey("d.t");
  const std::string good = System(table_key);

  PutSystem(table_key, "junk");
  EXPECT_THAT(Corruption(), HasSubstr("'d.t'"));
  IndexRecord missing;
  missing.id = {0, 4711};
  PutSystem(table_key, EncodeTable({table->indexes[0], missing}));
  EXPECT_THAT(Corruption(), HasSubstr("index 4711"));
  PutSystem(table_key, EncodeTable({table->indexes[0], table->indexes[0]}));
  EXPECT_THAT(Corruption(), HasSubstr("two tables have this index"));
  PutSystem(table_key, EncodeTable({table->indexes[1]}));
  EXPECT_THAT(Corruption(), HasSubstr("no primary key"));
  PutSystem(table_key, good);

  IndexRecord elsewhere = table->indexes[1];
  elsewhere.id = {77, 300};
  PutSystem(IndexKey(RecordType::kIndex, elsewhere.id), EncodeIndex(elsewhere));
  PutSystem(table_key, EncodeTable({table->indexes[0], elsewhere}));
  EXPECT_THAT(Corruption(), HasSubstr("no such column family"));
  PutSystem(table_key, good);

  const std::string family_key = ColumnFamilyKey(table->indexes[1].id.column_family);
  PutSystem(family_key, EncodeColumnFamily(0));
  EXPECT_THAT(Corruption(), HasSubstr("rev:cf1"));
  PutSystem(family_key, EncodeColumnFamily(kColumnFamilyReverse | kColumnFamilyPerPartition));

  PutSystem(IndexKey(RecordType::kIndexDrop, table->indexes[0].id), EncodeMarker());
  EXPECT_THAT(Corruption(), HasSubstr("marked as dropped"));
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(
      batch.Delete(store_->system(), IndexKey(RecordType::kIndexDrop, table->indexes[0].id)).ok());
  ASSERT_TRUE(store_->Write(&batch, true).ok());

  PutSystem(std::string("\0\0\1", 3), "");
  EXPECT_THAT(Corruption(), HasSubstr("shorter than a record type"));
}

TEST_F(CatalogTest, OldAndUnknownRecordsAreHarmless) {
  const auto table = Create("d.t");
  PutSystem(TypeKey(RecordType::kBinlogPosition), "whatever");
  PutSystem(TypeKey(static_cast<RecordType>(0x40000099)), "of a later version");
  PutSystem(IndexKey(RecordType::kIndexStatistics, table->indexes[0].id), "garbage");
  // A record that lags behind: numbers in use count.
  PutSystem(TypeKey(RecordType::kMaximumIndexNumber), EncodeMaximumIndexNumber(256));
  Reopen();
  EXPECT_EQ(catalog_->maximum_index_number(), 257u);
  EXPECT_EQ(System(TypeKey(RecordType::kMaximumIndexNumber)), EncodeMaximumIndexNumber(257));
}

TEST_F(CatalogTest, ReadersAndWritersAtTheSameTime) {
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        for (const auto& table : catalog_->Tables()) {
          if (table->indexes.size() != 2) ++wrong;
        }
        (void)catalog_->FindTable("d.t1");
        (void)catalog_->dropped_indexes().All();
      }
    });
  }
  std::vector<std::thread> writers;
  for (int w = 0; w < 3; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < 20; ++i) {
        const std::string name = "d.t" + std::to_string(w);
        if (!catalog_->CreateTable(name, Requests(), 0, nullptr).ok()) ++wrong;
        if (!catalog_->TruncateTable(name, 0, nullptr).ok()) ++wrong;
        if (!catalog_->DropTable(name).ok()) ++wrong;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(catalog_->dropped_indexes().All().size(), 3u * 20 * 2 * 2);
  Reopen();
  EXPECT_THAT(catalog_->Tables(), IsEmpty());
}

}  // namespace
}  // namespace basalt::catalog
