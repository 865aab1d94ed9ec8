// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/column_family_records.h"

#include <string>

#include "catalog/catalog_change.h"
#include "catalog/dictionary_records.h"
#include "store/format/column_family_names.h"

namespace basalt::catalog {
namespace {

// Not a real column family; the old engine once used the name to ask for one for each index.
constexpr std::string_view kPerIndexName = "$per_index_cf";

}  // namespace

std::map<uint32_t, uint32_t> ColumnFamilyRecords::All() const {
  ReaderLock lock(mutex_);
  return flags_;
}

Status ColumnFamilyRecords::Prepare(const IndexRequest& request, CatalogChange* change,
                                    uint32_t* id) const {
  const std::string& name = request.column_family;
  if (name == store::kSystemColumnFamilyName || name == kPerIndexName || name.empty()) {
    return Status(Code::kInvalidArgument, "the column family name '" + name + "' is reserved");
  }
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  BASALT_RETURN_IF_ERROR(store_->families().GetOrCreate(name, &handle));
  *id = handle->GetID();
  if (change->column_family_flags.contains(*id)) return {};
  {
    ReaderLock lock(mutex_);
    if (flags_.contains(*id)) return {};
  }
  uint32_t flags = store::IsReverse(handle) ? kColumnFamilyReverse : 0;
  if (request.per_partition_column_family) flags |= kColumnFamilyPerPartition;
  change->PutColumnFamily(*id, flags);
  return {};
}

void ColumnFamilyRecords::TakeOver(const CatalogChange& change) {
  WriterLock lock(mutex_);
  for (const auto& [id, flags] : change.column_family_flags) {
    if (flags.has_value()) {
      flags_[id] = *flags;
    } else {
      flags_.erase(id);
    }
  }
}

}  // namespace basalt::catalog
