// SPDX-License-Identifier: GPL-2.0-only
#include "store/reports/file_check.h"

#include <algorithm>

#include <rocksdb/metadata.h>
#include <rocksdb/sst_file_reader.h>

#include "store/format/index_bounds.h"
#include "store/store.h"

namespace basalt::store {
namespace {

// The paths of the files with keys in the range.
std::vector<std::string> FilesOf(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                                 const IndexBounds& bounds) {
  const rocksdb::Comparator* order = family->GetComparator();
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::vector<std::string> paths;
  for (const rocksdb::LiveFileMetaData& file : files) {
    if (file.column_family_name != family->GetName()) continue;
    if (order->Compare(file.largestkey, bounds.lower()) < 0) continue;
    if (order->Compare(file.smallestkey, bounds.upper()) > 0) continue;
    paths.push_back(file.db_path + file.name);
  }
  return paths;
}

rocksdb::Status CheckFile(const rocksdb::Options& options, const std::string& path) {
  rocksdb::SstFileReader reader(options);
  rocksdb::Status status = reader.Open(path);
  if (status.ok()) status = reader.VerifyChecksum();
  return status;
}

}  // namespace

Status CheckFiles(Store* store, IndexId index, rocksdb::ColumnFamilyHandle* family,
                  const std::function<bool()>& go_on, std::vector<std::string>* damaged) {
  const IndexBounds bounds(index, IsReverse(family));
  const rocksdb::Options options = store->base()->GetOptions(family);
  for (const std::string& path : FilesOf(store->base(), family, bounds)) {
    if (!go_on()) return Status(Code::kInterrupted, "the check was interrupted");
    const rocksdb::Status status = CheckFile(options, path);
    if (status.ok()) continue;
    const std::vector<std::string> now = FilesOf(store->base(), family, bounds);
    if (std::find(now.begin(), now.end(), path) == now.end()) continue;
    damaged->push_back(path + ": " + status.ToString());
  }
  return Status::Ok();
}

}  // namespace basalt::store
