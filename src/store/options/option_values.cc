// SPDX-License-Identifier: GPL-2.0-only
//
// RocksDB's headers do not tell the words of its enumerations; a unit test tries each of them.
#include "store/options/option_values.h"

#include <map>

#include <rocksdb/convenience.h>

namespace basalt::store {
namespace {

using Words = std::vector<std::string>;

Words Compressions() {
  Words words;
  for (const rocksdb::CompressionType type : rocksdb::GetSupportedCompressions()) {
    std::string word;
    if (rocksdb::GetStringFromCompressionType(&word, type).ok()) words.push_back(std::move(word));
  }
  return words;
}

const std::map<std::string, Words, std::less<>>& WordsByOption() {
  static const Words temperatures = {"kUnknown", "kHot", "kWarm", "kCool", "kCold", "kIce"};
  static const std::map<std::string, Words, std::less<>> words = {
      {"compaction_style",
       {"kCompactionStyleLevel", "kCompactionStyleUniversal", "kCompactionStyleFIFO",
        "kCompactionStyleNone"}},
      {"compaction_pri",
       {"kByCompensatedSize", "kOldestLargestSeqFirst", "kOldestSmallestSeqFirst",
        "kMinOverlappingRatio", "kRoundRobin"}},
      {"default_temperature", temperatures},
      {"default_write_temperature", temperatures},
      {"last_level_temperature", temperatures},
      {"prepopulate_blob_cache", {"kDisable", "kFlushOnly"}},
      {"checksum", {"kNoChecksum", "kCRC32c", "kxxHash", "kxxHash64", "kXXH3"}},
      {"index_type",
       {"kBinarySearch", "kHashSearch", "kTwoLevelIndexSearch", "kBinarySearchWithFirstKey"}},
      {"index_block_search_type", {"kBinary", "kInterpolation", "kAuto"}},
      {"data_block_index_type", {"kDataBlockBinarySearch", "kDataBlockBinaryAndHash"}},
      {"index_shortening",
       {"kNoShortening", "kShortenSeparators", "kShortenSeparatorsAndSuccessor"}},
      {"prepopulate_block_cache", {"kDisable", "kFlushOnly", "kFlushAndCompaction"}},
  };
  return words;
}

}  // namespace

std::vector<std::string> ValuesOfOption(std::string_view option) {
  if (option == "compression" || option == "compression_per_level" ||
      option == "blob_compression_type") {
    return Compressions();
  }
  if (option == "bottommost_compression") {
    Words words = Compressions();
    words.emplace_back("kDisableCompressionOption");
    return words;
  }
  const auto found = WordsByOption().find(option);
  return found == WordsByOption().end() ? Words() : found->second;
}

}  // namespace basalt::store
