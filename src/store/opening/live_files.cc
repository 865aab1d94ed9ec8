// SPDX-License-Identifier: GPL-2.0-only
#include "store/opening/live_files.h"

#include <string>
#include <vector>

#include "store/errors/status_map.h"

namespace basalt::store {

Status CheckLiveFiles(rocksdb::DB* db, rocksdb::Env* env) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  for (const rocksdb::LiveFileMetaData& file : files) {
    const std::string path = file.db_path + file.name;
    uint64_t bytes = 0;
    const rocksdb::Status found = env->GetFileSize(path, &bytes);
    if (found.IsNotFound() || found.IsPathNotFound()) {
      return Status(Code::kCorruption, "the table file " + path + " is missing");
    }
    if (!found.ok()) return MapStatus(found, "the table file " + path);
    if (bytes == file.size) continue;
    return Status(Code::kCorruption, "the table file " + path + " has a size of " +
                                         std::to_string(bytes) + " bytes, not " +
                                         std::to_string(file.size));
  }
  return {};
}

}  // namespace basalt::store
