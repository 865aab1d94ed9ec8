// SPDX-License-Identifier: GPL-2.0-only
#include "codec/row_codec.h"

#include "codec/checksum_chunk.h"
#include "codec/row_value.h"
#include "codec/unpack_block.h"

namespace basalt::codec {

namespace {

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
  if (table.row_layout == nullptr) {
    made.CompileColumns(table, primary);
  } else {
    BASALT_RETURN_IF_ERROR(CheckLayoutOf(table, *table.row_layout));
    made.CompileSlots(table);
  }
  *codec = std::move(made);
  return Status::Ok();
}

void RowCodec::CompileColumns(const TableDescriptor& table, const KeyCodec& primary) {
  uint32_t nullable = 0;
  for (uint32_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (!column.stored) continue;
    RowStep step = MakeRowStep(column, i);
    if (column.nullable) {
      step.value_null_offset = nullable / 8;
      step.value_null_mask = static_cast<uint8_t>(1u << nullable % 8);
      ++nullable;
    }
    if (primary.IsColumnInKey(i)) continue;
    steps_.push_back(step);
    if (merged_.empty() || !JoinRecordNeighbours(step, &merged_.back())) merged_.push_back(step);
  }
  null_bitmap_bytes_ = (nullable + 7) / 8;
}

// For reading; slots write themselves.
void RowCodec::CompileSlots(const TableDescriptor& table) {
  slots_ = std::make_shared<const RowSlots>(table);
  null_bitmap_bytes_ = slots_->null_bitmap_bytes();
  for (size_t i = 0; i < slots_->base().size(); ++i) {
    const SlotStep& slot = slots_->base()[i];
    RowStep step = slot.place;
    if (!slots_->IsDirect(i)) {
      step = RowStep();
      step.op = slot.form == SlotForm::kVarying ? RowOp::kBlob : RowOp::kFixed;
      step.length_bytes = static_cast<uint8_t>(slot.form == SlotForm::kVarying ? slot.width : 0);
      step.bytes = slot.form == SlotForm::kVarying ? 0 : slot.width;
      step.column = kNoColumn;
    }
    step.nullable = slot.nullable;
    step.value_null_offset = slot.null_offset;
    step.value_null_mask = slot.null_mask;
    steps_.push_back(step);
  }
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
  if (slots_ != nullptr) {
    slots_->AppendColumns(record, bitmap, out);
    return;
  }
  for (const RowStep& step : merged_) {
    if (step.IsNull(record)) {
      (*out)[bitmap + step.value_null_offset] |= static_cast<char>(step.value_null_mask);
      continue;
    }
    AppendColumn(step, record, out);
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
  if (slots_ != nullptr && !slots_->TakeExtension(&rest)) return false;
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
