// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/option_string.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include <rocksdb/convenience.h>

namespace basalt::store {
namespace {

// The name by which ZSTD went before its format was final. Files that say so are read as ZSTD's.
constexpr std::string_view kOldZstd = "kZSTDNotFinalCompression";
constexpr std::string_view kZstd = "kZSTD";

bool IsOfWord(std::string_view text, size_t at) {
  return at < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
}

// Where the old word stands alone, from `at` on.
size_t FindOldZstd(std::string_view text, size_t at) {
  for (at = text.find(kOldZstd, at); at != std::string_view::npos;
       at = text.find(kOldZstd, at + 1)) {
    if ((at == 0 || !IsOfWord(text, at - 1)) && !IsOfWord(text, at + kOldZstd.size())) break;
  }
  return at;
}

bool CanCompress(rocksdb::CompressionType type) {
  const auto& types = rocksdb::GetSupportedCompressions();
  return std::find(types.begin(), types.end(), type) != types.end();
}

// RocksDB looks at them when a column family is made, and not at all of them.
rocksdb::Status CheckCompressions(const rocksdb::ColumnFamilyOptions& options) {
  if (options.compression_manager != nullptr) return rocksdb::Status::OK();
  std::vector<rocksdb::CompressionType> types = options.compression_per_level;
  if (types.empty()) types.push_back(options.compression);
  types.push_back(options.blob_compression_type);
  if (options.bottommost_compression != rocksdb::kDisableCompressionOption) {
    types.push_back(options.bottommost_compression);
  }
  if (std::all_of(types.begin(), types.end(), CanCompress)) return rocksdb::Status::OK();
  return rocksdb::Status::NotSupported("this build lacks the compression");
}

}  // namespace

rocksdb::Status ParseFamilyOptions(std::string_view text, const rocksdb::ColumnFamilyOptions& base,
                                   OptionScope scope, rocksdb::ColumnFamilyOptions* parsed) {
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = false;
  config.input_strings_escaped = false;
  config.mutable_options_only = scope == OptionScope::kOpenFamily;
  rocksdb::ColumnFamilyOptions read;
  rocksdb::Status status =
      rocksdb::GetColumnFamilyOptionsFromString(config, base, WithTodaysValues(text), &read);
  if (status.ok()) status = CheckCompressions(read);
  if (status.ok()) *parsed = std::move(read);
  return status;
}

std::string WithTodaysValues(std::string_view text) {
  std::string result(text);
  for (size_t at = FindOldZstd(result, 0); at != std::string::npos; at = FindOldZstd(result, at)) {
    result.replace(at, kOldZstd.size(), kZstd);
  }
  return result;
}

std::string DescribeOldValues(std::string_view text) {
  if (FindOldZstd(text, 0) == std::string_view::npos) return {};
  return std::string(kOldZstd) + " is taken for " + std::string(kZstd);
}

}  // namespace basalt::store
