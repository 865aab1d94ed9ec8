// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/posting_gatherer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "codec/posting_block.h"
#include "codec/word_source.h"
#include "unit/codec/test_table.h"
#include "unit/engine/full_text/memory_postings.h"

namespace basalt::engine {
namespace {

constexpr size_t kWords = 1;  // the position of the index

class PostingGathererTest : public testing::Test {
 protected:
  // word + document -> positions; of rows without the word in front: their value
  using Postings = std::map<std::string, std::string>;

  PostingGathererTest()
      : table_({"column id int", "column t text(2) letters_ci null", "primary 0100 id",
                "index 0101 t(1) full_text version=16"},
               test::FakeCollationByName) {
    codec::TableDescriptor descriptor = table_.descriptor();
    descriptor.indexes[kWords].words = std::make_shared<codec::WordSource>(
        std::make_unique<codec::ScanningParser>(language_.characters()), *language_.rules());
    words_ = descriptor.indexes[kWords].words;
    encoder_ = std::make_unique<codec::PostingEncoder>(descriptor, kWords, &table_.key(kWords));
    gatherer_ = std::make_unique<PostingGatherer>(table_.key(kWords).index_number());
  }
  void Add(int id, const std::string& text) {
    const std::vector<uint8_t> record = table_.Record(std::to_string(id) + ", '" + text + "'");
    ASSERT_TRUE(encoder_->Encode(record.data(), 0, 0).ok());
    for (size_t i = 0; i < encoder_->size(); ++i) {
      Expect(encoder_->key(i), encoder_->value(i));
    }
    ASSERT_TRUE(encoder_->Take(record.data(), 0).ok());
    gatherer_->Add(*encoder_, &entries_);
  }
  void Expect(Bytes key, Bytes value) {
    codec::PostingKey posting;
    ASSERT_TRUE(codec::DecodePostingKey(key, 1, &posting));
    std::string expected(value);
    if (posting.kind == codec::PostingKind::kDocument) expected += '\1';
    expected_[std::string(posting.word).append(posting.document)] = expected;
  }
  // What the entries say. Sizes of blocks are added up in blocks_.
  Postings Gathered() {
    Postings gathered;
    for (size_t i = 0; i < entries_.count(); ++i) {
      codec::PostingKey key;
      EXPECT_TRUE(codec::DecodePostingKey(entries_.key(i), 1, &key));
      if (key.kind == codec::PostingKind::kDocument) {
        gathered[std::string(key.document)] = entries_.value(i);
        continue;
      }
      EXPECT_EQ(key.kind, codec::PostingKind::kBlock);
      ++blocks_[std::string(key.word)];
      codec::PostingBlockReader block(entries_.value(i), key.document);
      while (block.Next()) {
        const std::string posting = std::string(key.word).append(block.document());
        EXPECT_TRUE(gathered.emplace(posting, block.positions()).second);
      }
      EXPECT_FALSE(block.failed());
    }
    return gathered;
  }

  test::TestLanguage language_;
  test::TestTable table_;
  std::shared_ptr<const codec::WordSource> words_;
  std::unique_ptr<codec::PostingEncoder> encoder_;
  std::unique_ptr<PostingGatherer> gatherer_;
  txn::EntryBuffer entries_{/*reverse=*/false};
  Postings expected_;
  std::map<std::string, size_t> blocks_;  // by word
};

TEST_F(PostingGathererTest, AllPostingsOfAllRows) {
  std::mt19937 random(4);
  const char* const kSome[] = {"apple", "pear", "plum", "fig", "lime", "kiwi"};
  for (int id = 1; id <= 2000; ++id) {
    std::string text = "everywhere";
    for (size_t i = 0, n = random() % 5; i < n; ++i) {
      text += " " + std::string(kSome[random() % std::size(kSome)]);
    }
    if (random() % 3 == 0) text += " only" + std::string(id % 26 + 1, 'x');
    Add(id, text);
  }
  EXPECT_GT(gatherer_->bytes(), 2000u * 10);
  gatherer_->Finish(&entries_);
  EXPECT_TRUE(entries_.in_order()) << "rows, then words";
  EXPECT_EQ(Gathered(), expected_);
  size_t most = 0;
  for (const auto& [word, count] : blocks_) most = std::max(most, count);
  EXPECT_GT(most, 3u) << "of the word that all rows have";
}

TEST_F(PostingGathererTest, BeginsAnew) {
  Add(1, "apple pear");
  gatherer_->Finish(&entries_);
  EXPECT_EQ(gatherer_->bytes(), 0u);
  Add(2, "apple");
  Add(3, "pear pear");
  gatherer_->Finish(&entries_);
  EXPECT_EQ(Gathered(), expected_);
  gatherer_->Finish(&entries_);
  EXPECT_EQ(entries_.count(), 3u + 2u + 2u) << "rows, and twice two words";
}

// One entry may be larger than a block.
TEST_F(PostingGathererTest, AWordThatStandsInOneRowVeryOften) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "apple pear ";
  Add(1, text);
  Add(2, "apple");
  gatherer_->Finish(&entries_);
  EXPECT_EQ(Gathered(), expected_);
}

}  // namespace
}  // namespace basalt::engine
