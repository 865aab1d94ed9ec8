// SPDX-License-Identifier: GPL-2.0-only
//
// CHECK TABLE of a table with a FULLTEXT index: both ways, down to the single word of a row.
#include <gmock/gmock.h>
#include <rocksdb/write_batch.h>

#include "codec/posting_encoder.h"
#include "engine/checks/table_check.h"
#include "engine/indexes/index_rebuild.h"
#include "unit/engine/word_table_fixture.h"

namespace basalt::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class NoProgress final : public TaskProgress {
 public:
  void NextStage() override {}
  bool Report(uint64_t, uint64_t) override { return true; }
};

class FullTextCheckTest : public WordTableFixture, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    Open();
    CreateWordTable(GetParam());
    BeginWork();
    ASSERT_TRUE(Put(1, first_).ok());
    ASSERT_TRUE(Put(2, {std::nullopt, "of"}).ok());
    ASSERT_TRUE(Put(3, {"plum", "the fig"}).ok());
    ASSERT_TRUE(Change(3, 3, {"plum", "fig"}).ok());
    ASSERT_TRUE(Put(4, {"gone", "gone"}).ok());
    ASSERT_TRUE(Remove(4).ok());
    Commit();
    encoder_ = std::make_unique<codec::PostingEncoder>(table_->descriptor(), kWords,
                                                       table_->index(kWords).codec.get());
  }
  std::vector<std::string> Check(CheckDepth depth) {
    const auto transaction = database_->transactions()->NewTransaction();
    transaction->Begin({});
    TableCheck check(table_.get(), transaction.get(), depth, &progress_, nullptr);
    EXPECT_EQ(check.Run().ToString(), "ok");
    return check.findings().Lines();
  }
  // What both thorough checks say.
  std::vector<std::string> Check() {
    const std::vector<std::string> lines = Check(CheckDepth::kMedium);
    EXPECT_EQ(lines, Check(CheckDepth::kExtended));
    return lines;
  }
  // The entry of a word of a row; its own for the position 0.
  void Take(int id, const Texts& row, size_t position) {
    ASSERT_TRUE(encoder_->Encode(RecordOf(id, row).data(), static_cast<uint64_t>(id), 0).ok());
    ASSERT_LT(position, encoder_->size());
    key_ = encoder_->key(position);
    value_ = encoder_->value(position);
  }
  void WriteTaken() {
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Put(table_->index(kWords).family, key_, value_).ok());
    ASSERT_TRUE(database_->store()->Write(&batch, false).ok());
  }
  void RemoveTaken() {
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Delete(table_->index(kWords).family, key_).ok());
    ASSERT_TRUE(database_->store()->Write(&batch, false).ok());
  }

  const Texts first_ = {"apple pear", "pear"};
  NoProgress progress_;
  std::unique_ptr<codec::PostingEncoder> encoder_;
  std::string key_;
  std::string value_;
};

TEST_P(FullTextCheckTest, AHealthyIndexHasNoFindings) {
  EXPECT_THAT(Check(CheckDepth::kQuick), IsEmpty());
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_P(FullTextCheckTest, ALackingWordIsFound) {
  Take(1, first_, 2);
  RemoveTaken();
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("1 rows without an entry")));
}

TEST_P(FullTextCheckTest, ARowsOwnEntryIsMissed) {
  Take(1, first_, 0);
  RemoveTaken();
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("1 rows without an entry")));
}

TEST_P(FullTextCheckTest, AWordThatTheRowHasNotIsFound) {
  Take(1, {"kiwi", std::nullopt}, 1);
  WriteTaken();
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("1 entries that do not belong to their row")));
}

TEST_P(FullTextCheckTest, AWordInAnotherPlaceIsFound) {
  Take(1, {"pear apple", "pear"}, 2);
  WriteTaken();
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("1 entries that give other values than their row")));
}

TEST_P(FullTextCheckTest, AWordWithoutARowIsFound) {
  Take(77, first_, 1);
  WriteTaken();
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("1 entries without a row")));
}

