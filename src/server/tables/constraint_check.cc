// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/constraint_check.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "codec/key_codec.h"
#include "codec/row_codec.h"
#include "engine/database.h"
#include "engine/entry_name.h"
#include "engine/indexes/index_walk.h"
#include "server/tables/column_sources.h"
#include "server/tables/default_value.h"

namespace basalt::server {

namespace {

std::string TextOf(const Virtual_column_info& constraint) {
  String text;
  constraint.expr->print_for_table_def(&text);
  return std::string(text.ptr(), text.length());
}

// That a column is JSON, whatever its name is.
bool IsJsonRule(const Field& field) {
  if (!Type_handler_json_common::has_json_valid_constraint(&field)) return false;
  const Item* argument = static_cast<Item_func*>(field.check_constraint->expr)->arguments()[0];
  return argument->type() == Item::FIELD_ITEM &&
         static_cast<const Item_field*>(argument)->field == &field;
}

// A statement that changes a column gives its CHECK once more.
bool IsNewConstraint(const Create_field& definition, const Field& field) {
  if (definition.field == nullptr || definition.field->check_constraint == nullptr) return true;
  return TextOf(*field.check_constraint) != TextOf(*definition.field->check_constraint) &&
         !(IsJsonRule(field) && IsJsonRule(*definition.field));
}

bool HoldsForNewColumns(const TABLE& altered, const Virtual_column_info& constraint,
                        const std::vector<const Create_field*>& definitions) {
  const std::vector<Field*> fields = FieldsOf(constraint);
  const bool only_new = std::all_of(fields.begin(), fields.end(), [&](const Field* field) {
    return field->vcol_info == nullptr && definitions[field->field_index]->field == nullptr;
  });
  return only_new && IsSameInStatement(constraint) && IsTrueOrNull(altered, constraint);
}

}  // namespace

bool MustCheckRows(const TABLE& altered, const Alter_inplace_info& info) {
  if (altered.check_constraints == nullptr ||
      thd_test_options(altered.in_use, OPTION_NO_CHECK_CONSTRAINT_CHECKS)) {
    return false;
  }
  const std::vector<const Create_field*> definitions = DefinitionsOf(info);
  std::vector<const Virtual_column_info*> constraints;
  for (size_t i = 0; i < definitions.size(); ++i) {
    const Field& field = *altered.field[i];
    if (field.check_constraint != nullptr && IsNewConstraint(*definitions[i], field)) {
      constraints.push_back(field.check_constraint);
    }
  }
  for (Virtual_column_info** each = altered.check_constraints; *each != nullptr; ++each) {
    const bool of_table = (*each)->get_vcol_type() == VCOL_CHECK_TABLE;
    if (of_table && (info.handler_flags & ALTER_ADD_CHECK_CONSTRAINT)) constraints.push_back(*each);
  }
  return std::any_of(constraints.begin(), constraints.end(), [&](const Virtual_column_info* each) {
    return !HoldsForNewColumns(altered, *each, definitions);
  });
}

ConstraintCheck::ConstraintCheck(const engine::Table* table, const codec::TableDescriptor* target,
                                 TABLE* altered, engine::TaskProgress* progress)
    : table_(*table), target_(*target), altered_(altered), progress_(progress) {}

// Expressions refer to earlier generated columns only.
void ConstraintCheck::ListVirtualColumns() {
  std::vector<Field*> wanted;
  for (Virtual_column_info** each = altered_->check_constraints; *each != nullptr; ++each) {
    for (Field* field : FieldsOf(**each)) wanted.push_back(field);
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]->vcol_info == nullptr || wanted[i]->stored_in_db()) continue;
    virtual_columns_.push_back(wanted[i]);
    for (Field* field : FieldsOf(*wanted[i]->vcol_info)) wanted.push_back(field);
  }
  const auto earlier = [](const Field* one, const Field* other) {
    return one->field_index < other->field_index;
  };
  std::sort(virtual_columns_.begin(), virtual_columns_.end(), earlier);
  virtual_columns_.erase(std::unique(virtual_columns_.begin(), virtual_columns_.end()),
                         virtual_columns_.end());
}

Status ConstraintCheck::Run() {
  THD* thd = altered_->in_use;
  const Abort_on_warning_instant_set strict(thd, thd->is_strict_mode());
  const Check_level_instant_set level(thd, CHECK_FIELD_WARN);
  ListVirtualColumns();
  Query_arena backup;
  thd->set_n_backup_active_arena(altered_->expr_arena, &backup);
  Status checked = CheckRows();
  thd->restore_active_arena(altered_->expr_arena, &backup);
  return checked;
}

Status ConstraintCheck::CheckRows() {
  std::unique_ptr<codec::KeyCodec> primary;
  codec::RowCodec rows;
  BASALT_RETURN_IF_ERROR(codec::KeyCodec::Compile(target_, target_.primary, &primary));
  BASALT_RETURN_IF_ERROR(codec::RowCodec::Compile(target_, *primary, &rows));
  engine::RowImage row(target_, *primary, rows, nullptr);
  const auto reader = table_.database()->transactions()->NewTransaction();
  reader->Begin({});
  engine::IndexWalk walk(table_, table_.primary_position(), reader.get());
  const uint64_t expected = table_.statistics().Rows() + 1;
  Status status = walk.Next();
  for (uint64_t done = 1; status.ok(); status = walk.Next(), ++done) {
    if (done % engine::TaskProgress::kEntriesPerReport == 0 && !progress_->Report(done, expected)) {
      return Status(Code::kInterrupted, "checking constraints was interrupted");
    }
    if (walk.EntryHasExpired()) continue;
    if (!row.Decode(walk.key(), walk.value())) {
      return engine::WithEntry(table_, table_.primary_position(), walk.key(),
                               Status(Code::kCorruption, "a row cannot be decoded"));
    }
    BASALT_RETURN_IF_ERROR(CheckRow(row.record()));
  }
  return status.code() == Code::kEndOfRange ? Status::Ok() : std::move(status);
}

Status ConstraintCheck::CheckRow(const uint8_t* record) {
  std::copy_n(record, target_.record_length, altered_->record[0]);
  for (Field* field : virtual_columns_) field->vcol_info->expr->save_in_field(field, false);
  if (altered_->verify_constraints(/*ignore_failure=*/false) != VIEW_CHECK_OK) {
    return Status(Code::kInvalidArgument);
  }
  altered_->in_use->get_stmt_da()->inc_current_row_for_warning();
  return Status::Ok();
}

}  // namespace basalt::server
