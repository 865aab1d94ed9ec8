// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/virtual_parts.h"

#include <algorithm>

namespace basalt::server {

namespace {

// While it lives, nothing that computing a column complains of is heard: what the statement has to
// say of the row, the server says when it computes the column itself.
class Silence final : public Internal_error_handler {
 public:
  explicit Silence(THD* thd) : thd_(thd), abort_on_warning_(thd->abort_on_warning) {
    thd_->abort_on_warning = false;
    thd_->push_internal_handler(this);
  }
  ~Silence() override {
    thd_->pop_internal_handler();
    thd_->abort_on_warning = abort_on_warning_;
  }
  bool handle_condition(THD*, uint, const char*, Sql_condition::enum_warning_level*, const char*,
                        Sql_condition**) override {
    return true;
  }

 private:
  THD* const thd_;
  const bool abort_on_warning_;
};

bool Contains(const std::vector<uint32_t>& columns, uint32_t column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

void AddOnce(uint32_t column, std::vector<uint32_t>* columns) {
  if (!Contains(*columns, column)) columns->push_back(column);
}

}  // namespace

void VirtualParts::Begin(size_t indexes) {
  any_ = learned_ = false;
  indexes_.assign(indexes, Parts());
  all_ = Parts();
}

void VirtualParts::AddPart(size_t index, uint32_t column) {
  AddOnce(column, &indexes_[index].parts);
  AddOnce(column, &all_.parts);
  any_ = true;
}

void VirtualParts::Open(const engine::Table& table) {
  const codec::TableDescriptor& descriptor = table.descriptor();
  Begin(descriptor.indexes.size());
  for (size_t i = 0; i < indexes_.size(); ++i) {
    for (const codec::KeyPart& part : descriptor.indexes[i].parts) {
      if (descriptor.columns[part.column].stored) continue;
      AddPart(i, part.column);
      if (!table.index(i).codec->IsColumnInKey(part.column)) indexes_[i].in_entries = false;
    }
  }
}

void VirtualParts::Open(const codec::TableDescriptor& table, const std::vector<size_t>& indexes) {
  Begin(table.indexes.size());
  for (const size_t index : indexes) {
    for (const codec::KeyPart& part : table.indexes[index].parts) {
      if (!table.columns[part.column].stored) AddPart(index, part.column);
    }
  }
}

void VirtualParts::Learn() {
  if (learned_) return;
  for (Parts& index : indexes_) LearnIndex(&index);
  LearnIndex(&all_);
  learned_ = true;
}

// Follows the expressions down to stored columns. An expression refers to earlier generated columns
// only, so the order of the columns is one to compute them in.
void VirtualParts::LearnIndex(Parts* index) const {
  TABLE* const table = this->table();
  index->computed = index->parts;
  for (size_t i = 0; i < index->computed.size(); ++i) {
    List<Item_field> fields;
    table->field[index->computed[i]]->vcol_info->expr->walk(&Item::collect_item_field_processor,
                                                            false, &fields);
    List_iterator_fast<Item_field> field(fields);
    while (const Item_field* item = field++) {
      const Field& used = *item->field;
      AddOnce(used.field_index, used.stored_in_db() ? &index->sources : &index->computed);
    }
  }
  std::sort(index->computed.begin(), index->computed.end());
}

void VirtualParts::AddSources(size_t index, codec::ColumnSet* columns) {
  if (!IndexHas(index)) return;
  Learn();
  for (const uint32_t column : indexes_[index].sources) columns->Add(column);
}

void VirtualParts::AddSourcesOf(const MY_BITMAP& read, codec::ColumnSet* columns) {
  unread_.clear();
  const auto is_read = [&read](uint32_t column) { return bitmap_is_set(&read, column); };
  for (size_t i = 0; any_ && i < indexes_.size(); ++i) {
    const std::vector<uint32_t>& parts = indexes_[i].parts;
    if (std::none_of(parts.begin(), parts.end(), is_read)) continue;
    AddSources(i, columns);
    for (const uint32_t column : indexes_[i].computed) {
      if (!is_read(column)) AddOnce(column, &unread_);
    }
  }
  std::sort(unread_.begin(), unread_.end());
}

void VirtualParts::ComputeUnread(uint8_t* record) {
  if (!unread_.empty()) ComputeColumns(unread_, record);
}

void VirtualParts::Compute(size_t index, uint8_t* record) {
  Learn();
  ComputeColumns(indexes_[index].computed, record);
}

void VirtualParts::ComputeAll(uint8_t* record) {
  Learn();
  ComputeColumns(all_.computed, record);
}

void VirtualParts::Complete(const uint8_t* record) {
  if (!any_) return;
  const MY_BITMAP* read_set = table()->read_set;
  const bool computed =
      std::all_of(all_.parts.begin(), all_.parts.end(),
                  [read_set](uint32_t column) { return bitmap_is_set(read_set, column); });
  if (!computed || OverwritesBlobs()) ComputeAll(const_cast<uint8_t*>(record));
}

void VirtualParts::ComputeColumns(const std::vector<uint32_t>& columns, uint8_t* record) {
  TABLE* const table = this->table();
  THD* thd = table->in_use;
  const Silence silence(thd);
  Query_arena backup;
  thd->set_n_backup_active_arena(table->expr_arena, &backup);
  // Columns of both server images may point into the fields' own buffers.
  blobs_.resize(table->s->virtual_not_stored_blob_fields * sizeof(String));
  String* blobs = reinterpret_cast<String*>(blobs_.data());
  table->remember_blob_values(blobs);
  table->move_fields(table->field, record, table->record[0]);
  for (const uint32_t column : columns) {
    Field* field = table->field[column];
    field->vcol_info->expr->save_in_field(field, false);
  }
  const size_t image = record == table->record[0] ? 0 : record == table->record[1] ? 1 : 2;
  KeepBlobs(columns, &kept_[image]);
  table->move_fields(table->field, table->record[0], record);
  table->restore_blob_values(blobs);
  thd->restore_active_arena(table->expr_arena, &backup);
}

// Gives computed TEXT and BLOB columns, which point into buffers about to go, bytes that stay.
void VirtualParts::KeepBlobs(const std::vector<uint32_t>& columns, std::vector<std::string>* kept) {
  TABLE* const table = this->table();
  kept->resize(table->s->virtual_not_stored_blob_fields);
  size_t next = 0;
  for (const uint32_t column : columns) {
    Field* field = table->field[column];
    if ((field->flags & BLOB_FLAG) == 0 || next == kept->size()) continue;
    auto* blob = static_cast<Field_blob*>(field);
    const uint32_t length = blob->is_real_null() ? 0 : blob->get_length();
    std::string& bytes = (*kept)[next++];
    bytes.assign(reinterpret_cast<const char*>(blob->get_ptr()), length);
    blob->set_ptr(length, reinterpret_cast<uchar*>(bytes.data()));
  }
}

}  // namespace basalt::server
