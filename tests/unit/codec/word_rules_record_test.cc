// SPDX-License-Identifier: GPL-2.0-only
//
// Rules of FULLTEXT indexes as bytes: those of docs/format/full-text.md, and bytes that are none.
#include "codec/word_rules_record.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "codec/word_rules.h"

namespace basalt::codec {
namespace {

using std::string_literals::operator""s;

const std::string kPlain = "\0\1\0\0\0\3\0\0\0\x54\0\0\0\0\0\0\0\0"s;
const std::string kNgram = "\0\1\0\0\0\2\0\0\0\x0a\0\0\0\5ngram\0\0\0\2\0\0\0\3A\0\0\0\0\0\3B\0\0"s;

Status Decode(Bytes bytes) {
  // An exact copy on the heap, so that the sanitizers see a read behind its end.
  const std::vector<char> copy(bytes.begin(), bytes.end());
  std::string parser;
  WordRules rules(0, 0);
  return DecodeWordRules(Bytes(copy.data(), copy.size()), &parser, &rules);
}

TEST(WordRulesRecord, GoldenBytes) {
  EXPECT_EQ(EncodeWordRules("", WordRules(3, 84)), kPlain);
  WordRules rules(2, 10);
  rules.AddStopWord("B\0\0"s);
  rules.AddStopWord("A\0\0"s);
  rules.AddStopWord("B\0\0"s);
  EXPECT_EQ(EncodeWordRules("ngram", rules), kNgram);
}

TEST(WordRulesRecord, ComeBack) {
  std::string parser = "other";
  WordRules rules(7, 7);
  rules.AddStopWord("C\0\0"s);
  ASSERT_EQ(DecodeWordRules(kNgram, &parser, &rules).ToString(), "ok");
  EXPECT_EQ(parser, "ngram");
  EXPECT_TRUE(rules.HasWord(2, "C\0\0"s));
  EXPECT_TRUE(rules.HasWord(10, "C\0\0"s));
  EXPECT_FALSE(rules.HasWord(1, "C\0\0"s));
  EXPECT_FALSE(rules.HasWord(11, "C\0\0"s));
  EXPECT_FALSE(rules.HasWord(2, "A\0\0"s));
  EXPECT_FALSE(rules.HasWord(2, "B\0\0"s));
  ASSERT_EQ(DecodeWordRules(kPlain, &parser, &rules).ToString(), "ok");
  EXPECT_EQ(parser, "");
  EXPECT_TRUE(rules.stop_words().empty());
}

TEST(WordRulesRecord, OtherBytesAreRefused) {
  for (const std::string& good : {kPlain, kNgram}) {
    for (size_t bytes = 0; bytes < good.size(); ++bytes) {
      EXPECT_EQ(Decode(Bytes(good).substr(0, bytes)).code(), Code::kCorruption) << bytes;
    }
    EXPECT_EQ(Decode(good + "\0"s).code(), Code::kCorruption);
  }
  std::string bytes = kPlain;
  bytes[1] = 2;
  EXPECT_EQ(Decode(bytes).message(), "the rules of a FULLTEXT index: version 2 is not known");
  bytes = kNgram;
  bytes[bytes.size() - 3] = 'A';  // twice
  EXPECT_EQ(Decode(bytes).code(), Code::kCorruption);
  EXPECT_EQ(Decode(kPlain.substr(0, 14) + "\0\0\0\1\0\0\0\0"s).code(), Code::kCorruption);
  EXPECT_EQ(Decode(kPlain.substr(0, 14) + "\xff\xff\xff\xff"s).code(), Code::kCorruption);
}

// What is not refused is what would be written.
TEST(WordRulesRecord, DamagedBytesDoNoHarm) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = i % 2 == 0 ? kPlain : kNgram;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    std::string parser;
    WordRules rules(0, 0);
    if (!Decode(bytes).ok()) continue;
    ASSERT_TRUE(DecodeWordRules(bytes, &parser, &rules).ok());
    EXPECT_EQ(EncodeWordRules(parser, rules), bytes);
  }
}

}  // namespace
}  // namespace basalt::codec
