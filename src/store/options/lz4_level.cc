// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/lz4_level.h"

#include <algorithm>

#include <rocksdb/convenience.h>

namespace basalt::store {
namespace {

constexpr const char* kLevels = "compression_opts";
constexpr const char* kLastLevel = "bottommost_compression_opts";

bool IsLz4Hc(const rocksdb::CompressionOptions& options) {
  return options.level > 0 &&
         options.level != rocksdb::CompressionOptions::kDefaultCompressionLevel;
}

bool UsesLz4(const rocksdb::ColumnFamilyOptions& options) {
  const auto& levels = options.compression_per_level;
  if (levels.empty()) return options.compression == rocksdb::kLZ4Compression;
  return std::find(levels.begin(), levels.end(), rocksdb::kLZ4Compression) != levels.end();
}

rocksdb::CompressionType TypeOfLastLevel(const rocksdb::ColumnFamilyOptions& options) {
  if (options.bottommost_compression != rocksdb::kDisableCompressionOption) {
    return options.bottommost_compression;
  }
  const auto& levels = options.compression_per_level;
  return levels.empty() ? options.compression : levels.back();
}

void SetDefaultLevel(rocksdb::CompressionOptions* options) {
  options->level = rocksdb::CompressionOptions::kDefaultCompressionLevel;
}

}  // namespace

void KeepLz4(rocksdb::ColumnFamilyOptions* options) {
  const rocksdb::CompressionType last = TypeOfLastLevel(*options);
  rocksdb::CompressionOptions& bottom = options->bottommost_compression_opts;
  if (UsesLz4(*options) && IsLz4Hc(options->compression_opts)) {
    if (!bottom.enabled) {
      bottom = options->compression_opts;
      bottom.enabled = true;
      // RocksDB looks at these only where the last level has a compression of its own.
      options->bottommost_compression = last;
    }
    SetDefaultLevel(&options->compression_opts);
  }
  if (last != rocksdb::kLZ4Compression) return;
  if (bottom.enabled && IsLz4Hc(bottom)) SetDefaultLevel(&bottom);
  if (!bottom.enabled && IsLz4Hc(options->compression_opts)) {
    bottom = options->compression_opts;
    bottom.enabled = true;
    SetDefaultLevel(&bottom);
  }
}

rocksdb::Status AddCompression(const rocksdb::ColumnFamilyOptions& options,
                               std::unordered_map<std::string, std::string>* changes) {
  const bool touched = std::any_of(changes->begin(), changes->end(), [](const auto& change) {
    return change.first.find("compression") != std::string::npos;
  });
  if (!touched) return rocksdb::Status::OK();
  std::string text;
  const rocksdb::ConfigOptions config;
  rocksdb::Status status = rocksdb::GetStringFromColumnFamilyOptions(config, options, &text);
  std::unordered_map<std::string, std::string> all;
  if (status.ok()) status = rocksdb::StringToMap(text, &all);
  if (!status.ok()) return status;
  std::erase_if(*changes, [](const auto& change) {
    return change.first.starts_with(kLevels) || change.first.starts_with(kLastLevel);
  });
  for (const char* name : {kLevels, kLastLevel, "bottommost_compression"}) {
    (*changes)[name] = all[name];
  }
  return rocksdb::Status::OK();
}

}  // namespace basalt::store
