// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/cascade.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "server/tables/file_names.h"
#include "server/tables/find_column.h"

namespace basalt::server {

namespace {

bool SetNull(Field* field) {
  if (!field->real_maybe_null()) return false;
  field->set_null();
  return true;
}

// Adds spaces, as InnoDB does where a VARCHAR gets the value of a CHAR: it copies the bytes.
void Pad(const String& value, uint32_t letters, Field* field) {
  CHARSET_INFO* charset = value.charset();
  String padded;
  padded.copy(value);
  const size_t missing = size_t{letters - value.numchars()} * charset->mbminlen;
  std::string spaces(missing, '\0');
  charset->cset->fill(charset, spaces.data(), missing, ' ');
  padded.append(spaces.data(), missing);
  field->store(padded.ptr(), padded.length(), charset);
}

// False when it has more characters than the column takes.
bool CopyValue(Field* field, const uchar* image, uint32_t letters) {
  field->set_notnull();
  memcpy(field->ptr, field->ptr_in_record(image), field->pack_length());
  if (field->cmp_type() != STRING_RESULT || !field->has_charset()) return true;
  String room;
  const String* value = field->val_str(&room);
  if (std::max(letters, value->numchars()) > field->char_length()) return false;
  if (field->type() == MYSQL_TYPE_VARCHAR && value->numchars() < letters) {
    Pad(*value, letters, field);
  }
  return true;
}

// Does the row refer to itself when its children are looked for? InnoDB changes one index after the
// other, and looks for children at the parent's: of an index behind it the row has its old entry,
// and of one before it the new one, if there is one.
bool StaysOwnChild(const RowReference& reference, const uchar* before, const uchar* after) {
  engine::ReferenceCheck* lookup = reference.lookup();
  if (reference.other_index() > reference.own_index()) return lookup->Matches(before, before);
  return after != nullptr && lookup->Matches(before, after);
}

}  // namespace

bool CascadeStep::IsStillReferring(const ChildChange& change) const {
  if (from == nullptr) return false;
  RowReference* reference = change.reference;
  if (!parent_record.empty() && from->table == reference->other_name() &&
      reference->other_index() > parent_index &&
      reference->lookup()->AreEqual(change.wanted, parent_record)) {
    return true;
  }
  return from->IsStillReferring(change);
}

bool PlanChildChange(RowReference* reference, const TABLE& parent, Bytes own_row,
                     const uchar* before, const uchar* after, ChildChange* change) {
  engine::ReferenceCheck* lookup = reference->lookup();
  change->reference = reference;
  change->parent_row = own_row;
  if (lookup == nullptr) {
    change->refused = reference->child_lacks_index() && !reference->HasNull(before);
    return change->refused;
  }
  const catalog::ForeignKey& foreign = reference->foreign();
  change->action = after == nullptr ? foreign.on_delete : foreign.on_update;
  if (!lookup->Translate(before, &change->wanted)) return false;
  if (reference->is_of_itself()) {
    const bool is_child = StaysOwnChild(*reference, before, after);
    // The chain would come back to the row that it updates.
    change->refused = is_child && (after != nullptr || !change->ChangesRows());
    if (!is_child) change->own_row.assign(own_row);
  }
  if (after == nullptr || change->action != catalog::ReferenceAction::kCascade) return true;
  change->impossible = !lookup->TranslateWithNulls(after, &change->next);
  for (const uint32_t column : reference->own_columns()) {
    const Field& field = *parent.field[column];
    change->stays.push_back(!reference->ChangesColumn(column, before, after));
    change->next_is_null.push_back(field.is_null_in_record(after));
    change->next_letters.push_back(field.real_type() == MYSQL_TYPE_STRING ? field.char_length()
                                                                          : 0);
  }
  return true;
}

bool AssignValues(const ChildChange& change, bool deletes, TABLE* child) {
  const catalog::ForeignKey& foreign = change.reference->foreign();
  const bool null = deletes || change.action == catalog::ReferenceAction::kSetNull;
  for (size_t i = 0; i < foreign.columns.size(); ++i) {
    if (!null && change.stays[i]) continue;
    const std::optional<uint32_t> column = FindColumn(*child, foreign.columns[i].child);
    if (!column) return false;
    Field* field = child->field[*column];
    const bool assigned = null || change.next_is_null[i]
                              ? SetNull(field)
                              : CopyValue(field, change.next.data(), change.next_letters[i]);
    if (!assigned) return false;
  }
  return true;
}

TABLE* FindOpenChild(THD* thd, const std::string& name) {
  const DisplayNames names = DisplayNamesOf(name);
  for (TABLE* table = thd->open_tables; table != nullptr; table = table->next) {
    if (names.database == table->s->db.str && names.table == table->s->table_name.str &&
        table->pos_in_table_list != nullptr &&
        table->pos_in_table_list->prelocking_placeholder == TABLE_LIST::PRELOCK_FK &&
        table->file->get_lock_type() == F_WRLCK) {
      return table;
    }
  }
  return nullptr;
}

}  // namespace basalt::server
