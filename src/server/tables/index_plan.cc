// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/index_plan.h"

#include <algorithm>

#include "codec/key_codec.h"
#include "codec/key_compatibility.h"
#include "codec/kv_format.h"
#include "engine/database.h"
#include "server/tables/column_plan.h"
#include "server/tables/column_sources.h"
#include "server/tables/constraint_check.h"
#include "server/tables/index_attributes.h"
#include "server/tables/index_words.h"
#include "server/tables/storage_preset.h"
#include "server/tables/table_descriptor_builder.h"

namespace basalt::server {

namespace {

Status MustCopy(const std::string& why) { return Status(Code::kNotSupported, why); }

bool IsAdded(const Alter_inplace_info& info, uint position) {
  const uint* end = info.index_add_buffer + info.index_add_count;
  return std::find(static_cast<const uint*>(info.index_add_buffer), end, position) != end;
}

std::string_view NameOf(const KEY& key) { return {key.name.str, key.name.length}; }

// The index of the table as it is that becomes this one of the altered table: the one renamed to
// it, or of its name.
size_t OriginOf(const TABLE& before, const Alter_inplace_info& info, uint position) {
  if (IsAdded(info, position)) return IndexPlan::kNew;
  const KEY& key = info.key_info_buffer[position];
  for (const auto& renamed : info.rename_keys) {
    if (renamed.new_key == &key) return static_cast<size_t>(renamed.old_key - before.key_info);
  }
  for (uint i = 0; i < before.s->keys; ++i) {
    if (NameOf(before.key_info[i]) == NameOf(key)) return i;
  }
  return IndexPlan::kNew;
}

// By what is said of them; the column family that the index is in may have been another one's
// choice.
Status HasMoved(const KEY& before, const KEY& after, const std::string& table, bool* moved) {
  catalog::IndexRequest old_place;
  catalog::IndexRequest new_place;
  BASALT_RETURN_IF_ERROR(ChooseFamilyOf(before, table, &old_place));
  BASALT_RETURN_IF_ERROR(ChooseFamilyOf(after, table, &new_place));
  *moved = old_place.column_family != new_place.column_family;
  return Status::Ok();
}

// One with a virtual column whose values change in the rows that are there.
bool HasOtherValues(const KEY& key, const std::vector<const Create_field*>& definitions) {
  const KEY_PART_INFO* end = key.key_part + key.user_defined_key_parts;
  return std::any_of(
      static_cast<const KEY_PART_INFO*>(key.key_part), end,
      [&](const KEY_PART_INFO& part) { return IsComputedFromOthers(*part.field, definitions); });
}

Status FindOrigins(const engine::Table& table, const TABLE& before, const TABLE& altered,
                   const Alter_inplace_info& info, IndexPlan* plan) {
  const std::vector<const Create_field*> definitions = DefinitionsOf(info);
  for (uint i = 0; i < altered.s->keys; ++i) {
    size_t origin = OriginOf(before, info, i);
    bool moved = false;
    if (origin != IndexPlan::kNew) {
      BASALT_RETURN_IF_ERROR(
          HasMoved(before.key_info[origin], altered.key_info[i], table.name(), &moved));
    }
    if (moved || HasOtherValues(altered.key_info[i], definitions)) origin = IndexPlan::kNew;
    plan->origins.push_back(origin);
  }
  if (plan->target.hidden_primary) plan->origins.push_back(table.primary_position());
  return Status::Ok();
}

void ListAdded(const engine::Table& table, IndexPlan* plan) {
  for (size_t i = 0; i < plan->origins.size(); ++i) {
    if (plan->origins[i] == IndexPlan::kNew) plan->added.push_back(i);
    if (plan->origins[i] != i) plan->changes = true;
  }
  if (plan->origins.size() != table.index_count()) plan->changes = true;
}

Status KeepPrimaryKey(const engine::Table& table, const IndexPlan& plan) {
  const bool same = plan.target.hidden_primary == table.hidden_primary() &&
                    plan.origins[plan.target.primary] == table.primary_position();
  return same ? Status::Ok() : MustCopy("another primary key");
}

void TakeOver(const engine::Table& table, IndexPlan* plan) {
  for (size_t i = 0; i < plan->origins.size(); ++i) {
    if (plan->origins[i] == IndexPlan::kNew) continue;
    const codec::IndexDescriptor& kept = table.descriptor().indexes[plan->origins[i]];
    plan->target.indexes[i].number = kept.number;
    plan->target.indexes[i].kv_format_version = kept.kv_format_version;
    plan->target.indexes[i].has_ttl = kept.has_ttl;
    plan->target.indexes[i].words = kept.words;
  }
}

// Keys of rows are parts of the new entries, so their layouts must go together.
Status ChooseVersion(bool myrocks_compatible, size_t position, codec::TableDescriptor* target) {
  const uint16_t rows = target->primary_index().kv_format_version;
  codec::IndexDescriptor& index = target->indexes[position];
  index.kv_format_version = codec::kKvFormatShared;
  if (rows < codec::kKvFormatNineByteChunks) return MustCopy("rows of an old layout");
  if (!myrocks_compatible) index.kv_format_version = codec::NeededKvFormat(*target, position);
  if (rows == codec::kKvFormatNewest && index.kv_format_version < rows) {
    return MustCopy("rows of a layout that MyRocks does not know");
  }
  return Status::Ok();
}

// Every index of a table has time stamps, or none.
Status DescribeNewIndex(const engine::Table& table, const KEY& key, bool myrocks_compatible,
                        size_t position, IndexPlan* plan) {
  if (key.algorithm == HA_KEY_ALG_LONG_HASH) return MustCopy("a unique index over long columns");
  // What the copy is refused for, too, with the server's errors.
  if (key.flags & HA_FULLTEXT) {
    if (table.descriptor().primary_index().has_ttl) return MustCopy("rows with a time to live");
    if (myrocks_compatible) return MustCopy("an index that MyRocks does not know");
  }
  plan->target.indexes[position].has_ttl = table.descriptor().primary_index().has_ttl;
  return ChooseVersion(myrocks_compatible, position, &plan->target);
}

Status DescribeNewIndexes(const engine::Table& table, const TABLE& altered, bool myrocks_compatible,
                          IndexPlan* plan) {
  for (size_t i = 0; i < plan->origins.size(); ++i) {
    if (plan->origins[i] != IndexPlan::kNew) continue;
    BASALT_RETURN_IF_ERROR(
        DescribeNewIndex(table, altered.key_info[i], myrocks_compatible, i, plan));
  }
  return Status::Ok();
}

// What changes entries of an index that the server takes for the same.
constexpr alter_table_operations kChangesOfKeys =
    ALTER_COLUMN_TYPE_CHANGE_BY_ENGINE | ALTER_COLUMN_NULLABLE | ALTER_COLUMN_INDEX_LENGTH;

// An index of whose columns one has got other bytes in keys is a new one.
Status FindChangedIndexes(const engine::Table& table, const Alter_inplace_info& info,
                          IndexPlan* plan) {
  if ((info.handler_flags & kChangesOfKeys) == 0) return Status::Ok();
  std::vector<size_t> changed;
  for (size_t i = 0; i < plan->origins.size(); ++i) {
    if (plan->origins[i] == IndexPlan::kNew) continue;
    std::unique_ptr<codec::KeyCodec> codec;
    BASALT_RETURN_IF_ERROR(codec::KeyCodec::Compile(plan->target, i, &codec));
    const bool keeps = codec::KeepsEntries(*table.index(plan->origins[i]).codec, *codec);
    if (i == plan->target.primary && (!keeps || codec->max_key_bytes() > UINT16_MAX)) {
      return MustCopy("a primary key of other bytes");  // or too long, for which the copy fails
    }
    if (!keeps) changed.push_back(i);
  }
  for (const size_t position : changed) {
    plan->origins[position] = IndexPlan::kNew;
    plan->target.indexes[position].number = 0;
  }
  return Status::Ok();
}

// When all are described: codecs look at the whole table.
Status RequestNewIndex(const engine::Table& table, const catalog::IndexRecord& primary,
                       const TABLE& altered, size_t position, IndexPlan* plan) {
  const codec::IndexDescriptor& described = plan->target.indexes[position];
  std::unique_ptr<codec::KeyCodec> codec;
  BASALT_RETURN_IF_ERROR(codec::KeyCodec::Compile(plan->target, position, &codec));
  if (described.unique && !codec->UniqueIsExact()) {
    return MustCopy("a unique index whose keys do not tell what is equal");
  }
  catalog::IndexRequest request;
  request.kind = catalog::IndexKind::kSecondary;
  request.key_value_format_version = described.kv_format_version;
  request.flags = primary.flags;
  request.ttl_seconds = primary.ttl_seconds;
  BASALT_RETURN_IF_ERROR(RequestWords(current_thd, table.database(), altered.key_info[position],
                                      &request, &plan->target.indexes[position]));
  const store::StoragePreset preset = PresetOfRows(table.primary().family->GetName(), *altered.s);
  BASALT_RETURN_IF_ERROR(PlaceIndex(*table.database()->store(), altered.key_info[position],
                                    table.name(), preset, &request));
  plan->requests.push_back(std::move(request));
  return Status::Ok();
}

// The record of the primary index tells how rows lie.
Status PlanRows(const engine::Table& table, const TABLE& altered, const Alter_inplace_info& info,
                bool myrocks_compatible, IndexPlan* plan) {
  BASALT_RETURN_IF_ERROR(PlanColumns(table, altered, info, &plan->target));
  if (plan->target.row_layout == table.descriptor().row_layout) return Status::Ok();
  if (myrocks_compatible) return MustCopy("rows that MyRocks cannot read");
  plan->changes = true;
  return Status::Ok();
}

}  // namespace

Status PlanIndexes(const engine::Table& table, const TABLE& before, const TABLE& altered,
                   const Alter_inplace_info& info, bool myrocks_compatible, IndexPlan* plan) {
  const auto record = table.database()->catalog()->FindTable(table.name());
  if (record == nullptr) return Status(Code::kNotFound, "there is no table " + table.name());
  BASALT_RETURN_IF_ERROR(BuildTableDescriptor(altered, table.name(), &plan->target));
  BASALT_RETURN_IF_ERROR(FindOrigins(table, before, altered, info, plan));
  BASALT_RETURN_IF_ERROR(KeepPrimaryKey(table, *plan));
  TakeOver(table, plan);
  BASALT_RETURN_IF_ERROR(PlanRows(table, altered, info, myrocks_compatible, plan));
  BASALT_RETURN_IF_ERROR(DescribeNewIndexes(table, altered, myrocks_compatible, plan));
  BASALT_RETURN_IF_ERROR(FindChangedIndexes(table, info, plan));
  BASALT_RETURN_IF_ERROR(DescribeNewIndexes(table, altered, myrocks_compatible, plan));
  ListAdded(table, plan);
  plan->checks_rows = MustCheckRows(altered, info);
  for (const size_t position : plan->added) {
    BASALT_RETURN_IF_ERROR(RequestNewIndex(table, *record->Primary(), altered, position, plan));
  }
  return Status::Ok();
}

}  // namespace basalt::server
