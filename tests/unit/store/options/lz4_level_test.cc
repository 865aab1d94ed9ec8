// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/lz4_level.h"

#include <gtest/gtest.h>

#include "store/options/column_family_defaults.h"

namespace basalt::store {
namespace {

constexpr int kDefault = rocksdb::CompressionOptions::kDefaultCompressionLevel;

// What an option string makes of a family of the name.
rocksdb::ColumnFamilyOptions Read(const std::string& text, const char* name = "rows") {
  rocksdb::ColumnFamilyOptions options = DefaultColumnFamilyOptions(name, StoreOptions(), nullptr);
  EXPECT_TRUE(ApplyColumnFamilyOptionString(text, "test", &options, OptionScope::kNewFamily).ok());
  KeepLz4(&options);
  return options;
}

// Of the last level, as RocksDB chooses it.
int LastLevel(const rocksdb::ColumnFamilyOptions& options) {
  return options.bottommost_compression_opts.enabled ? options.bottommost_compression_opts.level
                                                     : options.compression_opts.level;
}

TEST(Lz4LevelTest, Lz4OfALevelIsLz4) {
  for (const char* text : {"compression=kLZ4Compression;compression_opts=-14:4:0",
                           "compression=kLZ4Compression;compression_opts=-14:1:0",
                           "compression_opts={level=4}", "compression_opts.level=12"}) {
    const auto options = Read(text);
    EXPECT_EQ(options.compression, rocksdb::kLZ4Compression) << text;
    EXPECT_EQ(options.compression_opts.level, kDefault) << text;
  }
}

TEST(Lz4LevelTest, TheLastLevelHasTheLevelOfTheText) {
  EXPECT_EQ(LastLevel(Read("")), kDefault);
  EXPECT_EQ(LastLevel(Read("bottommost_compression=kZSTD;compression_opts=-14:1:0")), 1);
  EXPECT_EQ(LastLevel(Read("compression=kLZ4Compression;bottommost_compression=kZSTD;"
                           "compression_opts=-14:4:0")),
            4);
  EXPECT_EQ(LastLevel(Read("compression=kZSTD;compression_opts=-14:7:0")), 7);
  EXPECT_EQ(LastLevel(Read("compression_opts=-14:4:0;"
                           "bottommost_compression_opts={level=15;enabled=true}")),
            15);
  const auto per_level = Read(
      "compression_per_level=kNoCompression:kLZ4Compression:kZSTD;"
      "bottommost_compression=kDisableCompressionOption;"
      "compression_opts=-14:6:0");
  EXPECT_EQ(per_level.compression_opts.level, kDefault);
  EXPECT_EQ(per_level.bottommost_compression, rocksdb::kZSTD);
  EXPECT_EQ(LastLevel(per_level), 6);
}

TEST(Lz4LevelTest, TheLastLevelMayBeLz4) {
  for (const char* text : {"bottommost_compression=kLZ4Compression;compression_opts=-14:4:0",
                           "compression=kZSTD;bottommost_compression=kLZ4Compression;"
                           "compression_opts=-14:4:0",
                           "bottommost_compression=kLZ4Compression;"
                           "bottommost_compression_opts={level=4;enabled=true}",
                           "bottommost_compression=kDisableCompressionOption;"
                           "compression_opts=-14:4:0"}) {
    EXPECT_EQ(LastLevel(Read(text)), kDefault) << text;
  }
  EXPECT_EQ(Read("compression=kZSTD;bottommost_compression=kLZ4Compression;"
                 "compression_opts=-14:4:0")
                .compression_opts.level,
            4);
  EXPECT_EQ(LastLevel(Read("compression_opts=-14:4:0", "preset_fast")), kDefault);
}

TEST(Lz4LevelTest, WhatIsLz4HcByNameStays) {
  const auto options = Read("compression=kLZ4HCCompression;compression_opts=-14:4:0");
  EXPECT_EQ(options.compression, rocksdb::kLZ4HCCompression);
  EXPECT_EQ(options.compression_opts.level, 4);
}

TEST(Lz4LevelTest, FasterLevelsOfLz4Stay) {
  EXPECT_EQ(Read("compression_opts=-14:-10:0").compression_opts.level, -10);
  EXPECT_EQ(Read("compression_opts=-14:0:0").compression_opts.level, 0);
}

TEST(Lz4LevelTest, ChangesOfAnOpenFamilyHaveBothLevels) {
  const auto options = Read("compression_opts=-14:4:0;compression_opts.max_dict_bytes=1024");
  std::unordered_map<std::string, std::string> changes{{"compression_opts", "-14:4:0"},
                                                       {"write_buffer_size", "1m"}};
  ASSERT_TRUE(AddCompression(options, &changes).ok());
  EXPECT_NE(changes["compression_opts"].find("level=" + std::to_string(kDefault)),
            std::string::npos);
  EXPECT_NE(changes["bottommost_compression_opts"].find("level=4;"), std::string::npos);
  EXPECT_EQ(changes["bottommost_compression"], "kZSTD");
  EXPECT_EQ(changes["write_buffer_size"], "1m");
}

TEST(Lz4LevelTest, OtherChangesOfAnOpenFamilyAreLeftAlone) {
  std::unordered_map<std::string, std::string> changes{{"write_buffer_size", "1m"}};
  ASSERT_TRUE(AddCompression(Read(""), &changes).ok());
  EXPECT_EQ(changes.size(), 1u);
}

}  // namespace
}  // namespace basalt::store
