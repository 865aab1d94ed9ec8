// SPDX-License-Identifier: GPL-2.0-only
#include "store/families/family_manager.h"

#include <unordered_map>
#include <utility>

#include <rocksdb/convenience.h>

#include "store/compaction/deletion_trigger.h"
#include "store/errors/status_map.h"
#include "store/format/column_family_names.h"
#include "store/options/column_family_defaults.h"
#include "store/options/lz4_level.h"
#include "store/options/memory_budget.h"
#include "store/options/option_string.h"

namespace basalt::store {

Status FamilyManager::ReadOverrides() {
  BASALT_RETURN_IF_ERROR(ParseColumnFamilyOverrides(parts_.options->override_column_family_options,
                                                    "rocksdb_override_cf_options", &overrides_));
  rocksdb::ColumnFamilyOptions checked;
  BASALT_RETURN_IF_ERROR(BuildOptions(kDefaultColumnFamilyName, &checked));
  for (const auto& [name, text] : overrides_) {
    BASALT_RETURN_IF_ERROR(BuildOptions(name, &checked));
  }
  return {};
}

void FamilyManager::Attach(rocksdb::TransactionDB* db,
                           const std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
  db_ = db;
  for (rocksdb::ColumnFamilyHandle* handle : handles) families_.Add(handle);
}

std::vector<rocksdb::ColumnFamilyHandle*> FamilyManager::Detach() {
  const auto handles = families_.AllEver();
  families_.Clear();
  db_ = nullptr;
  return handles;
}

Status FamilyManager::GetOrCreate(const std::string& name, rocksdb::ColumnFamilyHandle** handle) {
  *handle = families_.Find(name);
  if (*handle != nullptr) return {};
  MutexLock lock(mutex_);
  *handle = families_.Find(name);
  if (*handle != nullptr) return {};
  if (name.empty()) return Status(Code::kInvalidArgument, "a column family needs a name");
  BASALT_RETURN_IF_ERROR(parts_.policy->CheckWritingAllowed());
  rocksdb::ColumnFamilyOptions family;
  BASALT_RETURN_IF_ERROR(BuildOptions(name, &family));
  rocksdb::ColumnFamilyHandle* created = nullptr;
  BASALT_RETURN_IF_ERROR(MapChange(db_->CreateColumnFamily(family, name, &created),
                                   "making the column family " + name, parts_.options->log));
  families_.Add(created);
  *handle = created;
  return {};
}

Status FamilyManager::Drop(rocksdb::ColumnFamilyHandle* handle) {
  MutexLock lock(mutex_);
  BASALT_RETURN_IF_ERROR(MapChange(db_->DropColumnFamily(handle),
                                   "dropping the column family " + handle->GetName(),
                                   parts_.options->log));
  families_.Remove(handle);
  return {};
}

Status FamilyManager::ReadOptions(const std::string& name,
                                  rocksdb::ColumnFamilyOptions* options) const {
  *options = DefaultColumnFamilyOptions(name, *parts_.options, parts_.cache);
  BASALT_RETURN_IF_ERROR(ApplyColumnFamilyOptionString(
      parts_.options->default_column_family_options, "rocksdb_default_cf_options", options));
  if (const auto found = overrides_.find(name); found != overrides_.end()) {
    BASALT_RETURN_IF_ERROR(ApplyColumnFamilyOptionString(
        found->second, "rocksdb_override_cf_options for " + name, options));
  }
  return {};
}

Status FamilyManager::BuildOptions(const std::string& name,
                                   rocksdb::ColumnFamilyOptions* options) const {
  BASALT_RETURN_IF_ERROR(ReadOptions(name, options));
  KeepLz4(options);
  if (options->arena_block_size == 0) {
    options->arena_block_size = MemtableBlockBytes(options->write_buffer_size);
  }
  options->table_properties_collector_factories.push_back(parts_.collector_factory);
  if (parts_.options->deletion_trigger != nullptr) {
    options->table_properties_collector_factories.push_back(
        NewDeletionTriggerFactory(parts_.options->deletion_trigger));
  }
  if (name != kSystemColumnFamilyName) {
    options->compaction_filter_factory = NewExpiryFilterFactory(parts_.time_to_live);
  }
  return {};
}

Status FamilyManager::SetOptions(rocksdb::ColumnFamilyHandle* handle, const std::string& options,
                                 const rocksdb::ColumnFamilyOptions& changed) {
  std::unordered_map<std::string, std::string> map;
  rocksdb::Status status = rocksdb::StringToMap(WithTodaysValues(options), &map);
  if (status.ok()) status = AddCompression(changed, &map);
  if (status.ok()) status = db_->SetOptions(handle, map);
  return MapChange(status, "setting '" + options + "' for " + handle->GetName(),
                   parts_.options->log);
}

// All texts are read before the first is applied.
Status FamilyManager::UpdateOptions(std::string_view text) {
  std::map<std::string, std::string> updates;
  BASALT_RETURN_IF_ERROR(ParseColumnFamilyOverrides(text, "rocksdb_update_cf_options", &updates));
  MutexLock lock(mutex_);
  std::map<std::string, rocksdb::ColumnFamilyOptions> changed;
  for (const auto& [name, options] : updates) {
    BASALT_RETURN_IF_ERROR(ReadOptions(name, &changed[name]));
    const OptionScope scope =
        families_.Find(name) == nullptr ? OptionScope::kNewFamily : OptionScope::kOpenFamily;
    const std::string origin = "rocksdb_update_cf_options for " + name;
    BASALT_RETURN_IF_ERROR(ApplyColumnFamilyOptionString(options, origin, &changed[name], scope));
    KeepLz4(&changed[name]);
  }
  for (const auto& [name, options] : updates) {
    rocksdb::ColumnFamilyHandle* handle = families_.Find(name);
    if (handle != nullptr) BASALT_RETURN_IF_ERROR(SetOptions(handle, options, changed[name]));
    std::string& kept = overrides_[name];
    kept.append(kept.empty() ? "" : ";").append(options);
  }
  return {};
}

}  // namespace basalt::store
