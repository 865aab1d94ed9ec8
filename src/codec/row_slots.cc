// SPDX-License-Identifier: GPL-2.0-only
#include "codec/row_slots.h"

#include <cstring>

#include "codec/row_value.h"
#include "codec/slot_reader.h"

namespace basalt::codec {

namespace {

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

}  // namespace

RowSlots::RowSlots(const TableDescriptor& table) : layout_(table.row_layout) {
  uint32_t nullable = 0;
  uint32_t offset = 0;
  bool same_offset = true;
  for (const RowSlot& slot : layout_->base) {
    base_.push_back(MakeSlotStep(slot));
    if (slot.nullable) SetBit(nullable++, &base_.back());
    if (same_offset) base_.back().offset = offset;
    same_offset = same_offset && !slot.nullable && slot.form != SlotForm::kVarying;
    offset += slot.width;
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

}  // namespace basalt::codec
