// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/index_walk.h"

#include "engine/database.h"
#include "engine/indexes/entry_content.h"
#include "engine/ttl_clock.h"

namespace basalt::engine {

IndexWalk::IndexWalk(const Table& table, size_t index, txn::Transaction* transaction)
    : transaction_(transaction),
      family_(table.index(index).family),
      cursor_(table.database()->store()->base(), table.index(index).family,
              table.index(index).reverse, table.index(index).id,
              table.database()->transactions()->idle_cursors()),
      seconds_(table.index(index).ttl_seconds),
      table_(table) {}

Status IndexWalk::Next() {
  if (!started_) {
    started_ = true;
    BASALT_RETURN_IF_ERROR(cursor_.Bind(transaction_->snapshot().ForReads(),
                                        &transaction_->writes().Of(family_),
                                        /*fill_cache=*/false));
    if (seconds_ != 0) now_ = SnapshotSeconds(table_, transaction_);
    cursor_.SeekFirst();
  } else {
    if (!EntryHasExpired()) previous_key_.assign(cursor_.key());
    cursor_.Next();
  }
  if (cursor_.Valid()) [[likely]]
    return Status::Ok();
  BASALT_RETURN_IF_ERROR(cursor_.status());
  return Status(Code::kEndOfRange);
}

RowImage::RowImage(const Table& table, VirtualColumns* virtual_columns)
    : RowImage(table.descriptor(), *table.primary().codec, table.row_codec(),
               table.has_virtual_parts() ? virtual_columns : nullptr) {}

RowImage::RowImage(const codec::TableDescriptor& table, const codec::KeyCodec& primary,
                   const codec::RowCodec& rows, VirtualColumns* virtual_columns)
    : hidden_primary_(table.hidden_primary),
      virtual_columns_(virtual_columns),
      rows_(rows),
      record_(table.record_length) {
  decoder_.Compile(table, primary, rows, codec::ColumnSet::All(table.columns.size()));
}

bool RowImage::Decode(Bytes key, Bytes value) {
  bool has_checksum = false;
  if (!decoder_.Decode(key, value, record_.data())) return false;
  if (!RowEndsWell(rows_, value, &has_checksum)) return false;
  if (virtual_columns_ != nullptr) virtual_columns_->ComputeAll(record_.data());
  hidden_id_ = hidden_primary_ ? codec::HiddenIdOf(key) : 0;
  return true;
}

EntryEncoder::EntryEncoder(size_t key_bytes, size_t unpack_bytes)
    : key_buffer_(key_bytes), unpack_buffer_(unpack_bytes) {}

EntryEncoder::EntryEncoder(const Table& table)
    : EntryEncoder(table.max_key_bytes(), table.max_unpack_bytes()) {}

void EntryEncoder::Encode(const codec::KeyCodec& codec, const RowImage& row) {
  Encode(codec, row.record(), row.hidden_id());
}

void EntryEncoder::Encode(const codec::KeyCodec& codec, const uint8_t* record, uint64_t hidden_id) {
  size_t unpack_bytes = 0;
  const size_t key_bytes =
      codec.EncodeKey(record, hidden_id, key_buffer_.data(), unpack_buffer_.data(), &unpack_bytes);
  key_ = MakeBytes(key_buffer_.data(), key_bytes);
  unpack_ = MakeBytes(unpack_buffer_.data(), unpack_bytes);
}

}  // namespace basalt::engine
