// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/committed_rows.h"

#include "codec/column_set.h"
#include "codec/row_value.h"
#include "engine/database.h"

namespace basalt::engine {

CommittedRows::CommittedRows(const Table* table)
    : table_(table),
      cursor_(table->database()->store()->base(), table->primary().family, table->primary().reverse,
              table->primary().id, table->database()->transactions()->idle_cursors()),
      row_(table) {}

Status CommittedRows::Next() {
  if (cursor_.bound()) {
    cursor_.Next();
  } else {
    BASALT_RETURN_IF_ERROR(cursor_.Bind(/*snapshot=*/nullptr, /*writes=*/nullptr));
    cursor_.SeekFirst();
  }
  if (!cursor_.Valid()) {
    return cursor_.status().ok() ? Status(Code::kEndOfRange) : cursor_.status();
  }
  const codec::ColumnSet all = codec::ColumnSet::All(table_->descriptor().columns.size());
  return row_.Decode(all, cursor_.key(), cursor_.value());
}

std::optional<Bytes> CommittedRows::TextOf(uint32_t column) {
  const codec::Column& described = table_->descriptor().columns[column];
  if (described.IsNull(row_.record())) return std::nullopt;
  const uint8_t* at = row_.record() + described.offset;
  return MakeBytes(at + described.length_bytes, codec::LoadLength(at, described.length_bytes));
}

}  // namespace basalt::engine
