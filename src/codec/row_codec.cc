// SPDX-License-Identifier: GPL-2.0-only
#include "codec/row_codec.h"

#include <algorithm>
#include <cstring>

#include "codec/checksum_chunk.h"
#include "codec/row_value.h"
#include "codec/unpack_block.h"

namespace basalt::codec {

namespace {

RowOp OpOf(const Column& column) {
  if (IsBlob(column.kind)) return RowOp::kBlob;
  if (!IsVariableLength(column.kind)) return RowOp::kFixed;
  return column.length_bytes == 1 ? RowOp::kVarying1 : RowOp::kVarying2;
}

RowStep MakeStep(const Column& column, uint32_t position) {
  RowStep step;
  step.op = OpOf(column);
  step.nullable = column.nullable;
  step.null_mask = column.null_mask;
  step.null_offset = column.null_offset;
  step.length_bytes = column.length_bytes;
  step.column = position;
  step.record_offset = column.offset;
  step.null_image_bytes = column.pack_length;
  switch (step.op) {
    case RowOp::kFixed:
      step.bytes = column.pack_length;
      break;
    case RowOp::kVarying1:
    case RowOp::kVarying2:
      step.bytes = column.pack_length - column.length_bytes;
      step.null_image_bytes = column.length_bytes;
      break;
    case RowOp::kBlob:
      break;
  }
  return step;
}

// Length and data of a column of varying size in a record image.
Bytes VaryingData(const RowStep& step, const uint8_t* record) {
  const uint8_t* at = record + step.record_offset;
  const uint32_t length = LoadLength(at, step.length_bytes);
  if (step.op != RowOp::kBlob) {
    return MakeBytes(at + step.length_bytes, std::min(length, step.bytes));
  }
  const uint8_t* data;
  std::memcpy(&data, at + step.length_bytes, sizeof(data));
  return length == 0 ? Bytes() : MakeBytes(data, length);
}

void AppendUnpackBlock(uint16_t length, Bytes content, std::string* out) {
  out->push_back(static_cast<char>(kUnpackTag));
  AppendBigEndian16(out, length);
  out->append(content);
}

}  // namespace

Status RowCodec::Compile(const TableDescriptor& table, const KeyCodec& primary, RowCodec* codec) {
  if (primary.index_kind() == IndexKind::kSecondary) {
    return Status(Code::kInvalidArgument, "rows belong to a primary index");
  }
  RowCodec made;
  made.has_unpack_block_ = primary.may_have_unpack_info();
  made.has_ttl_ = primary.has_ttl();
  uint32_t nullable = 0;
  for (uint32_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (!column.stored) continue;
    RowStep step = MakeStep(column, i);
    if (column.nullable) {
      step.value_null_offset = nullable / 8;
      step.value_null_mask = static_cast<uint8_t>(1u << nullable % 8);
      ++nullable;
    }
    if (primary.IsColumnInKey(i)) continue;
    made.steps_.push_back(step);
    if (made.merged_.empty() || !JoinRecordNeighbours(step, &made.merged_.back())) {
      made.merged_.push_back(step);
    }
  }
  made.null_bitmap_bytes_ = (nullable + 7) / 8;
  *codec = std::move(made);
  return Status::Ok();
}

void RowCodec::EncodeValue(const uint8_t* record, Bytes unpack_content, uint64_t ttl_seconds,
                           std::string* out) const {
  out->clear();
  if (has_ttl_) AppendBigEndian64(out, ttl_seconds);
  const size_t bitmap = out->size();
  out->append(null_bitmap_bytes_, '\0');
  if (has_unpack_block_) {
    AppendUnpackBlock(static_cast<uint16_t>(kUnpackHeaderBytes + unpack_content.size()),
                      unpack_content, out);
  }
  for (const RowStep& step : merged_) {
    if (step.IsNull(record)) {
      (*out)[bitmap + step.value_null_offset] |= static_cast<char>(step.value_null_mask);
      continue;
    }
    const char* column = reinterpret_cast<const char*>(record) + step.record_offset;
    if (step.op == RowOp::kFixed) {
      out->append(column, step.bytes);
      continue;
    }
    const Bytes data = VaryingData(step, record);
    out->append(column, step.length_bytes);
    out->append(data);
  }
}

bool RowCodec::StoredBytes(Bytes value, size_t* bytes) const {
  Bytes rest = value;
  Bytes unpack;
  const uint8_t* bitmap;
  if (!TakeRowHead(has_ttl_, null_bitmap_bytes_, has_unpack_block_, &rest, &bitmap, &unpack)) {
    return false;
  }
  for (const RowStep& step : steps_) {
    if (step.IsNullInValue(bitmap)) continue;
    size_t length = step.bytes;
    if (step.op != RowOp::kFixed) {
      if (rest.size() < step.length_bytes) return false;
      length = step.length_bytes + size_t{LoadLength(Unsigned(rest), step.length_bytes)};
    }
    if (rest.size() < length) return false;
    rest.remove_prefix(length);
  }
  *bytes = value.size() - rest.size();
  return true;
}

bool RowCodec::HasChecksumChunk(Bytes value) const {
  size_t stored;
  if (!StoredBytes(value, &stored) || value.size() - stored != kChecksumChunkBytes) return false;
  return static_cast<uint8_t>(value[stored]) == kChecksumTag;
}

void EncodeSecondaryValue(const KeyCodec& codec, Bytes unpack_content, uint64_t ttl_seconds,
                          std::string* out) {
  out->clear();
  if (codec.has_ttl()) AppendBigEndian64(out, ttl_seconds);
  // The length stays zero in secondary entries: the format's first writer never filled it in.
  if (!unpack_content.empty()) AppendUnpackBlock(0, unpack_content, out);
}

bool ReadTtl(Bytes value, uint64_t* seconds) {
  if (value.size() < kTtlBytes) return false;
  *seconds = LoadBigEndian64(value.data());
  return true;
}

}  // namespace basalt::codec
