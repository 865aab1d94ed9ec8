// SPDX-License-Identifier: GPL-2.0-only
//
// A MATCH from its text to its rows: order, views that come and go, rows that have changed.
#include "engine/full_text/text_search.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "unit/engine/full_text/memory_postings.h"

namespace basalt::engine {
namespace {

using test::MemoryPostings;
using test::TestLanguage;
using Mode = TextSearch::Mode;

constexpr size_t kMostBytes = 1 << 20;
constexpr uint32_t kTextBytes = 100;

TextSearch::Options OptionsOf(Mode mode, bool by_rank) {
  TextSearch::Options options;
  options.mode = mode;
  options.by_rank = by_rank;
  options.hit_bytes = kMostBytes;
  options.memory = {kMostBytes, kMostBytes};
  return options;
}

class TextSearchTest : public testing::Test {
 protected:
  std::unique_ptr<TextSearch> Parsed(const std::string& query, TextSearch::Options options) {
    TextSearch::Index index;
    auto parser = std::make_unique<codec::ScanningParser>(language_.characters());
    index.words = std::make_shared<const codec::WordSource>(std::move(parser), *language_.rules());
    index.characters = language_.characters();
    codec::Column column;
    column.kind = codec::ColumnKind::kVarchar;
    column.length_bytes = 1;
    column.pack_length = kTextBytes + 1;
    column.collation = language_.collation();
    index.columns = {column};
    auto search = std::make_unique<TextSearch>(std::move(index), options);
    EXPECT_TRUE(search->Parse(query).ok()) << query;
    return search;
  }
  std::unique_ptr<PostingSource> Rows() const {
    auto rows = std::make_unique<MemoryPostings>(&language_);
    for (const auto& [document, text] : texts_) rows->Add(document, {text});
    return rows;
  }
  // All rows that are found, in their order.
  static std::string Found(TextSearch* search) {
    std::string found;
    SearchHit hit;
    Status status = search->Next(&hit);
    for (; status.ok(); status = search->Next(&hit)) found += hit.document;
    EXPECT_EQ(status.code(), Code::kEndOfRange);
    return found;
  }
  // Of a row with this text, which is nowhere.
  static float RankOf(TextSearch* search, const std::string& text) {
    std::string record(kTextBytes + 1, '\0');
    record[0] = static_cast<char>(text.size());
    record.replace(1, text.size(), text);
    float rank = 0;
    EXPECT_TRUE(search->RankOfRow(reinterpret_cast<const uint8_t*>(record.data()), &rank).ok());
    return rank;
  }

  const TestLanguage language_;
  std::vector<std::pair<std::string, std::string>> texts_ = {
      {"a", "apple"}, {"b", "pear"}, {"c", "apple apple"}, {"d", "pear apple"}, {"e", "plum"}};
};

TEST_F(TextSearchTest, RowsComeByRankOrByDocument) {
  auto plain = Parsed("apple", OptionsOf(Mode::kNatural, false));
  ASSERT_TRUE(plain->Begin(Rows()).ok());
  EXPECT_EQ(Found(plain.get()), "acd");
  auto ranked = Parsed("apple", OptionsOf(Mode::kNatural, true));
  ASSERT_TRUE(ranked->Begin(Rows()).ok());
  EXPECT_EQ(Found(ranked.get()), "cad");
  ranked->Rewind();
  EXPECT_EQ(Found(ranked.get()), "cad");
}

TEST_F(TextSearchTest, WhatTakesTooMuchMemoryComesByDocument) {
  TextSearch::Options options = OptionsOf(Mode::kNatural, true);
  options.hit_bytes = 1;
  auto search = Parsed("apple", options);
  ASSERT_TRUE(search->Begin(Rows()).ok());
  EXPECT_EQ(Found(search.get()), "acd");
  search->Rewind();
  EXPECT_EQ(Found(search.get()), "acd");
}

TEST_F(TextSearchTest, EachViewIsSearchedAnew) {
  auto search = Parsed("+apple -pear", OptionsOf(Mode::kBoolean, true));
  EXPECT_FALSE(search->running());
  ASSERT_TRUE(search->Begin(Rows()).ok());
  EXPECT_EQ(Found(search.get()), "ca");
  search->End();
  EXPECT_FALSE(search->running());
  texts_.erase(texts_.begin());
  ASSERT_TRUE(search->Begin(Rows()).ok());
  EXPECT_EQ(Found(search.get()), "c");
}

TEST_F(TextSearchTest, ExpansionIsThatOfItsView) {
  auto search = Parsed("plum", OptionsOf(Mode::kExpanded, false));
  ASSERT_TRUE(search->Begin(Rows()).ok());
  EXPECT_EQ(Found(search.get()), "e");
  texts_.emplace_back("f", "plum pear");
  ASSERT_TRUE(search->Begin(Rows()).ok());
  EXPECT_EQ(Found(search.get()), "bdef");
}

// A row has the rank that the view gives to one with the same words.
TEST_F(TextSearchTest, RowsOutsideOfTheViewMatchByTheirWords) {
  for (const RankFormula formula : {RankFormula::kInnoDb, RankFormula::kBm25}) {
    for (const char* query :
         {"apple pear", "+appl* +pear", "\"pear apple\"", "\"apple pear\" @5"}) {
      TextSearch::Options options = OptionsOf(Mode::kBoolean, false);
      options.formula = formula;
      auto search = Parsed(query, options);
      ASSERT_TRUE(search->Begin(Rows()).ok());
      float rank = 0;
      ASSERT_TRUE(search->RankOf("d", &rank).ok());
      EXPECT_GT(rank, 0) << query;
      EXPECT_EQ(RankOf(search.get(), "pear apple"), rank) << query;
      EXPECT_EQ(RankOf(search.get(), "plum"), 0) << query;
    }
  }
}

TEST_F(TextSearchTest, PhrasesOfSuchRowsCompareStopWords) {
  auto search = Parsed("\"apple the pear\"", OptionsOf(Mode::kBoolean, false));
  ASSERT_TRUE(search->Begin(Rows()).ok());
  EXPECT_GT(RankOf(search.get(), "apple the pear"), 0);
  EXPECT_EQ(RankOf(search.get(), "apple and pear"), 0);
}

// A word that no row of the view has is as rare as one in a single row.
TEST_F(TextSearchTest, NewWordsHaveARank) {
  auto search = Parsed("cherry", OptionsOf(Mode::kNatural, false));
  ASSERT_TRUE(search->Begin(Rows()).ok());
  EXPECT_EQ(Found(search.get()), "");
  EXPECT_GT(RankOf(search.get(), "cherry"), 0);
}

TEST_F(TextSearchTest, SyntaxErrorsAreSaid) {
  TextSearch::Options options;
  options.mode = Mode::kBoolean;
  auto search = Parsed("apple", options);
  EXPECT_EQ(search->Parse("+(apple").code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace basalt::engine
