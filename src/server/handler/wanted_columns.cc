// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/wanted_columns.h"

namespace basalt::server {

// The columns the statement reads; all of them when it may write the row back, because a row's
// value is always written whole.
void WantedColumns::Learn(bool compares) {
  if (known_) return;
  const TABLE& table = *table_->server_table();
  const uint index = table_->handler()->active_index;
  const bool locks = table_->rows()->intent().lock || table_->data()->lockless();
  may_write_ = locks && table_->lock_type() >= TL_FIRST_WRITE &&
               thd_sql_command(table.in_use) != SQLCOM_SELECT;
  if (!may_write_ && EntriesSuffice()) {
    AddWhatEntriesLack();
  } else {
    AddReadSet();
  }
  if (compares && index != MAX_KEY) {
    const KEY& key = table.key_info[index];
    for (uint i = 0; i < key.ext_key_parts; ++i) columns_.Add(key.key_part[i].fieldnr - 1);
  }
  AddVirtualSources(compares);
  if (table.fulltext_searched && table.s->primary_key != MAX_KEY) AddPrimaryKey();
  table_->rows()->SetWantedColumns(columns_);
  known_ = true;
}

// Word by word: tables may be wide.
void WantedColumns::AddReadSet() {
  const TABLE& table = *table_->server_table();
  static_assert(sizeof(my_bitmap_map) == sizeof(uint64_t));
  const uint fields = table.s->fields;
  columns_.Reset(fields);
  std::vector<uint64_t>& words = columns_.words();
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = may_write_ ? ~uint64_t{0} : table.read_set->bitmap[i];
  }
  if (fields % 64 != 0) words.back() &= (uint64_t{1} << fields % 64) - 1;
}

void WantedColumns::AddWhatEntriesLack() {
  const TABLE& table = *table_->server_table();
  columns_.Reset(table.s->fields);
  for (uint column = 0; column < table.s->fields; ++column) {
    if (!bitmap_is_set(table.read_set, column)) continue;
    if (CanBeLeftOut(column)) {
      LeaveOut(column);
    } else {
      columns_.Add(column);
    }
  }
}

// By which MATCH finds out how well the row matches.
void WantedColumns::AddPrimaryKey() {
  const TABLE& table = *table_->server_table();
  const KEY& key = table.key_info[table.s->primary_key];
  for (uint i = 0; i < key.user_defined_key_parts; ++i) columns_.Add(key.key_part[i].fieldnr - 1);
}

void WantedColumns::AddVirtualSources(bool compares) {
  const TABLE& table = *table_->server_table();
  const uint index = table_->handler()->active_index;
  VirtualParts* virtual_parts = table_->virtual_parts();
  // Somebody is going to look at the virtual parts of this index in rows of an image of their own.
  if (index != MAX_KEY &&
      (compares || table.file != table_->handler() ||
       (table_->handler()->keyread_enabled() && !virtual_parts->EntriesGive(index)))) {
    virtual_parts->AddSources(index, &columns_);
  }
  // Rows that a sort finds again by their position: the server has made the read set for the index
  // alone that it sorted from, without what virtual columns are computed from, and computes them.
  if (index == MAX_KEY) virtual_parts->AddSourcesOf(*table.read_set, &columns_);
}

// The server has decided to read the index alone, because the statement names only columns that
// entries give back (index_flags). Its read set then has all columns of the index nevertheless, and
// those that virtual columns of the index are computed from.
// ANALYZE and the like read indexes that way, too, but do look at all of them; and so does the
// partitioning engine (whose table this handler is not the first of), which merges by them.
bool WantedColumns::EntriesSuffice() const {
  const TABLE& table = *table_->server_table();
  ::handler* handler = table_->handler();
  const uint index = handler->active_index;
  return table.file == handler && index != MAX_KEY && index != table_->data()->primary_position() &&
         handler->keyread_enabled() && handler->keyread == index &&
         !table_->rows()->intent().lock && table.covering_keys.is_set(index) &&
         thd_sql_command(table.in_use) == SQLCOM_SELECT;
}

// Not what entries give back anyway. Columns of the primary key are asked for also to find the row
// again.
bool WantedColumns::CanBeLeftOut(uint column) const {
  const uint index = table_->handler()->active_index;
  return (table_->server_table()->field[column]->flags & PRI_KEY_FLAG) == 0 &&
         !table_->data()->index(index).codec->IsColumnInKey(column);
}

// Join buffers copy all columns of the read set, looked at or not: what they copy of a BLOB must
// not be a pointer of long ago.
void WantedColumns::LeaveOut(uint column) const {
  Field* field = table_->server_table()->field[column];
  if (field->flags & BLOB_FLAG) memset(field->ptr, 0, field->pack_length());
}

}  // namespace basalt::server
