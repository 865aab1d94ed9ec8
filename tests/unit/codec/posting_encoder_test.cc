// SPDX-License-Identifier: GPL-2.0-only
//
// Entries of rows in a FULLTEXT index: their bytes, and what the index's codec makes of them.
#include "codec/posting_encoder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/kv_format.h"
#include "codec/word_source.h"
#include "unit/codec/ascii_characters.h"
#include "unit/codec/fake_collation.h"
#include "unit/codec/test_table.h"

namespace basalt::codec {
namespace {

constexpr size_t kWords = 1;  // the position of the index

class PostingEncoderTest : public testing::Test {
 protected:
  void Create(const std::vector<std::string>& lines) {
    table_ = std::make_unique<test::TestTable>(lines, test::FakeCollationByName);
    TableDescriptor descriptor = table_->descriptor();
    descriptor.indexes[kWords].words = std::make_shared<WordSource>(
        std::make_unique<ScanningParser>(&characters_), WordRules(3, 10));
    words_ = descriptor.indexes[kWords].words;
    encoder_ = std::make_unique<PostingEncoder>(descriptor, kWords, &table_->key(kWords));
  }
  // key=value of each entry of a row, in hexadecimal digits.
  std::string Entries(const std::string& literals, uint64_t hidden_id = 0, uint64_t stamp = 0) {
    row_ = table_->Record(literals);
    EXPECT_TRUE(encoder_->Encode(row_.data(), hidden_id, stamp).ok());
    std::string shown;
    for (size_t i = 0; i < encoder_->size(); ++i) {
      AppendHex(encoder_->key(i), &shown);
      shown += '=';
      AppendHex(encoder_->value(i), &shown);
      shown += ' ';
    }
    return shown;
  }

  test::AsciiCharacters characters_;
  std::shared_ptr<const WordSource> words_;
  std::unique_ptr<test::TestTable> table_;
  std::unique_ptr<PostingEncoder> encoder_;
  std::vector<uint8_t> row_;
};

TEST_F(PostingEncoderTest, ARowHasAnEntryForEachWordAndItsOwn) {
  Create({"column a int", "column t text(2) letters_ci null", "column u varchar(20) letters_ci",
          "primary 0100 a", "index 0101 t(1) u full_text version=16"});
  EXPECT_EQ(Entries("5, 'The state of State', 'state'"),
            "000001010080000005=04 "
            "00000101015354415445000080000005=02020001 "
            "0000010101544845000080000005=01 ");
  EXPECT_EQ(Entries("-1, NULL, 'art'"),
            "00000101007fffffff=01 "
            "000001010141525400007fffffff=0001 ");
  EXPECT_EQ(Entries("6, NULL, ''"), "000001010080000006=00 ");
}

TEST_F(PostingEncoderTest, ValuesMayBeginWithATimeStamp) {
  Create(
      {"column c char(8) letters_ci", "hidden 0900 ttl", "index 0101 c full_text ttl version=16"});
  EXPECT_EQ(Entries("'a word'", 9, 7),
            "00000101000000000000000009=000000000000000701 "
            "0000010101574f524400000000000000000009=000000000000000702 ");
}

// What the engine asks of any index's keys holds for these: their parts, and the row they lead to.
TEST_F(PostingEncoderTest, TheCodecOfTheIndexReadsTheirKeys) {
  Create({"column a int", "column t varchar(30) two_level", "primary 0100 t(3) a",
          "index 0101 t full_text version=16"});
  Entries("7, 'one and two'");
  const KeyCodec& codec = table_->key(kWords);
  EXPECT_TRUE(IsFullText(codec));
  EXPECT_FALSE(IsFullText(table_->primary()));
  EXPECT_EQ(codec.user_parts(), 1u);
  EXPECT_FALSE(codec.may_have_unpack_info());
  EXPECT_FALSE(codec.UniqueIsExact());
  ASSERT_EQ(encoder_->size(), 4u);
  std::vector<uint8_t> buffer(table_->primary().max_key_bytes());
  const size_t row_bytes =
      table_->primary().EncodeKey(row_.data(), 0, buffer.data(), nullptr, nullptr);
  const std::string row_key(MakeBytes(buffer.data(), row_bytes));
  for (size_t i = 0; i < encoder_->size(); ++i) {
    const Bytes key = encoder_->key(i);
    EXPECT_TRUE(i == 0 || encoder_->key(i - 1) < key);
    EXPECT_EQ(codec.PrefixBytes(key, codec.total_parts()), key.size());
    EXPECT_EQ(MakeBytes(buffer.data(), codec.ExtractPrimaryKey(key, buffer.data())),
              Bytes(row_key));
    PostingKey posting;
    ASSERT_TRUE(DecodePostingKey(key, 2, &posting));
    EXPECT_EQ(posting.document, Bytes(row_key).substr(4));
    for (size_t bytes = 0; bytes < key.size(); ++bytes) {
      EXPECT_EQ(codec.PrefixBytes(key.substr(0, bytes), codec.total_parts()), 0u);
      EXPECT_EQ(codec.ExtractPrimaryKey(key.substr(0, bytes), buffer.data()), 0u);
    }
  }
}

TEST_F(PostingEncoderTest, VersionSixteenIsForFullTextOnly) {
  const auto error_of = [](const std::string& columns, const std::string& index) -> std::string {
    try {
      test::TestTable(
          {"column a int", "column t varchar(9) " + columns, "column u varchar(9) " + columns,
           "column v varchar(9) latin2_bin", "primary 0100 a", index},
          test::FakeCollationByName);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of("letters_ci", "index 0101 t u full_text version=16"), "");
  for (const char* index :
       {"index 0101 t version=16", "index 0101 t full_text", "index 0101 t full_text version=14",
        "index 0101 t full_text version=17", "index 0101 a full_text version=16",
        "index 0101 t v full_text version=16", "index 0101 -t full_text version=16",
        "index 0101 t unique full_text version=16"}) {
    EXPECT_NE(error_of("letters_ci", index), "") << index;
  }
  test::TestTable chosen({"column a int", "column t varchar(9) letters_ci", "primary 0100 a",
                          "index 0101 t full_text version=new"},
                         test::FakeCollationByName);
  EXPECT_EQ(chosen.descriptor().indexes[1].kv_format_version, kKvFormatFullText);
  EXPECT_EQ(chosen.descriptor().indexes[0].kv_format_version, kKvFormatShared);
}

}  // namespace
}  // namespace basalt::codec
