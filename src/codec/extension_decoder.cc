// SPDX-License-Identifier: GPL-2.0-only
#include "codec/extension_decoder.h"

#include <algorithm>

#include "codec/null_image.h"
#include "codec/slot_reader.h"

namespace basalt::codec {

namespace {

// A NOT NULL column has no NULL: the row contradicts its layout.
[[nodiscard]] bool PutNull(const RowStep& place, const uint8_t* default_record, uint8_t* record) {
  if (!place.nullable) return false;
  SetNull(place, default_record, record);
  return true;
}

// Bytes that a column takes in the record image when a slot has this value.
size_t ImageBytes(const SlotStep& slot, Bytes value) {
  const RowStep& place = slot.place;
  if (place.op == RowOp::kFixed) return place.bytes;
  if (place.op == RowOp::kBlob) return place.length_bytes + size_t{kBlobPointerBytes};
  return place.length_bytes + value.size() - slot.width;
}

}  // namespace

void ExtensionDecoder::Compile(const RowSlots* slots, const uint8_t* default_record,
                               const ColumnSet& wanted) {
  steps_.clear();
  predecessors_.clear();
  constants_.clear();
  images_.clear();
  least_count_ = 0;
  slots_ = slots;
  default_record_ = default_record;
  if (slots == nullptr) return;
  size_t last_wanted = 0;
  for (const SlotStep& slot : slots->added()) {
    const bool is_wanted = slot.has_column() && wanted.Contains(slot.place.column);
    if (is_wanted && slot.absent != nullptr) {
      AddConstant(static_cast<uint32_t>(steps_.size()), slot);
    }
    steps_.push_back({&slot, is_wanted ? slot.successor : 0});
    if (is_wanted) last_wanted = steps_.size();
  }
  steps_.resize(last_wanted);
  std::reverse(constants_.begin(), constants_.end());
  FindWholeCount();
}

// Most rows that have an extension have it whole: then the last slot of each column has the value.
// Where all of these hold integers, such rows have a way of their own.
void ExtensionDecoder::FindWholeCount() {
  const size_t count = slots_->added().size();
  whole_head_ = kExtensionHeaderBytes;
  whole_count_ = kNoCount;
  for (const Step& step : steps_) {
    if (step.most_count >= count && !step.slot->IsInteger()) return;
  }
  whole_head_ += (count + 7) / 8;
  whole_count_ = static_cast<uint32_t>(count);
}

// `number`: of the slot, counted from the first added one.
void ExtensionDecoder::AddConstant(uint32_t number, const SlotStep& slot) {
  Constant constant;
  constant.slot = number;
  constant.image = static_cast<uint32_t>(images_.size());
  constant.record_offset = slot.place.record_offset;
  constant.null_offset = slot.place.null_offset;
  constant.null_mask = slot.place.nullable ? slot.place.null_mask : uint8_t{0};
  constant.is_null = slot.absent->absent_is_null;
  if (!AddImage(slot)) {
    least_count_ = number + 1;
    return;
  }
  constant.bytes = static_cast<uint32_t>(images_.size()) - constant.image;
  constants_.push_back(constant);
}

// False when the column cannot have the value of the layout.
bool ExtensionDecoder::AddImage(const SlotStep& slot) {
  const size_t begin = images_.size();
  if (slot.absent->absent_is_null) {
    images_.resize(begin + slot.place.null_image_bytes);
    if (default_record_ != nullptr) {
      std::copy_n(default_record_ + slot.place.record_offset, slot.place.null_image_bytes,
                  images_.data() + begin);
    }
    return slot.place.nullable;
  }
  SlotStep alone = slot;  // in a record image that has nothing else
  alone.place.record_offset = 0;
  alone.place.nullable = false;
  const Bytes value = slot.absent->absent;
  images_.resize(begin + ImageBytes(slot, value));
  const uint8_t* const end = Unsigned(value) + value.size();
  return ReadSlot(alone, Unsigned(value), end, images_.data() + begin) != nullptr;
}

// Columns that are where the base has them, as the row has only so many added slots.
inline bool ExtensionDecoder::DecodePredecessors(uint32_t count, const uint8_t* base,
                                                 const uint8_t* end, uint8_t* record) const {
  for (const SlotStep* slot : predecessors_) {
    if (slot->successor < count) continue;
    if (static_cast<size_t>(end - base) < slot->offset) return false;
    if (ReadInteger(*slot, base + slot->offset, end, record) == nullptr) return false;
  }
  return true;
}

// Columns that are newer than the row.
inline void ExtensionDecoder::PutConstants(uint32_t count, uint8_t* record) const {
  for (const Constant& constant : constants_) {
    if (constant.slot < count) break;
    if (constant.null_mask != 0) {
      uint8_t& nulls = record[constant.null_offset];
      nulls = static_cast<uint8_t>(nulls & ~constant.null_mask);
      if (constant.is_null) nulls |= constant.null_mask;
    }
    CopyFixed(images_.data() + constant.image, constant.bytes, record + constant.record_offset);
  }
}

bool ExtensionDecoder::DecodeAbsent(const uint8_t* base, const uint8_t* end,
                                    uint8_t* record) const {
  if (least_count_ > 0 || !DecodePredecessors(0, base, end, record)) return false;
  PutConstants(0, record);
  return true;
}

// Calls nothing but as its last act, so that it need not save registers.
bool ExtensionDecoder::DecodePresent(const uint8_t* base, const uint8_t* rest, const uint8_t* end,
                                     uint8_t* record) const {
  const uint32_t count = whole_count_;
  if (static_cast<size_t>(end - rest) < whole_head_ || rest[1] != count) {
    return DecodeAny(base, rest, end, record);
  }
  const uint8_t* from = rest + whole_head_;
  const Step* const last = steps_.data() + steps_.size();
  for (const Step* step = steps_.data(); step != last; ++step) {
    const SlotStep& slot = *step->slot;
    const bool wanted = count <= step->most_count;
    if ((rest[kExtensionHeaderBytes + slot.null_offset] & slot.null_mask) != 0) {
      if (wanted) return DecodeAny(base, rest, end, record);
      continue;
    }
    from = wanted ? ReadInteger(slot, from, end, record) : SkipSlot(slot, from, end);
    if (from == nullptr) return false;
  }
  return true;
}

bool ExtensionDecoder::DecodeAny(const uint8_t* base, const uint8_t* rest, const uint8_t* end,
                                 uint8_t* record) const {
  RowExtension extension;
  if (!slots_->FindExtension(MakeBytes(rest, static_cast<size_t>(end - rest)), &extension)) {
    return false;
  }
  const uint32_t count = extension.count;
  // Predecessors come first: an added slot may say that such a column is NULL.
  if (count < least_count_ || !DecodePredecessors(count, base, end, record)) return false;
  PutConstants(count, record);
  const uint8_t* from = extension.data;
  const Step* const last = steps_.data() + std::min(size_t{count}, steps_.size());
  for (const Step* step = steps_.data(); step != last; ++step) {
    const SlotStep& slot = *step->slot;
    const bool wanted = count <= step->most_count;
    if (slot.IsNullIn(extension.bitmap)) {
      if (wanted && !PutNull(slot.place, default_record_, record)) return false;
      continue;
    }
    from = wanted ? ReadSlot(slot, from, end, record) : SkipSlot(slot, from, end);
    if (from == nullptr) return false;
  }
  return true;
}

}  // namespace basalt::codec
