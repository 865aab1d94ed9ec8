// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/partial_row_image.h"

#include "engine/entry_name.h"

namespace basalt::engine {

Status PartialRowImage::Decode(const codec::ColumnSet& columns, Bytes key, Bytes value) {
  if (!decoder_.CompiledFor(columns)) {
    decoder_.Compile(table_->descriptor(), *table_->primary().codec, table_->row_codec(), columns);
  }
  record_.resize(table_->descriptor().record_length);
  if (decoder_.Decode(key, value, record_.data())) return Status::Ok();
  return MalformedEntry(*table_, table_->primary_position(), key);
}

}  // namespace basalt::engine
