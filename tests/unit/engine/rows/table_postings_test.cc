// SPDX-License-Identifier: GPL-2.0-only
//
// A FULLTEXT index beside the rows of its table: which entries it has after any writes, and that
// searches see what the transaction sees.
#include "engine/rows/table_postings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <tuple>

#include "codec/posting_encoder.h"
#include "codec/word_image.h"
#include "engine/full_text/query_parser.h"
#include "engine/full_text/word_search.h"
#include "engine/indexes/index_rebuild.h"
#include "engine/indexes/index_walk.h"
#include "unit/engine/entries_of_rows.h"
#include "unit/engine/word_table_fixture.h"

namespace basalt::engine {
namespace {

class NoProgress final : public TaskProgress {
 public:
  void NextStage() override {}
  bool Report(uint64_t, uint64_t) override { return true; }
};

// With a primary key or a hidden one; without blocks, or with the index built anew now and then.
class TablePostingsTest : public WordTableFixture,
                          public testing::WithParamInterface<std::tuple<bool, bool>> {
 protected:
  static bool HasHiddenKey() { return std::get<0>(GetParam()); }
  static bool HasBlocks() { return std::get<1>(GetParam()); }
  void SetUp() override {
    Open();
    CreateWordTable(HasHiddenKey());
  }
  // All words of all rows are in blocks then.
  void MakeBlocks() {
    NoProgress progress;
    IndexRebuild rebuild(table_.get(), &progress, nullptr);
    ASSERT_EQ(rebuild.Run({kWords}).ToString(), "ok");
    access_.reset();
    OpenWordTable();
  }
  std::multiset<codec::PostingKind> KindsOfEntries() {
    std::multiset<codec::PostingKind> kinds;
    IndexWalk walk(*table_, kWords, transaction_.get());
    while (walk.Next().ok()) {
      kinds.insert(static_cast<codec::PostingKind>(walk.key()[codec::kPostingHeadBytes - 1]));
    }
    return kinds;
  }

  // Those that the rows must have. With a hidden key only how many: ids are not known here.
  void ExpectEntries(const WordRows& rows) {
    const auto entries = test::EntriesOfRows(*table_, kWords, transaction_.get());
    std::vector<std::pair<std::string, std::string>> expected;
    codec::PostingEncoder encoder(table_->descriptor(), kWords, table_->index(kWords).codec.get());
    for (const auto& [id, row] : rows) {
      ASSERT_TRUE(encoder.Encode(RecordOf(id, row).data(), 1, 0).ok());
      for (size_t i = 0; i < encoder.size(); ++i) {
        expected.emplace_back(encoder.key(i).substr(sizeof(uint32_t)), encoder.value(i));
      }
    }
    std::sort(expected.begin(), expected.end());
    if (HasHiddenKey()) {
      ASSERT_EQ(entries.size(), expected.size());
    } else {
      ASSERT_EQ(entries, expected);
    }
  }
  // Ranks of what a search finds, in ascending order.
  std::vector<float> Search(const std::string& query, RowContext* context) {
    TablePostings postings(context, kWords, nullptr);
    return SearchIn(query, &postings);
  }
  std::vector<float> SearchIn(const std::string& query, PostingSource* postings,
                              RankFormula formula = RankFormula::kInnoDb) {
    QueryWords words(language_.parser(), language_.rules(), language_.collation());
    QueryParser parser(language_.characters(), &words);
    QueryNode root;
    EXPECT_TRUE(parser.ParseBoolean(query, &root).ok());
    codec::DocumentWords all = language_.NewWords(codec::DocumentWords::Which::kAll);
    WordSearch search(postings, &all, {1 << 20, 1 << 20}, formula);
    EXPECT_EQ(search.Begin(&root).ToString(), "ok");
    std::vector<float> ranks;
    SearchHit hit;
    Status status = search.Next(&hit);
    for (; status.ok(); status = search.Next(&hit)) ranks.push_back(hit.rank);
    EXPECT_EQ(status.code(), Code::kEndOfRange);
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  }
  void ExpectSearches(const WordRows& rows, RowContext* context) {
    test::MemoryPostings memory(&language_);
    for (const auto& [id, row] : rows) {
      memory.Add(std::to_string(id), {row.title, row.body});
    }
    for (const char* query :
         {"apple", "+apple -pear", "app*", "\"apple of the pear\"", "\"pear apple\"@3",
          "+(apple plum) ~fig >lime", "\"the apple\" kiwi"}) {
      ASSERT_EQ(Search(query, context), SearchIn(query, &memory)) << query;
      TablePostings postings(context, kWords, nullptr);
      ASSERT_EQ(SearchIn(query, &postings, RankFormula::kBm25),
                SearchIn(query, &memory, RankFormula::kBm25))
          << query;
    }
  }
};

using TablePostingsInBlocksTest = TablePostingsTest;

std::optional<std::string> RandomText(std::mt19937* random) {
  static const char* const kWords[] = {"apple", "the",  "pear", "of",   "plum",
                                       "fig",   "lime", "a",    "kiwi", "applet"};
  if ((*random)() % 8 == 0) return std::nullopt;
  std::string text;
  for (size_t i = 0, n = (*random)() % 8; i < n; ++i) {
    text += (i == 0 ? "" : " ") + std::string(kWords[(*random)() % std::size(kWords)]);
  }
  return text;
}

TEST_P(TablePostingsTest, EntriesFollowTheRows) {
  std::mt19937 random(5);
  WordRows committed;
  for (int round = 0; round < 60; ++round) {
    WordRows rows = committed;
    if (HasBlocks() && round % 15 == 10) MakeBlocks();
    BeginWork();
    std::optional<WordRows> at_savepoint;
    txn::Transaction::Savepoint savepoint;
    for (int write = 0; write < 6; ++write) {
      if (write == 3 && random() % 2 == 0) {
        ASSERT_TRUE(transaction_->SetSavepoint(&savepoint).ok());
        at_savepoint = rows;
      }
      const int id = static_cast<int>(random() % 12);
      const Texts row = {RandomText(&random), RandomText(&random)};
      if (!rows.contains(id)) {
        ASSERT_EQ(Put(id, row).ToString(), "ok");
        rows[id] = row;
      } else if (random() % 3 == 0) {
        ASSERT_EQ(Remove(id).ToString(), "ok");
        rows.erase(id);
      } else {
        const int new_id = random() % 4 == 0 ? 12 + static_cast<int>(random() % 4) : id;
        if (new_id != id && rows.contains(new_id)) continue;
        ASSERT_EQ(Change(id, new_id, row).ToString(), "ok");
        rows.erase(id);
        rows[new_id] = row;
      }
    }
    RowContext context(table_);
    context.Begin(transaction_.get(), {});
    ExpectSearches(rows, &context);
    ExpectEntries(rows);
    if (at_savepoint) {
      ASSERT_TRUE(transaction_->RollbackToSavepoint(savepoint).ok());
      rows = *at_savepoint;
      ExpectSearches(rows, &context);
      ExpectEntries(rows);
    }
    if (random() % 3 == 0) {
      RollbackWork();
    } else {
      Commit();
      committed = rows;
    }
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(committed.size(), 5u);
}

TEST_P(TablePostingsTest, OthersSeeWhatTheirSnapshotHas) {
  BeginWork();
  ASSERT_TRUE(Put(1, {"apple", std::nullopt}).ok());
  Commit();
  const auto reader = database_->transactions()->NewTransaction();
  reader->Begin({});
  RowContext before(table_);
  before.Begin(reader.get(), {});
  EXPECT_EQ(Search("apple", &before).size(), 1u);
  BeginWork();
  ASSERT_TRUE(Put(2, {"apple", "of"}).ok());
  ASSERT_TRUE(Change(1, 1, {"pear", std::nullopt}).ok());
  EXPECT_EQ(Search("apple pear", &before).size(), 1u) << "not committed";
  Commit();
  EXPECT_EQ(Search("apple pear", &before).size(), 1u) << "committed behind its snapshot";
  EXPECT_EQ(Search("pear", &before).size(), 0u);
  RowContext latest(table_);
  latest.Begin(reader.get(), {.lock = true});
  EXPECT_EQ(Search("apple pear", &latest).size(), 2u) << "who locks reads what is there now";
  ASSERT_TRUE(reader->Rollback().ok());
}

TEST_P(TablePostingsTest, AWordThatStaysCostsNoWrite) {
  BeginWork();
  ASSERT_TRUE(Put(1, {"apple pear plum", "fig"}).ok());
  Commit();
  BeginWork();
  const uint64_t before = transaction_->writes().logged().operations();
  ASSERT_TRUE(Change(1, 1, {"apple pear plum", "lime"}).ok());
  // The row; one word taken away, one added. (There are as many as before.)
  EXPECT_EQ(transaction_->writes().logged().operations() - before, 3u);
  Commit();
}

// Blocks stay as they are, whatever happens to their rows.
TEST_P(TablePostingsInBlocksTest, BlocksAreVoidForRowsThatHaveChanged) {
  using codec::PostingKind;
  BeginWork();
  for (int id = 1; id <= 4; ++id) ASSERT_TRUE(Put(id, {"apple pear", "plum"}).ok());
  Commit();
  MakeBlocks();
  BeginWork();
  std::multiset<PostingKind> kinds(KindsOfEntries());
  EXPECT_EQ(kinds.count(PostingKind::kDocument), 4u);
  EXPECT_EQ(kinds.count(PostingKind::kBlock), 3u) << "one a word";
  EXPECT_EQ(kinds.size(), 7u);
  ASSERT_TRUE(Change(2, 2, {"apple fig", std::nullopt}).ok());
  ASSERT_TRUE(Remove(3).ok());
  Commit();
  BeginWork();
  ASSERT_TRUE(Remove(2).ok());
  ASSERT_TRUE(Put(3, {"apple", "kiwi"}).ok());
  ASSERT_TRUE(Put(2, {"lime", "kiwi"}).ok());
  Commit();
  BeginWork();
  kinds = KindsOfEntries();
  EXPECT_EQ(kinds.count(PostingKind::kBlock), 3u);
  EXPECT_EQ(kinds.count(PostingKind::kSuperseded), 2u);
  EXPECT_EQ(kinds.count(PostingKind::kDocument), 4u);
  EXPECT_EQ(kinds.count(PostingKind::kWord), 4u);
  const Texts old = {"apple pear", "plum"};
  const WordRows rows = {{1, old}, {2, {"lime", "kiwi"}}, {3, {"apple", "kiwi"}}, {4, old}};
  RowContext context(table_);
  context.Begin(transaction_.get(), {});
  ExpectSearches(rows, &context);
  ExpectEntries(rows);
  RollbackWork();
}

// As any read of the transaction does.
TEST_P(TablePostingsTest, ACursorSeesWhatIsWrittenMeanwhile) {
  BeginWork();
  for (int id = 1; id <= 4; ++id) ASSERT_TRUE(Put(id, {"apple", std::nullopt}).ok());
  Commit();
  if (HasBlocks()) MakeBlocks();
  BeginWork();
  RowContext context(table_);
  context.Begin(transaction_.get(), {});
  TablePostings postings(&context, kWords, nullptr);
  std::unique_ptr<PostingCursor> cursor;
  codec::WordImages images(language_.collation());
  ASSERT_TRUE(postings.NewCursor(images.Of("apple"), &cursor).ok());
  ASSERT_TRUE(cursor->SeekTo({}).ok());
  ASSERT_TRUE(cursor->Next().ok());
  ASSERT_TRUE(cursor->valid()) << "the second row";
  ASSERT_TRUE(Change(3, 3, {"pear", std::nullopt}).ok());
  ASSERT_TRUE(Remove(4).ok());
  ASSERT_TRUE(Put(9, {"apple", std::nullopt}).ok());
  const std::string second(cursor->document());
  ASSERT_TRUE(cursor->Next().ok());
  ASSERT_TRUE(cursor->valid()) << "the new row";
  const std::string last(cursor->document());
  EXPECT_GT(last, second);
  ASSERT_TRUE(cursor->Next().ok());
  EXPECT_FALSE(cursor->valid());
  ASSERT_TRUE(cursor->SeekTo(second).ok());
  EXPECT_EQ(cursor->document(), second);
  ASSERT_TRUE(cursor->SeekTo(second + '\0').ok());
  EXPECT_EQ(cursor->document(), last);
  RollbackWork();
}

// Of one word there are more than a block takes.
TEST_P(TablePostingsInBlocksTest, ManyRowsInBlocks) {
  constexpr int kRows = 3000;
  WordRows rows;
  BeginWork();
  for (int id = 1; id <= kRows; ++id) {
    rows[id] = {id % 7 == 0 ? "apple" : "pear apple", id % 500 == 0 ? "plum" : "lime"};
    ASSERT_TRUE(Put(id, rows[id]).ok());
  }
  Commit();
  MakeBlocks();
  BeginWork();
  EXPECT_GT(KindsOfEntries().count(codec::PostingKind::kBlock), 8u);
  for (int id = 5; id <= kRows; id += 100) {
    rows[id] = {"fig apple", "plum of"};
    ASSERT_TRUE(Change(id, id, rows[id]).ok());
    rows.erase(id + 1);
    ASSERT_TRUE(Remove(id + 1).ok());
  }
  RowContext context(table_);
  context.Begin(transaction_.get(), {});
  ExpectSearches(rows, &context);
  ExpectEntries(rows);
  RollbackWork();
}

TEST_P(TablePostingsTest, ManyRowsAreNotCountedForEachSearch) {
  constexpr auto kRows = static_cast<int>(CountedTexts::kFewRows);
  const auto count = [this] {
    RowContext context(table_);
    context.Begin(transaction_.get(), {});
    TextTotals totals;
    EXPECT_EQ(TablePostings(&context, kWords, nullptr).Count(&totals).ToString(), "ok");
    EXPECT_EQ(totals.words, totals.rows);
    return totals.rows;
  };
  BeginWork();
  for (int id = 1; id < kRows; ++id) ASSERT_TRUE(Put(id, {"apple", std::nullopt}).ok());
  Commit();
  BeginWork();
  EXPECT_EQ(count(), kRows - 1u);
  ASSERT_TRUE(Put(kRows, {"apple", std::nullopt}).ok());
  EXPECT_EQ(count(), kRows + 0u) << "few rows are counted";
  RollbackWork();
  BeginWork();
  EXPECT_EQ(count(), kRows - 1u) << "nobody else has what a transaction counts among its writes";
  ASSERT_TRUE(Put(kRows, {"apple", std::nullopt}).ok());
  Commit();
  BeginWork();
  EXPECT_EQ(count(), kRows + 0u);
  ASSERT_TRUE(Remove(1).ok());
  EXPECT_EQ(count(), kRows + 0u) << "the last count";
  for (int id = 2; id < 200; ++id) ASSERT_TRUE(Remove(id).ok());
  EXPECT_EQ(count(), kRows - 199u) << "much has changed";
  RollbackWork();
}

TEST_P(TablePostingsTest, AMissingRowIsCorruption) {
  BeginWork();
  ASSERT_TRUE(Put(1, {"the apple", std::nullopt}).ok());
  Commit();
  BeginWork();
  std::vector<uint8_t> key(table_->max_key_bytes());
  const size_t bytes =
      table_->primary().codec->EncodeKey(RecordOf(1, {}).data(), 1, key.data(), nullptr, nullptr);
  const std::string row_key(MakeBytes(key.data(), bytes));
  ASSERT_TRUE(transaction_->writes().Delete(table_->primary().family, row_key).ok());
  RowContext context(table_);
  context.Begin(transaction_.get(), {});
  TablePostings postings(&context, kWords, nullptr);
  codec::DocumentWords words = language_.NewWords(codec::DocumentWords::Which::kAll);
  EXPECT_EQ(postings.ReadRow(TablePostings::DocumentOf(row_key), &words).code(), Code::kCorruption);
  RollbackWork();
}

INSTANTIATE_TEST_SUITE_P(Tables, TablePostingsTest,
                         testing::Combine(testing::Bool(), testing::Bool()));
INSTANTIATE_TEST_SUITE_P(Tables, TablePostingsInBlocksTest,
                         testing::Combine(testing::Bool(), testing::Values(true)));

}  // namespace
}  // namespace basalt::engine
