// SPDX-License-Identifier: GPL-2.0-only
//
// Which words a text has, which of them an index has, and where they stand.
#include "codec/document_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/codec/ascii_characters.h"
#include "unit/codec/fake_collation.h"

namespace basalt::codec {
namespace {

using std::string_literals::operator""s;

std::vector<std::string> WordsOf(Bytes text) {
  const test::AsciiCharacters characters;
  WordScanner scanner(&characters, text);
  std::vector<std::string> words;
  ScannedWord word;
  while (scanner.Next(&word)) {
    EXPECT_EQ(word.characters, word.bytes.size());
    words.emplace_back(word.bytes);
  }
  return words;
}

using Words = std::vector<std::string>;

TEST(WordScanner, WordsAreLettersDigitsAndUnderscores) {
  EXPECT_EQ(WordsOf("a b"), Words({"a", "b"}));
  EXPECT_EQ(WordsOf("  _x1, (y_2)!  "), Words({"_x1", "y_2"}));
  EXPECT_EQ(WordsOf("don't e-mail"), Words({"don", "t", "e", "mail"}));
  EXPECT_EQ(WordsOf("\xc3\xa4z"), Words({"z"}));
  EXPECT_EQ(WordsOf(""), Words());
  EXPECT_EQ(WordsOf(" .,\0;"s), Words());
  EXPECT_EQ(WordsOf("end"), Words({"end"}));
}

class DocumentWordsTest : public testing::Test {
 protected:
  DocumentWordsTest() : parser_(&characters_), rules_(3, 5) {
    rules_.AddStopWord(WordImages(collation_).Of("the"));
  }

  // Image=positions, in hexadecimal digits.
  static std::string Show(const DocumentWords& words) {
    std::string shown;
    for (size_t i = 0; i < words.size(); ++i) {
      const Bytes image = words.image(i);
      shown += std::string(image.substr(0, image.size() - 2)) + "=";
      AppendHex(words.positions(i), &shown);
      shown += ' ';
    }
    return shown;
  }

  const Collation* collation_ = test::FakeCollationByName("letters_ci");
  test::AsciiCharacters characters_;
  ScanningParser parser_;
  WordRules rules_;
};

TEST_F(DocumentWordsTest, RulesLeaveWordsOutButCountThem) {
  DocumentWords words(&parser_, &rules_, collation_, DocumentWords::Which::kOfIndex);
  words.Begin();
  ASSERT_TRUE(words.AddColumn("The state of The art, State by state").ok());
  words.SkipColumn();
  ASSERT_TRUE(words.AddColumn("art of longer words").ok());
  words.Finish();
  EXPECT_EQ(Show(words), "ART=05000001 STATE=020402 WORDS=000004 ");
  EXPECT_EQ(words.length(), 6u);
  EXPECT_EQ(words.Find(WordImages(collation_).Of("art")), "\5\0\0\1"s);
  EXPECT_TRUE(words.Find(WordImages(collation_).Of("the")).empty());
}

TEST_F(DocumentWordsTest, AllWordsAreThereWhenWanted) {
  DocumentWords words(&parser_, &rules_, collation_, DocumentWords::Which::kAll);
  words.Begin();
  ASSERT_TRUE(words.AddColumn("The state of the").ok());
  words.Finish();
  EXPECT_EQ(Show(words), "OF=03 STATE=02 THE=0103 ");
  words.Begin();
  ASSERT_TRUE(words.AddColumn("of").ok());
  words.Finish();
  EXPECT_EQ(Show(words), "OF=01 ") << "nothing is left of the row before";
  words.Begin();
  words.Finish();
  EXPECT_EQ(words.size(), 0u);
  EXPECT_EQ(words.length(), 0u);
}

// Also of words that differ behind sixteen bytes of their images only, or by their lengths there.
TEST_F(DocumentWordsTest, WordsAreInTheOrderOfTheirImages) {
  std::vector<std::string> all;
  for (const size_t length : {1, 7, 8, 13, 14, 15, 16, 17, 30}) {
    for (const char last : {'a', 'b', 'z'}) all.push_back(std::string(length, 'm') + last);
  }
  std::string text;
  for (const std::string& word : all) text = word + " " + text + " " + word;
  DocumentWords words(&parser_, &rules_, collation_, DocumentWords::Which::kAll);
  words.Begin();
  ASSERT_TRUE(words.AddColumn(text).ok());
  words.Finish();
  ASSERT_EQ(words.size(), all.size());
  for (size_t i = 1; i < words.size(); ++i) EXPECT_LT(words.image(i - 1), words.image(i));
  for (const std::string& word : all) {
    EXPECT_EQ(CountPositions(words.Find(WordImages(collation_).Of(word))), 2u) << word;
  }
}

class FailingParser final : public TextParser {
 public:
  Status Parse(Bytes, WordSink*) const override { return Status(Code::kInternal, "no parser"); }
};

TEST_F(DocumentWordsTest, AParserMayFail) {
  const FailingParser failing;
  DocumentWords words(&failing, &rules_, collation_, DocumentWords::Which::kOfIndex);
  words.Begin();
  EXPECT_EQ(words.AddColumn("a").message(), "no parser");
}

}  // namespace
}  // namespace basalt::codec
