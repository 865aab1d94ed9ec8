// SPDX-License-Identifier: GPL-2.0-only
//
// Keys and values of FULLTEXT indexes: the examples of docs/format/full-text.md, random places
// there and back, and bytes that are none.
#include "codec/posting.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "codec/variable_number.h"
#include "codec/word_image.h"
#include "unit/codec/fake_collation.h"

namespace basalt::codec {
namespace {

using Positions = std::vector<WordPosition>;

std::string Hex(Bytes bytes) {
  std::string hex;
  AppendHex(bytes, &hex);
  return hex;
}

std::string ValueOf(const Positions& positions) {
  std::string value;
  PositionWriter writer(&value);
  for (const WordPosition& position : positions) writer.Add(position);
  return value;
}

// Nothing when malformed.
Positions PositionsOf(Bytes value) {
  PositionReader reader(value);
  Positions positions;
  WordPosition position;
  while (reader.Next(&position)) positions.push_back(position);
  if (reader.failed()) positions.clear();
  return positions;
}

TEST(VariableNumber, HasOneFormEach) {
  const std::vector<std::pair<uint64_t, std::string>> kForms = {
      {0, "00"},
      {1, "01"},
      {127, "7f"},
      {128, "8100"},
      {297, "8229"},
      {16383, "ff7f"},
      {16384, "818000"},
      {0xffffffff, "8fffffff7f"},
      {~uint64_t{0}, "81ffffffffffffffff7f"}};
  for (const auto& [number, form] : kForms) {
    std::string bytes;
    AppendVariableNumber(number, &bytes);
    EXPECT_EQ(Hex(bytes), form);
    Bytes rest = bytes;
    uint64_t back = 0;
    ASSERT_TRUE(TakeVariableNumber(&rest, &back));
    EXPECT_EQ(back, number);
    EXPECT_TRUE(rest.empty());
  }
}

TEST(VariableNumber, RefusesOtherForms) {
  using std::string_literals::operator""s;
  for (const std::string& form :
       {""s, "\x80\x01"s, "\x81"s, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"s,
        "\x83\xff\xff\xff\xff\xff\xff\xff\xff\x7f"s}) {
    Bytes rest = form;
    uint64_t number;
    EXPECT_FALSE(TakeVariableNumber(&rest, &number)) << Hex(form);
  }
}

TEST(Posting, PositionsAreThoseOfTheDocument) {
  EXPECT_EQ(Hex(ValueOf({{0, 1}, {0, 3}, {0, 300}})), "01028229");
  EXPECT_EQ(Hex(ValueOf({{0, 5}, {2, 2}, {2, 3}})), "0500000201");
}

TEST(Posting, PositionsComeBack) {
  std::mt19937 random(20);
  for (int round = 0; round < 2000; ++round) {
    std::set<WordPosition> places;
    for (size_t i = 0, n = 1 + random() % 20; i < n; ++i) {
      const uint32_t ordinal = random() % 3 == 0 ? static_cast<uint32_t>(random()) : random() % 300;
      places.insert({static_cast<uint32_t>(random() % 4), std::max(ordinal, 1u)});
    }
    const Positions positions(places.begin(), places.end());
    const std::string value = ValueOf(positions);
    ASSERT_EQ(PositionsOf(value), positions);
    ASSERT_EQ(CountPositions(value), positions.size());
  }
}

TEST(Posting, MalformedPositionsAreRefused) {
  using std::string_literals::operator""s;
  for (const std::string& value :
       {""s, "\0"s, "\x05\0"s, "\x81"s, "\x05\x80\x01"s, "\x8f\xff\xff\xff\x7f\x01"s,
        "\x90\x80\x80\x80\x00"s, std::string(64, '\0') + "\x01"}) {
    EXPECT_TRUE(PositionsOf(value).empty()) << Hex(value);
    EXPECT_EQ(CountPositions(value), 0u) << Hex(value);
  }
  EXPECT_EQ(PositionsOf(std::string(63, '\0') + "\x01"), Positions({{63, 1}}));
}

TEST(Posting, KeysAreTakenApart) {
  const Collation* collation = test::FakeCollationByName("letters_ci");
  WordImages images(collation);
  std::string key;
  AppendPostingHead(300, PostingKind::kWord, &key);
  images.Append("Abc", &key);
  key += "row";
  EXPECT_EQ(Hex(key), "0000012c014142430000726f77");
  PostingKey posting;
  ASSERT_TRUE(DecodePostingKey(key, 1, &posting));
  EXPECT_EQ(posting.kind, PostingKind::kWord);
  EXPECT_EQ(posting.word, Bytes(images.Of("ABC")));
  EXPECT_EQ(posting.document, "row");
  for (size_t bytes = 0; bytes < key.size() - 3; ++bytes) {
    EXPECT_FALSE(DecodePostingKey(Bytes(key).substr(0, bytes), 1, &posting)) << bytes;
  }
  key[4] = 2;
  ASSERT_TRUE(DecodePostingKey(key, 1, &posting));
  EXPECT_EQ(posting.kind, PostingKind::kBlock);
  EXPECT_EQ(posting.word, Bytes(images.Of("ABC")));
  key[4] = 4;
  EXPECT_FALSE(DecodePostingKey(key, 1, &posting)) << "a kind that is unknown";
}

TEST(Posting, RowsHaveAKeyAndALength) {
  std::string key;
  AppendPostingHead(300, PostingKind::kDocument, &key);
  key += "row";
  EXPECT_EQ(Hex(key), "0000012c00726f77");
  PostingKey posting;
  ASSERT_TRUE(DecodePostingKey(key, 1, &posting));
  EXPECT_EQ(posting.kind, PostingKind::kDocument);
  EXPECT_TRUE(posting.word.empty());
  EXPECT_EQ(posting.document, "row");
  key[4] = 3;
  ASSERT_TRUE(DecodePostingKey(key, 1, &posting));
  EXPECT_EQ(posting.kind, PostingKind::kSuperseded);
  EXPECT_TRUE(posting.word.empty());
}

TEST(Posting, RowsHaveALength) {
  using std::string_literals::operator""s;
  const std::vector<std::pair<std::string, DocumentValue>> kValues = {
      {"\0"s, {0, false}}, {"\x82\x29", {297, false}}, {"\x82\x29\x01", {297, true}}};
  for (const auto& [bytes, document] : kValues) {
    std::string written;
    AppendDocumentValue(document, &written);
    EXPECT_EQ(Hex(written), Hex(bytes));
    DocumentValue read;
    ASSERT_TRUE(DecodeDocumentValue(bytes, &read));
    EXPECT_EQ(read.words, document.words);
    EXPECT_EQ(read.in_blocks, document.in_blocks);
  }
  for (const std::string& bytes : {""s, "\x82"s, "\x01\x00"s, "\x01\x02"s, "\x01\x01\x01"s}) {
    DocumentValue read;
    EXPECT_FALSE(DecodeDocumentValue(bytes, &read)) << Hex(bytes);
  }
}

}  // namespace
}  // namespace basalt::codec
