// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/rebuild_plan.h"

#include <memory>

#include "codec/key_codec.h"
#include "codec/kv_format.h"
#include "engine/database.h"
#include "server/tables/column_plan.h"
#include "server/tables/constraint_check.h"
#include "server/tables/default_value.h"
#include "server/tables/index_requests.h"
#include "server/tables/index_words.h"
#include "server/tables/storage_preset.h"
#include "server/tables/table_descriptor_builder.h"

namespace basalt::server {

namespace {

Status MustCopy(const char* why) { return Status(Code::kNotSupported, why); }

Status CheckTable(const engine::Table& table, const TABLE& before, const TABLE& altered,
                  const Alter_inplace_info& info) {
  if (table.lockless()) return MustCopy("a temporary table, or a sequence");
  if (info.ignore) return MustCopy("IGNORE: of rows with the same value one is to stay");
  if (before.versioned() || altered.versioned()) return MustCopy("a table with system versioning");
  if (info.error_if_not_empty) return MustCopy("a new column whose default is no valid value");
  if (altered.s->primary_key == MAX_KEY && !table.hidden_primary()) {
    return MustCopy(
        "no primary key: rows get numbers, which changes of them could not be found by");
  }
  return Status::Ok();
}

// A partition's own words are not in the definition that an ALTER in place is given.
Status CheckPreset(const engine::Table& table, const TABLE& before, const TABLE& altered) {
  const bool moves =
      PresetOf(*before.s, before.s->row_type) != PresetOf(*altered.s, altered.s->row_type);
  const bool partition = catalog::IsPartitionName(table.name());
  return moves && partition ? MustCopy("partitions of another compression") : Status::Ok();
}

// What the counter is going to be, only the rows tell.
Status CheckCounter(const TABLE& before, const TABLE& altered, const Alter_inplace_info& info) {
  const Field* counted = altered.found_next_number_field;
  if (counted == nullptr) return Status::Ok();
  List_iterator_fast<Create_field> definitions(info.alter_info->create_list);
  uint position = 0;
  while (const Create_field* definition = definitions++) {
    if (position++ != counted->field_index) continue;
    const bool same = definition->field != nullptr && before.found_next_number_field != nullptr &&
                      definition->field->field_index == before.found_next_number_field->field_index;
    return same ? Status::Ok() : MustCopy("another column with AUTO_INCREMENT");
  }
  return MustCopy("another column with AUTO_INCREMENT");
}

Status CheckColumns(const TABLE& altered, const Alter_inplace_info& info) {
  List_iterator_fast<Create_field> definitions(info.alter_info->create_list);
  for (uint i = 0; i < altered.s->fields; ++i) {
    const Create_field* definition = definitions++;
    if (definition == nullptr) continue;
    if (definition->field == nullptr) {
      if (IsComputedForEachRow(*altered.field[i])) {
        return MustCopy("a new column whose DEFAULT is an expression");
      }
      continue;
    }
    if (definition->field->stored_in_db() != altered.field[i]->stored_in_db()) {
      return MustCopy("a generated column that is stored");
    }
  }
  return Status::Ok();
}

// Whether the server gives columns of one type values of the other, with no error and no warning
// about the types alone. A geometry is no number.
bool TakesValuesOf(const Field& before, const Field& after) {
  Type_handler_hybrid_field_type type(after.type_handler()->type_handler_for_item_field());
  return !type.aggregate_for_result(before.type_handler()->type_handler_for_item_field());
}

bool TellsPartition(const Field& field) { return (field.flags & FIELD_IN_PART_FUNC_FLAG) != 0; }

// What a copy does beyond the conversion itself: it looks at each CHECK, computes what is stored of
// generated columns, and finds the partition anew.
Status CheckConversions(const TABLE& altered, const Alter_inplace_info& info) {
  if (!(info.handler_flags & kConversions)) return Status::Ok();
  if (altered.check_constraints != nullptr) return MustCopy("other types in a table with a CHECK");
  List_iterator_fast<Create_field> definitions(info.alter_info->create_list);
  for (uint i = 0; i < altered.s->fields; ++i) {
    const Create_field* definition = definitions++;
    const Field& field = *altered.field[i];
    if (field.vcol_info != nullptr && field.stored_in_db()) {
      return MustCopy("a generated column that is stored");
    }
    if (definition == nullptr || definition->field == nullptr) continue;
    if (!TakesValuesOf(*definition->field, field)) {
      return MustCopy("a type that takes no values of the other");
    }
    const bool changes = field.vcol_info != nullptr || !definition->field->is_equal(*definition);
    if (TellsPartition(*definition->field) && changes) {
      return MustCopy("another type of a column that tells the partition");
    }
  }
  return Status::Ok();
}

// The server alone keeps values unique that keys do not tell apart.
Status CheckUniqueIndexes(const TABLE& altered, const codec::TableDescriptor& target) {
  for (uint i = 0; i < altered.s->keys; ++i) {
    if (altered.key_info[i].algorithm == HA_KEY_ALG_LONG_HASH) {
      return MustCopy("a unique index over long columns");
    }
    if (!target.indexes[i].unique && i != target.primary) continue;
    std::unique_ptr<codec::KeyCodec> codec;
    BASALT_RETURN_IF_ERROR(codec::KeyCodec::Compile(target, i, &codec));
    if (!codec->UniqueIsExact()) {
      return MustCopy("a unique index whose keys do not tell what is equal");
    }
  }
  return Status::Ok();
}

store::StoragePreset PresetAfter(const engine::Table& table, const TABLE& altered) {
  return catalog::IsPartitionName(table.name())
             ? PresetOfRows(table.primary().family->GetName(), *altered.s)
             : PresetOf(*altered.s, altered.s->row_type);
}

Status RequestAll(const engine::Table& table, const TABLE& altered, IndexPlan* plan) {
  const uint64_t life = table.primary().ttl_seconds;
  if (table.descriptor().primary_index().has_ttl && life == 0) {
    return MustCopy("rows with time stamps that live for ever");
  }
  for (codec::IndexDescriptor& index : plan->target.indexes) index.has_ttl = life != 0;
  BASALT_RETURN_IF_ERROR(RequestIndexes(table.database(), plan->target, altered, life,
                                        PresetAfter(table, altered), &plan->requests));
  for (size_t i = 0; i < plan->target.indexes.size(); ++i) {
    codec::IndexDescriptor& index = plan->target.indexes[i];
    if (IsFullText(index)) {
      if (life != 0) return MustCopy("rows with a time to live");  // which is refused
      BASALT_RETURN_IF_ERROR(
          OpenWordSource(altered.key_info[i], plan->requests[i].word_rules, &index.words));
    }
    plan->origins.push_back(IndexPlan::kNew);
    plan->added.push_back(i);
  }
  return Status::Ok();
}

}  // namespace

Status PlanRebuild(const engine::Table& table, const TABLE& before, const TABLE& altered,
                   const Alter_inplace_info& info, bool myrocks_compatible, IndexPlan* plan) {
  BASALT_RETURN_IF_ERROR(CheckTable(table, before, altered, info));
  BASALT_RETURN_IF_ERROR(CheckPreset(table, before, altered));
  BASALT_RETURN_IF_ERROR(CheckCounter(before, altered, info));
  BASALT_RETURN_IF_ERROR(CheckColumns(altered, info));
  BASALT_RETURN_IF_ERROR(CheckConversions(altered, info));
  if (MustCheckRows(altered, info)) return MustCopy("a new CHECK, and rows written anew");
  BASALT_RETURN_IF_ERROR(BuildTableDescriptor(altered, table.name(), &plan->target));
  if (!myrocks_compatible) codec::ChooseKvFormats(&plan->target);
  std::vector<codec::ColumnOrigin> origins;
  BASALT_RETURN_IF_ERROR(FindColumnOrigins(altered, info, plan->target, &origins));
  BASALT_RETURN_IF_ERROR(CheckLifeColumn(table, plan->target, origins));
  BASALT_RETURN_IF_ERROR(CheckKeys(plan->target));
  BASALT_RETURN_IF_ERROR(CheckUniqueIndexes(altered, plan->target));
  plan->changes = plan->rebuilds = true;
  return RequestAll(table, altered, plan);
}

}  // namespace basalt::server
