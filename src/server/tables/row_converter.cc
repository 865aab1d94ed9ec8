// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/row_converter.h"

#include <cstring>

namespace basalt::server {

RowConverter::RowConverter(TABLE* before, TABLE* altered, const Alter_inplace_info& info)
    : before_(before), altered_(altered), copies_(new Copy_field[altered->s->fields]) {
  List_iterator_fast<Create_field> definitions(info.alter_info->create_list);
  for (uint i = 0; i < altered->s->fields; ++i) {
    const Create_field* definition = definitions++;
    if (definition == nullptr) break;
    Field* from = definition->field;
    Field* to = altered->field[i];
    if (from == nullptr || !to->stored_in_db() || !from->stored_in_db()) continue;
    copies_[count_++].set(to, from, /*save=*/false);
  }
  altered->in_use->get_stmt_da()->reset_current_row_for_warning(1);
}

Status RowConverter::Convert(const uint8_t* from, uint8_t* to) {
  THD* thd = altered_->in_use;
  const bool strict = thd->is_strict_mode();
  const bool heard = strict || !of_changes_;
  const Check_level_instant_set level(thd, heard ? CHECK_FIELD_WARN : CHECK_FIELD_IGNORE);
  const Abort_on_warning_instant_set losses_are_errors(thd, strict);
  std::memcpy(before_->record[0], from, before_->s->reclength);
  std::memcpy(altered_->record[0], altered_->s->default_values, altered_->s->reclength);
  for (size_t i = 0; i < count_; ++i) copies_[i].do_copy(&copies_[i]);
  if (thd->is_error()) return Status(Code::kInvalidArgument, "a value is lost by its new type");
  if (!of_changes_) thd->get_stmt_da()->inc_current_row_for_warning();
  std::memcpy(to, altered_->record[0], altered_->s->reclength);
  return Status::Ok();
}

}  // namespace basalt::server
