// SPDX-License-Identifier: GPL-2.0-only
//
// Blocks of postings: the examples of docs/format/full-text.md, random ones there and back, and
// bytes that are none.
#include "codec/posting_block.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace basalt::codec {
namespace {

using std::string_literals::operator""s;
using Postings = std::map<std::string, std::string>;  // document -> positions

std::string Written(const Postings& postings) {
  PostingBlockWriter writer;
  for (const auto& [document, positions] : postings) writer.Add(document, positions);
  EXPECT_EQ(writer.last_document(), postings.rbegin()->first);
  std::string value;
  writer.Finish(&value);
  EXPECT_TRUE(writer.empty());
  return value;
}

// False when malformed.
bool Read(Bytes value, Bytes last, Postings* postings) {
  PostingBlockReader reader(value, last);
  std::string before;
  while (reader.Next()) {
    EXPECT_LT(before, reader.document());
    before = reader.document();
    postings->emplace(reader.document(), reader.positions());
  }
  return !reader.failed();
}

std::string Hex(Bytes bytes) {
  std::string hex;
  AppendHex(bytes, &hex);
  return hex;
}

TEST(PostingBlock, BytesAreThoseOfTheDocument) {
  EXPECT_EQ(Hex(Written({{"\x80\0\0\x05"s, "\x02"}})), "0002");
  EXPECT_EQ(
      Hex(Written(
          {{"\x80\0\0\x01"s, "\x01\x02"}, {"\x80\0\0\x02"s, "\x07"}, {"\x80\0\x01\x05"s, "\x04"}})),
      "02000480000001020102030102010704");
}

TEST(PostingBlock, PostingsComeBack) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    Postings postings;
    const size_t count = 1 + random() % 40;
    const bool of_one_length = round % 2 == 0;
    while (postings.size() < count) {
      std::string document(of_one_length ? 4 : 1 + random() % 300, '\0');
      for (char& byte : document) byte = static_cast<char>(random() % 3 * 127);
      postings[document] = std::string(1 + random() % (random() % 7 == 0 ? 500 : 3), 'p');
      if (of_one_length && postings.size() == 81) break;
    }
    const std::string value = Written(postings);
    Postings back;
    ASSERT_TRUE(Read(value, postings.rbegin()->first, &back));
    ASSERT_EQ(back, postings);
  }
}

TEST(PostingBlock, MalformedBytesAreRefused) {
  const std::string good = Written({{"aa1", "x"}, {"aa3", "yy"}, {"ab", "z"}});
  Postings postings;
  ASSERT_TRUE(Read(good, "ab", &postings));
  EXPECT_FALSE(Read(good, "aa3", &postings)) << "the last document comes before another";
  for (size_t bytes = 0; bytes < good.size(); ++bytes) {
    EXPECT_FALSE(Read(good.substr(0, bytes), "ab", &postings)) << bytes;
  }
  for (const std::string& value : {
           "\x01\x01\x01z\x01x\x01"s,                  // shares what is not there
           "\x01\x00\x00\x01x\x01"s,                   // an empty document
           "\x02\x00\x01q\x01x\x00\x01p\x01x\x01"s,    // the second comes before the first
           "\x02\x00\x01q\x01x\x01\x00\x01x\x01"s,     // the same document twice
           "\x01\x00\x05q\x01x\x01"s,                  // a document that is cut short
           "\xff\xff\xff\xff\x7f\x00\x01q\x01x\x01"s,  // postings that are not there
       }) {
    EXPECT_FALSE(Read(value, "zz", &postings)) << Hex(value);
  }
}

}  // namespace
}  // namespace basalt::codec
