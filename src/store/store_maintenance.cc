// SPDX-License-Identifier: GPL-2.0-only

// What an administrator changes in a running store; store.cc has the rest of the class.

#include <utility>

#include <rocksdb/convenience.h>

#include "store/column_family_defaults.h"
#include "store/store.h"

namespace basalt::store {

Status Store::DropColumnFamily(rocksdb::ColumnFamilyHandle* handle) {
  std::lock_guard lock(create_mutex_);
  BASALT_RETURN_IF_ERROR(
      MapStatus(db_->DropColumnFamily(handle), "dropping the column family " + handle->GetName()));
  families_.Remove(handle);
  return {};
}

void Store::SetInformationLogLevel(rocksdb::InfoLogLevel level) {
  database_options_.info_log->SetInfoLogLevel(level);
}

Status Store::ResetStatistics() {
  BASALT_RETURN_IF_ERROR(MapStatus(statistics_->Reset(), "setting the counters to zero"));
  return MapStatus(base_->ResetStats(), "setting the counters to zero");
}

Status Store::PauseBackgroundWork(bool pause) {
  return pause ? MapStatus(base_->PauseBackgroundWork(), "pausing background work")
               : MapStatus(base_->ContinueBackgroundWork(), "continuing background work");
}

Status Store::CompactLevelZero() {
  for (rocksdb::ColumnFamilyHandle* handle : families_.All()) {
    BASALT_RETURN_IF_ERROR(CompactLevelZero(handle));
  }
  return {};
}

// A compaction may take files away, or add some, between the look at them and the call: then
// RocksDB answers that it cannot, and a new look tells what is left to do.
Status Store::CompactLevelZero(rocksdb::ColumnFamilyHandle* handle) {
  constexpr int kAttempts = 10;
  rocksdb::Status compacted;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    rocksdb::ColumnFamilyMetaData family;
    base_->GetColumnFamilyMetaData(handle, &family);
    std::vector<std::string> files;
    for (const rocksdb::SstFileMetaData& file : family.levels.front().files) {
      if (!file.being_compacted) files.push_back(file.name);
    }
    uint64_t target = 1;
    base_->GetIntProperty(handle, rocksdb::DB::Properties::kBaseLevel, &target);
    if (files.empty() || family.levels.size() < 2) return {};
    compacted =
        base_->CompactFiles(rocksdb::CompactionOptions(), handle, files, static_cast<int>(target));
    if (compacted.ok()) return {};
    if (!compacted.IsAborted() && !compacted.IsInvalidArgument()) break;
  }
  return MapStatus(compacted, "compacting level 0 of " + handle->GetName());
}

// All texts are read before the first is applied.
Status Store::UpdateColumnFamilyOptions(std::string_view text) {
  std::map<std::string, std::string> updates;
  BASALT_RETURN_IF_ERROR(ParseColumnFamilyOverrides(text, "rocksdb_update_cf_options", &updates));
  std::lock_guard lock(create_mutex_);
  for (const auto& [name, options] : updates) {
    rocksdb::ColumnFamilyOptions checked;
    BASALT_RETURN_IF_ERROR(BuildColumnFamilyOptions(name, &checked));
    BASALT_RETURN_IF_ERROR(
        ApplyColumnFamilyOptionString(options, "rocksdb_update_cf_options", &checked));
  }
  for (const auto& [name, options] : updates) {
    rocksdb::ColumnFamilyHandle* handle = FindColumnFamily(name);
    if (handle != nullptr) BASALT_RETURN_IF_ERROR(SetColumnFamilyOptions(handle, options));
    std::string& kept = overrides_[name];
    kept.append(kept.empty() ? "" : ";").append(options);
  }
  return {};
}

}  // namespace basalt::store
