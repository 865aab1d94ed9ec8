// SPDX-License-Identifier: GPL-2.0-only
#include "codec/row_decoder.h"

#include <cstring>

#include "codec/null_image.h"
#include "codec/row_value.h"

namespace basalt::codec {

namespace {

// Most columns are 4 or 8 bytes; a call of memcpy costs more than moving them.
inline void CopyFixed(const uint8_t* from, uint32_t bytes, uint8_t* to) {
  switch (bytes) {
    case 1:
      *to = *from;
      return;
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, bytes);
  }
}

// Copies a column of varying size, or only steps over it. Returns behind it in the value; null
// when it does not fit into the value or the column.
inline const uint8_t* TakeVarying(const RowStep& step, const uint8_t* from, const uint8_t* end,
                                  uint8_t* record) {
  if (static_cast<size_t>(end - from) < step.length_bytes) return nullptr;
  const uint32_t length = LoadLength(from, step.length_bytes);
  const uint8_t* data = from + step.length_bytes;
  if (static_cast<size_t>(end - data) < length) return nullptr;
  if (!step.wanted) return data + length;
  uint8_t* column = record + step.record_offset;
  if (step.op == RowOp::kBlob) {
    std::memcpy(column, from, step.length_bytes);
    std::memcpy(column + step.length_bytes, &data, sizeof(data));
    return data + length;
  }
  if (length > step.bytes) return nullptr;
  std::memcpy(column, from, step.length_bytes + size_t{length});
  return data + length;
}

// Two neighbours that are only stepped over become one, wherever they are in the record image.
bool JoinSkipped(const RowStep& next, RowStep* last) {
  if (next.wanted || last->wanted || next.nullable || last->nullable) return false;
  if (next.op != RowOp::kFixed || last->op != RowOp::kFixed) return false;
  last->bytes += next.bytes;
  return true;
}

}  // namespace

void RowDecoder::Compile(const TableDescriptor& table, const KeyCodec& primary,
                         const RowCodec& rows, const ColumnSet& wanted) {
  key_.Compile(table, primary, wanted);
  default_record_ = DefaultRecordOf(table);
  null_bitmap_bytes_ = rows.null_bitmap_bytes();
  has_unpack_block_ = rows.has_unpack_block();
  has_ttl_ = rows.has_ttl();
  steps_.clear();
  size_t last_wanted = 0;
  for (const RowStep& stored : rows.steps()) {
    RowStep step = stored;
    step.wanted = wanted.Contains(step.column);
    const bool joined =
        !steps_.empty() &&
        (step.wanted ? steps_.back().wanted && JoinRecordNeighbours(step, &steps_.back())
                     : JoinSkipped(step, &steps_.back()));
    if (!joined) steps_.push_back(step);
    if (step.wanted) last_wanted = steps_.size();
  }
  steps_.resize(last_wanted);
  wanted_ = wanted;
  compiled_ = true;
}

bool RowDecoder::Decode(Bytes key, Bytes value, uint8_t* record) const {
  const uint8_t* bitmap;
  Bytes unpack_content;
  if (!TakeRowHead(has_ttl_, null_bitmap_bytes_, has_unpack_block_, &value, &bitmap,
                   &unpack_content)) {
    return false;
  }
  if (!key_.empty() && !key_.DecodeWithUnpack(key, unpack_content, record)) return false;
  return DecodeValue(bitmap, Unsigned(value), Unsigned(value) + value.size(), record);
}

bool RowDecoder::DecodeValue(const uint8_t* bitmap, const uint8_t* from, const uint8_t* end,
                             uint8_t* record) const {
  for (const RowStep& step : steps_) {
    if (step.nullable) {
      if (step.IsNullInValue(bitmap)) {
        if (step.wanted) SetNull(step, default_record_, record);
        continue;
      }
      if (step.wanted) record[step.null_offset] &= static_cast<uint8_t>(~step.null_mask);
    }
    if (step.op != RowOp::kFixed) {
      from = TakeVarying(step, from, end, record);
      if (from == nullptr) return false;
      continue;
    }
    if (static_cast<size_t>(end - from) < step.bytes) return false;
    if (step.wanted) CopyFixed(from, step.bytes, record + step.record_offset);
    from += step.bytes;
  }
  return true;
}

}  // namespace basalt::codec
