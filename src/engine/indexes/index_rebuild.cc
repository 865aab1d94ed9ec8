// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/index_rebuild.h"

#include "engine/database.h"

namespace basalt::engine {
namespace {

// An index of the same kind in the same column family.
catalog::IndexRequest RequestLike(const catalog::IndexRecord& record,
                                  const rocksdb::ColumnFamilyHandle& family) {
  catalog::IndexRequest request;
  request.column_family = family.GetName();
  request.kind = record.kind;
  request.key_value_format_version = record.key_value_format_version;
  request.flags = record.flags;
  request.ttl_seconds = record.ttl_seconds;
  request.word_rules = record.word_rules;
  return request;
}

constexpr IndexBuild::Options kOptions{
    .skip_undecodable = true, .include_expired = true, .check_unique = false};

}  // namespace

IndexRebuild::IndexRebuild(const Table* table, TaskProgress* progress,
                           VirtualColumns* virtual_columns)
    : table_(*table),
      build_(table, table->descriptor(), kOptions, progress,
             table->has_virtual_parts() ? virtual_columns : nullptr) {}

Status IndexRebuild::Run(const std::vector<size_t>& positions) {
  Status status = Begin(positions);
  if (status.ok()) status = build_.Fill();
  if (status.ok()) status = Replace(positions);
  // When giving up fails as well, the next start finds the build cut off and drops it.
  if (!status.ok()) (void)build_.Abort();
  return status;
}

Status IndexRebuild::Begin(const std::vector<size_t>& positions) {
  const auto record = table_.database()->catalog()->FindTable(table_.name());
  if (record == nullptr) return Status(Code::kNotFound, "there is no table " + table_.name());
  std::vector<catalog::IndexRequest> requests;
  for (const size_t position : positions) {
    rocksdb::ColumnFamilyHandle* family = table_.index(position).family;
    requests.push_back(RequestLike(record->indexes[position], *family));
  }
  return build_.Begin(positions, requests);
}

Status IndexRebuild::Replace(const std::vector<size_t>& positions) {
  catalog::Catalog* catalog = table_.database()->catalog();
  const auto record = catalog->FindTable(table_.name());
  if (record == nullptr) return Status(Code::kNotFound, "there is no table " + table_.name());
  catalog::TableRecord replaced = *record;
  for (size_t i = 0; i < positions.size(); ++i) {
    replaced.indexes[positions[i]] = build_.built()[i];
  }
  return catalog->ReplaceIndexes({std::move(replaced)});
}

}  // namespace basalt::engine
