// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "codec/key_step.h"
#include "codec/row_layout.h"
#include "codec/row_step.h"

namespace basalt::codec {

// What one slot of a row is to the columns of today. A plain value.
struct SlotStep {
  static constexpr uint32_t kNever = ~uint32_t{0};

  SlotForm form = SlotForm::kBytes;
  bool nullable = false;  // has a bit in the bitmap of the base, or of the extension
  uint8_t null_mask = 0;
  bool live = false;            // writers put the column here; other slots they fill with nothing
  bool told = false;            // of the base: an added slot tells whether the column is NULL
  bool spared_by_null = false;  // an added one: a NULL stands in the base already
  uint32_t null_offset = 0;     // byte of that bitmap
  uint32_t width = 0;           // as in RowSlot
  // Rows with so many added slots and one more have the column there, not here.
  uint32_t successor = kNever;
  RowStep place;                      // the column; its number is kNoColumn when no one asks
  const AddedSlot* absent = nullptr;  // what rows without the slot have; null: see a predecessor

  bool has_column() const { return place.column != kNoColumn; }
  bool IsNullIn(const uint8_t* bitmap) const {
    return nullable && (bitmap[null_offset] & null_mask) != 0;
  }
};

// The extension of a row: the slots that were added since, as far as this row has them.
struct RowExtension {
  uint32_t count = 0;  // of added slots in the row; 0: it has no extension
  const uint8_t* bitmap = nullptr;
  const uint8_t* data = nullptr;  // of the first one; the end of the base without an extension
};

// The layout of a table's rows, compiled: writes the slots of rows, and says readers where columns
// are. Immutable: any number of threads. Keeps the layout alive.
class RowSlots {
 public:
  // The table has a layout; CheckLayoutOf has accepted it.
  explicit RowSlots(const TableDescriptor& table);

  const std::vector<SlotStep>& base() const { return base_; }
  const std::vector<SlotStep>& added() const { return added_; }
  uint32_t null_bitmap_bytes() const { return null_bitmap_bytes_; }  // of the base

  // True when readers find the column of a base slot as in a table without a layout.
  bool IsDirect(size_t base_slot) const { return base_[base_slot].live && !base_[base_slot].told; }

  // Adds what follows the head to a row's value. Its bitmap, all zeros, begins at out[bitmap].
  void AppendColumns(const uint8_t* record, size_t bitmap, std::string* out) const;

  // Finds the extension behind the base of a row. False when it is malformed.
  [[nodiscard]] bool FindExtension(Bytes rest, RowExtension* extension) const;

  // Cuts the extension off, if there is one. False when it is malformed.
  [[nodiscard]] bool TakeExtension(Bytes* rest) const;

 private:
  void Follow(const Column& column, uint32_t position, uint16_t last_slot);
  SlotStep& step(size_t slot);
  void AppendBase(const uint8_t* record, size_t bitmap, std::string* out) const;
  void AppendExtension(const uint8_t* record, std::string* out) const;

  std::shared_ptr<const RowLayout> layout_;
  std::vector<SlotStep> base_;
  std::vector<SlotStep> added_;
  uint32_t null_bitmap_bytes_ = 0;
};

// Reads the value of a slot at `from` into its column and makes that not NULL. Null when the value
// ends before, or when the column cannot hold it; else where the next slot begins.
const uint8_t* ReadSlot(const SlotStep& step, const uint8_t* from, const uint8_t* end,
                        uint8_t* record);

// Steps over the value of a slot. Null when the value ends before.
const uint8_t* SkipSlot(const SlotStep& step, const uint8_t* from, const uint8_t* end);

}  // namespace basalt::codec