TEST_P(FullTextCheckTest, GarbageIsFound) {
  Take(1, first_, 1);
  value_ = std::string(1, '\0');
  WriteTaken();
  EXPECT_THAT(Check(CheckDepth::kQuick),
              ElementsAre(HasSubstr("1 entries that contradict the format")));
}

// All words are in blocks when the index has been built.
class FullTextBlocksCheckTest : public FullTextCheckTest {
 protected:
  void SetUp() override {
    FullTextCheckTest::SetUp();
    IndexRebuild rebuild(table_.get(), &progress_, nullptr);
    ASSERT_EQ(rebuild.Run({kWords}).ToString(), "ok");
    access_.reset();
    OpenWordTable();
    encoder_ = std::make_unique<codec::PostingEncoder>(table_->descriptor(), kWords,
                                                       table_->index(kWords).codec.get());
  }
  // The block of a word that only one row has.
  void TakeBlock(int id, const Texts& row, size_t position) {
    Take(id, row, position);
    codec::SetPostingKind(codec::PostingKind::kBlock, &key_);
    value_.insert(0, 1, '\0');
  }
};

TEST_P(FullTextBlocksCheckTest, AHealthyIndexHasNoFindings) {
  EXPECT_THAT(Check(CheckDepth::kQuick), IsEmpty());
  EXPECT_THAT(Check(), IsEmpty());
  BeginWork();
  ASSERT_TRUE(Change(1, 1, {"apple", "plum"}).ok());
  ASSERT_TRUE(Remove(3).ok());
  Commit();
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_P(FullTextBlocksCheckTest, ALackingBlockIsFound) {
  TakeBlock(1, first_, 2);
  RemoveTaken();
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("1 rows without an entry")));
}

TEST_P(FullTextBlocksCheckTest, ABlockOfAWordThatTheRowHasNotIsFound) {
  TakeBlock(1, {"kiwi", std::nullopt}, 1);
  WriteTaken();
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("1 entries that do not belong to their row")));
}

TEST_P(FullTextBlocksCheckTest, AnEntryBesideABlockIsFound) {
  Take(1, first_, 2);
  WriteTaken();
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("does not hold what the rows say")));
}

TEST_P(FullTextBlocksCheckTest, GarbageIsFound) {
  TakeBlock(1, first_, 1);
  value_ = "\x05garbage";
  WriteTaken();
  const std::vector<std::string> lines = Check(CheckDepth::kMedium);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines.front(), HasSubstr("cannot be read"));
}

// Otherwise the next change of the row would leave words behind.
TEST_P(FullTextBlocksCheckTest, ALackingMarkIsFound) {
  Take(1, first_, 0);
  WriteTaken();
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("does not mark the rows")));
}

TEST_P(FullTextBlocksCheckTest, AMarkOfARowWithoutBlocksIsFound) {
  BeginWork();
  ASSERT_TRUE(Put(5, first_).ok());
  Commit();
  EXPECT_THAT(Check(), IsEmpty());
  // The fifth row; with a hidden key the one that came fifth.
  Take(5, first_, 0);
  value_.push_back('\x01');
  WriteTaken();
  EXPECT_THAT(Check(), ElementsAre(HasSubstr("does not mark the rows")));
}

INSTANTIATE_TEST_SUITE_P(PrimaryKeys, FullTextBlocksCheckTest, testing::Bool());

TEST_P(FullTextCheckTest, ARebuiltIndexHasAllWordsAndItsRules) {
  const auto record = [this] { return *database_->catalog()->FindTable("d.words"); };
  const catalog::IndexRecord before = record().indexes[kWords];
  Take(1, first_, 2);
  RemoveTaken();
  Take(77, first_, 1);
  WriteTaken();
  IndexRebuild rebuild(table_.get(), &progress_, nullptr);
  ASSERT_EQ(rebuild.Run({kWords}).ToString(), "ok");
  EXPECT_NE(record().indexes[kWords].id, before.id);
  EXPECT_EQ(record().indexes[kWords].word_rules, before.word_rules);
  access_.reset();
  OpenWordTable();
  EXPECT_THAT(Check(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(PrimaryKeys, FullTextCheckTest, testing::Bool());

}  // namespace
}  // namespace basalt::engine
