// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/option_string.h"

#include <gtest/gtest.h>

#include "store/options/option_values.h"

namespace basalt::store {
namespace {

using rocksdb::ColumnFamilyOptions;

bool Parses(const std::string& text) {
  ColumnFamilyOptions parsed;
  return ParseFamilyOptions(text, ColumnFamilyOptions(), OptionScope::kNewFamily, &parsed).ok();
}

TEST(OptionStringTest, ZstdByItsOldName) {
  ColumnFamilyOptions parsed;
  ASSERT_TRUE(ParseFamilyOptions("compression=kZSTDNotFinalCompression;"
                                 "bottommost_compression=kZSTDNotFinalCompression;"
                                 "compression_per_level=kNoCompression:kZSTDNotFinalCompression",
                                 ColumnFamilyOptions(), OptionScope::kNewFamily, &parsed)
                  .ok());
  EXPECT_EQ(parsed.compression, rocksdb::kZSTD);
  EXPECT_EQ(parsed.bottommost_compression, rocksdb::kZSTD);
  EXPECT_EQ(parsed.compression_per_level, (std::vector{rocksdb::kNoCompression, rocksdb::kZSTD}));
}

TEST(OptionStringTest, OldValuesAreWholeWords) {
  EXPECT_EQ(DescribeOldValues("compression=kZSTDNotFinalCompression"),
            "kZSTDNotFinalCompression is taken for kZSTD");
  EXPECT_EQ(WithTodaysValues("a=kZSTDNotFinalCompression:kZSTDNotFinalCompression"),
            "a=kZSTD:kZSTD");
  for (const char* other :
       {"", "kZSTD", "a=kZSTDNotFinalCompressions", "xkZSTDNotFinalCompression", "kZSTDNotFinal"}) {
    EXPECT_EQ(DescribeOldValues(other), "");
    EXPECT_EQ(WithTodaysValues(other), other);
  }
}

TEST(OptionStringTest, CompressionsThatThisBuildLacks) {
  for (const char* option : {"compression", "bottommost_compression", "compression_per_level",
                             "blob_compression_type"}) {
    EXPECT_FALSE(Parses(std::string(option) + "=kBZip2Compression")) << option;
  }
  EXPECT_TRUE(Parses("bottommost_compression=kDisableCompressionOption"));
}

// The words are not in RocksDB's headers: each is tried.
TEST(OptionStringTest, WordsOfEnumerations) {
  const auto try_all = [](const std::string& option, const std::string& before,
                          const std::string& after) {
    const std::vector<std::string> words = ValuesOfOption(option);
    EXPECT_GE(words.size(), 2u) << option;
    for (const std::string& word : words) {
      EXPECT_TRUE(Parses(before + option + "=" + word + after)) << option << "=" << word;
    }
    EXPECT_FALSE(Parses(before + option + "=kNothingOfTheKind" + after)) << option;
  };
  for (const char* option :
       {"compression", "bottommost_compression", "compression_per_level", "blob_compression_type",
        "compaction_style", "compaction_pri", "default_temperature", "default_write_temperature",
        "last_level_temperature", "prepopulate_blob_cache"}) {
    try_all(option, "", "");
  }
  for (const char* option :
       {"checksum", "index_type", "index_block_search_type", "data_block_index_type",
        "index_shortening", "prepopulate_block_cache"}) {
    try_all(option, "block_based_table_factory={", "}");
  }
  EXPECT_TRUE(ValuesOfOption("write_buffer_size").empty());
}

}  // namespace
}  // namespace basalt::store
