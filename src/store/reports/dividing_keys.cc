// SPDX-License-Identifier: GPL-2.0-only
#include "store/reports/dividing_keys.h"

#include <algorithm>
#include <cstdint>

#include "base/bytes.h"
#include "store/format/index_bounds.h"

namespace basalt::store {
namespace {

// A file by a key that it has, and its bytes.
struct FileKey {
  std::string key;
  uint64_t bytes = 0;
};

// Those of one level that begin within the index, in the order of bytes.
std::vector<FileKey> FilesWithin(const rocksdb::LevelMetaData& level, Bytes prefix) {
  std::vector<FileKey> found;
  for (const rocksdb::SstFileMetaData& file : level.files) {
    if (file.smallestkey.starts_with(prefix)) found.push_back({file.smallestkey, file.size});
  }
  std::sort(found.begin(), found.end(),
            [](const FileKey& a, const FileKey& b) { return a.key < b.key; });
  return found;
}

uint64_t BytesOf(const std::vector<FileKey>& files) {
  uint64_t bytes = 0;
  for (const FileKey& file : files) bytes += file.bytes;
  return bytes;
}

}  // namespace

std::vector<std::string> DividingKeys(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                                      IndexId index, size_t parts) {
  const IndexBounds bounds(index, /*reverse=*/false);
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(family, &metadata);
  std::vector<FileKey> files;  // of the level that has most of the index
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    std::vector<FileKey> within = FilesWithin(level, bounds.first());
    if (BytesOf(within) > BytesOf(files)) files = std::move(within);
  }
  std::vector<std::string> keys;
  const uint64_t all = BytesOf(files);
  uint64_t before = 0;
  for (const FileKey& file : files) {
    // The border is the begin of the file that has it in its first half, or of the next one.
    const bool behind = (before + file.bytes / 2) * parts >= all * (keys.size() + 1);
    const bool divides = before != 0 && behind;
    before += file.bytes;
    if (divides && keys.size() + 1 < parts) keys.push_back(file.key);
  }
  return keys;
}

}  // namespace basalt::store
