// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/option_mistake.h"

#include <gtest/gtest.h>

namespace basalt::store {
namespace {

std::string Mistake(std::string_view text) {
  return DescribeMistake(text, rocksdb::ColumnFamilyOptions());
}

TEST(OptionMistakeTest, RightStringsHaveNone) {
  EXPECT_EQ(Mistake(""), "");
  EXPECT_EQ(Mistake("write_buffer_size=64m; compression=kZSTD;"), "");
  EXPECT_EQ(Mistake("block_based_table_factory={block_size=8k;filter_policy=bloomfilter:10}"), "");
}

TEST(OptionMistakeTest, NamesThatAreAlmostRight) {
  EXPECT_EQ(Mistake("writ_buffer_size=64m"),
            " at character 1: no option 'writ_buffer_size'; is 'write_buffer_size' meant?");
  EXPECT_EQ(Mistake("compression=kZSTD; num_level=7"),
            " at character 20: no option 'num_level'; is 'num_levels' meant?");
}

TEST(OptionMistakeTest, NamesThatAreNothing) {
  EXPECT_EQ(Mistake("zzzzzz=1"), " at character 1: no option 'zzzzzz'");
}

TEST(OptionMistakeTest, Values) {
  EXPECT_EQ(Mistake("num_levels=7;compression=kZSDT"),
            " at character 26: 'kZSDT' is no value of the option 'compression'; is 'kZSTD' meant?");
  EXPECT_EQ(Mistake("write_buffer_size = many"),
            " at character 21: 'many' is no value of the option 'write_buffer_size'");
}

TEST(OptionMistakeTest, WordsOfEnumerations) {
  EXPECT_EQ(Mistake("compression=kNoCompresion"),
            " at character 13: 'kNoCompresion' is no value of the option 'compression'; is "
            "'kNoCompression' meant?");
  EXPECT_EQ(Mistake("bottommost_compression=zstd"),
            " at character 24: 'zstd' is no value of the option 'bottommost_compression'; is "
            "'kZSTD' meant?");
  EXPECT_EQ(Mistake("compaction_pri = kSmallestFirst"),
            " at character 18: 'kSmallestFirst' is no value of the option 'compaction_pri'; it "
            "takes kByCompensatedSize, kOldestLargestSeqFirst, kOldestSmallestSeqFirst, "
            "kMinOverlappingRatio, kRoundRobin");
  EXPECT_EQ(Mistake("block_based_table_factory={checksum=kXXH4}"),
            " at character 37: 'kXXH4' is no value of the option 'checksum'; is 'kXXH3' meant?");
}

TEST(OptionMistakeTest, CompressionByLevel) {
  EXPECT_EQ(Mistake("compression_per_level=kNoCompression:kLZ4Compresion:kZSTD"),
            " at character 38: 'kLZ4Compresion' is no value of the option 'compression_per_level'; "
            "is 'kLZ4Compression' meant?");
  EXPECT_EQ(Mistake("compression_per_levels=kZSTD"),
            " at character 1: no option 'compression_per_levels'; is 'compression_per_level' "
            "meant?");
  EXPECT_EQ(Mistake("compression_per_level=kZSTDNotFinalCompression:kNothing").substr(0, 26),
            " at character 48: 'kNothin");
}

TEST(OptionMistakeTest, CompressionsThatThisBuildLacks) {
  EXPECT_EQ(Mistake("compression=kBZip2Compression"),
            " at character 13: 'kBZip2Compression' is no value of the option 'compression'; it "
            "takes kNoCompression, kSnappyCompression, kZlibCompression, kLZ4Compression, "
            "kLZ4HCCompression, kZSTD");
}

TEST(OptionMistakeTest, Braces) {
  EXPECT_EQ(Mistake("block_based_table_factory={block_size=8k"),
            " at character 27: '{' without '}'");
  EXPECT_EQ(Mistake("write_buffer_size=8m};num_levels=7"), " at character 21: '}' without '{'");
}

TEST(OptionMistakeTest, WhatAnOpenFamilyKeeps) {
  const auto mistake = [](std::string_view text) {
    return DescribeMistake(text, rocksdb::ColumnFamilyOptions(), OptionScope::kOpenFamily);
  };
  EXPECT_EQ(
      mistake("write_buffer_size=8m; num_levels=5"),
      " at character 23: the option 'num_levels' cannot be changed while the column family is "
      "open");
  EXPECT_EQ(mistake("write_buffer_size=8m;compression_per_level=kZSTD"), "");
  EXPECT_EQ(mistake("num_levls=5"),
            " at character 1: no option 'num_levls'; is 'num_levels' meant?");
}

TEST(OptionMistakeTest, InsideTheTableFactory) {
  EXPECT_EQ(Mistake("block_based_table_factory={cache_index_and_filter_blocks=1;block_sise=8k}"),
            " at character 60: no option 'block_sise'; is 'block_size' meant?");
}

TEST(OptionMistakeTest, Garbage) {
  for (const char* text :
       {"{", "}", "=", ";;;", "a", "a=", "=a", "a={", "a={b", "a}=;{", "\t\r\n"}) {
    Mistake(text);  // ends
  }
}

}  // namespace
}  // namespace basalt::store
