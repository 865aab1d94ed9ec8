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
}

Status RowConverter::Convert(const uint8_t* from, uint8_t* to) {
  std::memcpy(before_->record[0], from, before_->s->reclength);
  std::memcpy(altered_->record[0], altered_->s->default_values, altered_->s->reclength);
  for (size_t i = 0; i < count_; ++i) copies_[i].do_copy(&copies_[i]);
  std::memcpy(to, altered_->record[0], altered_->s->reclength);
  return Status::Ok();
}

}  // namespace basalt::server
