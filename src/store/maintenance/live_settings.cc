// SPDX-License-Identifier: GPL-2.0-only
#include "store/maintenance/live_settings.h"

#include <string>
#include <unordered_map>

#include <rocksdb/advanced_cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/write_buffer_manager.h>

#include "store/errors/status_map.h"
#include "store/options/block_cache.h"
#include "store/options/database_defaults.h"
#include "store/options/memory_budget.h"

namespace basalt::store {

Status LiveSettings::SetDatabaseOptions(const std::string& options) {
  std::unordered_map<std::string, std::string> map;
  rocksdb::Status status = rocksdb::StringToMap(options, &map);
  if (status.ok()) status = parts_.db->SetDBOptions(map);
  return MapChange(status, "setting '" + options + "'", parts_.options->log);
}

Status LiveSettings::SetBackgroundJobs(int jobs) {
  StoreOptions changed = *parts_.options;
  changed.max_background_jobs = jobs;
  return SetDatabaseOptions("max_background_jobs=" + std::to_string(BackgroundJobs(changed)));
}

void LiveSettings::SetBlockCacheBytes(uint64_t bytes) {
  StoreOptions changed = *parts_.options;
  changed.block_cache_bytes = bytes;
  parts_.cache->SetCapacity(bytes);
  parts_.database_options->write_buffer_manager->SetBufferSize(AllMemtablesBytes(changed));
}

void LiveSettings::DivideBlockCache() {
  store::DivideBlockCache(parts_.cache, parts_.options->compressed_cache_percent);
}

void LiveSettings::SetInformationLogLevel(rocksdb::InfoLogLevel level) {
  parts_.database_options->info_log->SetInfoLogLevel(level);
}

Status LiveSettings::ResetStatistics() {
  BASALT_RETURN_IF_ERROR(MapStatus(parts_.statistics->Reset(), "setting the counters to zero"));
  return MapStatus(parts_.db->ResetStats(), "setting the counters to zero");
}

}  // namespace basalt::store
