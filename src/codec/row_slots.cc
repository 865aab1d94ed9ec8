// SPDX-License-Identifier: GPL-2.0-only
#include "codec/row_slots.h"

#include <cstring>

#include "codec/row_value.h"

namespace basalt::codec {

namespace {

// The first byte of an extension; a checksum chunk begins with another one.
constexpr uint8_t kExtensionTag = 0x04;
constexpr size_t kExtensionHeaderBytes = 2;

SlotStep MakeSlotStep(const RowSlot& slot) {
  SlotStep step;
  step.form = slot.form;
  step.width = slot.width;
  step.place.column = kNoColumn;
  return step;
}

void SetBit(uint32_t number, SlotStep* step) {
  step->nullable = true;
  step->null_offset = number / 8;
  step->null_mask = static_cast<uint8_t>(1u << number % 8);
}

// Whether a column that is not NULL looks like this in a row.
bool Equals(const RowStep& place, const uint8_t* record, const std::string& value) {
  const uint8_t* column = record + place.record_offset;
  if (place.op == RowOp::kFixed) {
    return value.size() == place.bytes && std::memcmp(column, value.data(), place.bytes) == 0;
  }
  const Bytes data = VaryingData(place, record);
  return value.size() == place.length_bytes + data.size() &&
         std::memcmp(column, value.data(), place.length_bytes) == 0 &&
         Bytes(value).substr(place.length_bytes) == data;
}

// Whether rows without the slot would say something else of its column.
bool IsNeeded(const SlotStep& step, const uint8_t* record) {
  if (!step.live) return false;
  const bool is_null = step.place.IsNull(record);
  if (step.form == SlotForm::kNull) return is_null;
  if (step.absent == nullptr) return !is_null || !step.spared_by_null;
  if (is_null || step.absent->absent_is_null) return is_null != step.absent->absent_is_null;
  return !Equals(step.place, record, step.absent->absent);
}

void ReadInteger(const SlotStep& step, const uint8_t* from, uint8_t* column) {
  std::memcpy(column, from, step.width);
  const bool negative = step.form == SlotForm::kSigned && (from[step.width - 1] & 0x80) != 0;
  std::memset(column + step.width, negative ? 0xff : 0, step.place.bytes - step.width);
}

const uint8_t* ReadVarying(const SlotStep& step, const uint8_t* from, const uint8_t* end,
                           uint8_t* column) {
  const uint32_t length = LoadLength(from, step.width);
  const uint8_t* data = from + step.width;
  if (static_cast<size_t>(end - data) < length) return nullptr;
  if (step.place.op != RowOp::kBlob && length > step.place.bytes) return nullptr;
  const unsigned length_bytes = step.place.length_bytes;
  for (unsigned i = 0; i < length_bytes; ++i) column[i] = static_cast<uint8_t>(length >> 8 * i);
  if (step.place.op == RowOp::kBlob) {
    std::memcpy(column + length_bytes, &data, sizeof(data));
  } else if (length != 0) {
    std::memcpy(column + length_bytes, data, length);
  }
  return data + length;
}

}  // namespace

RowSlots::RowSlots(const TableDescriptor& table) : layout_(table.row_layout) {
  uint32_t nullable = 0;
  for (const RowSlot& slot : layout_->base) {
    base_.push_back(MakeSlotStep(slot));
    if (slot.nullable) SetBit(nullable++, &base_.back());
  }
  null_bitmap_bytes_ = (nullable + 7) / 8;
  for (const AddedSlot& added : layout_->added) {
    added_.push_back(MakeSlotStep(added.slot));
    SetBit(static_cast<uint32_t>(added_.size() - 1), &added_.back());
    if (!added.predecessor.has_value()) added_.back().absent = &added;
  }
  const std::vector<uint32_t> columns = RowColumns(table);
  for (size_t i = 0; i < columns.size(); ++i) {
    Follow(table.columns[columns[i]], columns[i], layout_->columns[i]);
  }
}

SlotStep& RowSlots::step(size_t slot) {
  return slot < base_.size() ? base_[slot] : added_[slot - base_.size()];
}

// Goes back from the last slot that took the column to the first.
void RowSlots::Follow(const Column& column, uint32_t position, uint16_t last_slot) {
  step(last_slot).live = true;
  step(layout_->ValueSlot(last_slot)).live = true;
  uint32_t successor = SlotStep::kNever;
  for (size_t slot = last_slot;;) {
    step(slot).place = MakeRowStep(column, position);
    step(slot).successor = successor;
    if (slot < base_.size()) return;
    const std::optional<uint16_t>& predecessor = layout_->added[slot - base_.size()].predecessor;
    if (!predecessor.has_value()) return;
    if (step(slot).form == SlotForm::kNull) {
      step(*predecessor).told = true;
    } else {
      successor = static_cast<uint32_t>(slot - base_.size());
      step(slot).spared_by_null = *predecessor < base_.size() && base_[*predecessor].nullable;
    }
    slot = *predecessor;
  }
}

void RowSlots::AppendColumns(const uint8_t* record, size_t bitmap, std::string* out) const {
  AppendBase(record, bitmap, out);
  AppendExtension(record, out);
}

void RowSlots::AppendBase(const uint8_t* record, size_t bitmap, std::string* out) const {
  for (const SlotStep& step : base_) {
    if (step.live && !step.place.IsNull(record)) {
      AppendColumn(step.place, record, out);
    } else if (step.nullable) {
      (*out)[bitmap + step.null_offset] |= static_cast<char>(step.null_mask);
    } else {
      out->append(step.width, '\0');
    }
  }
}

void RowSlots::AppendExtension(const uint8_t* record, std::string* out) const {
  size_t count = added_.size();
  while (count > 0 && !IsNeeded(added_[count - 1], record)) --count;
  if (count == 0) return;
  out->push_back(static_cast<char>(kExtensionTag));
  out->push_back(static_cast<char>(count));
  const size_t bitmap = out->size();
  out->append((count + 7) / 8, '\0');
  for (size_t i = 0; i < count; ++i) {
    const SlotStep& step = added_[i];
    if (!step.live || step.place.IsNull(record)) {
      (*out)[bitmap + step.null_offset] |= static_cast<char>(step.null_mask);
    } else if (step.form != SlotForm::kNull) {
      AppendColumn(step.place, record, out);
    }
  }
}

bool RowSlots::FindExtension(Bytes rest, RowExtension* extension) const {
  *extension = {0, nullptr, Unsigned(rest)};
  if (rest.empty() || static_cast<uint8_t>(rest.front()) != kExtensionTag) return true;
  if (rest.size() < kExtensionHeaderBytes) return false;
  const uint32_t count = Unsigned(rest)[1];
  const size_t head = kExtensionHeaderBytes + (count + 7) / 8;
  if (count == 0 || count > added_.size() || rest.size() < head) return false;
  *extension = {count, Unsigned(rest) + kExtensionHeaderBytes, Unsigned(rest) + head};
  return true;
}

bool RowSlots::TakeExtension(Bytes* rest) const {
  RowExtension extension;
  if (!FindExtension(*rest, &extension)) return false;
  const uint8_t* from = extension.data;
  const uint8_t* const end = Unsigned(*rest) + rest->size();
  for (uint32_t i = 0; i < extension.count; ++i) {
    if (added_[i].IsNullIn(extension.bitmap)) continue;
    from = SkipSlot(added_[i], from, end);
    if (from == nullptr) return false;
  }
  rest->remove_prefix(static_cast<size_t>(from - Unsigned(*rest)));
  return true;
}

const uint8_t* ReadSlot(const SlotStep& step, const uint8_t* from, const uint8_t* end,
                        uint8_t* record) {
  if (static_cast<size_t>(end - from) < step.width) return nullptr;
  uint8_t* const column = record + step.place.record_offset;
  const uint8_t* next = from + step.width;
  switch (step.form) {
    case SlotForm::kBytes:
      std::memcpy(column, from, step.width);
      break;
    case SlotForm::kUnsigned:
    case SlotForm::kSigned:
      ReadInteger(step, from, column);
      break;
    case SlotForm::kVarying:
      next = ReadVarying(step, from, end, column);
      break;
    case SlotForm::kNull:
      break;
  }
  if (step.place.nullable) {
    record[step.place.null_offset] &= static_cast<uint8_t>(~step.place.null_mask);
  }
  return next;
}

const uint8_t* SkipSlot(const SlotStep& step, const uint8_t* from, const uint8_t* end) {
  const auto bytes = static_cast<size_t>(end - from);
  if (bytes < step.width) return nullptr;
  size_t length = step.width;
  if (step.form == SlotForm::kVarying) length += LoadLength(from, step.width);
  return length <= bytes ? from + length : nullptr;
}

}  // namespace basalt::codec
