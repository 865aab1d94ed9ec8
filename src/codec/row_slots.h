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
  // Of the base: bytes in front of it, when these are the same in all rows; else kNever.
  uint32_t offset = kNever;
  // Rows with so many added slots and one more have the column there, not here.
  uint32_t successor = kNever;
  RowStep place;                      // the column; its number is kNoColumn when no one asks
  const AddedSlot* absent = nullptr;  // what rows without the slot have; null: see a predecessor

  bool has_column() const { return place.column != kNoColumn; }
  bool IsInteger() const { return form == SlotForm::kUnsigned || form == SlotForm::kSigned; }
  // True of an integer in the base that another slot has followed, and that can be found without a
  // walk through the row: it is read only in rows without its successor.
  bool IsFoundLater() const {
    return IsInteger() && successor != kNever && offset != kNever && !nullable;
  }
  bool IsNullIn(const uint8_t* bitmap) const {
    return nullable && (bitmap[null_offset] & null_mask) != 0;
  }
};

// The first byte of an extension; a checksum chunk begins with another one.
inline constexpr uint8_t kExtensionTag = 0x04;
// Bytes of an extension in front of its bitmap: the tag and the count.
inline constexpr size_t kExtensionHeaderBytes = 2;

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

  // Finds the extension behind the base of a row. False when it is malformed. Inline, as each row
  // that is read asks for it.
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

// Whether what follows the base of a row, [rest, end), is an extension.
inline bool BeginsExtension(const uint8_t* rest, const uint8_t* end) {
  return rest != end && *rest == kExtensionTag;
}

inline bool RowSlots::FindExtension(Bytes rest, RowExtension* extension) const {
  *extension = {0, nullptr, Unsigned(rest)};
  if (!BeginsExtension(Unsigned(rest), Unsigned(rest) + rest.size())) return true;
  if (rest.size() < kExtensionHeaderBytes) return false;
  const uint32_t count = Unsigned(rest)[1];
  const size_t head = kExtensionHeaderBytes + (count + 7) / 8;
  if (count == 0 || count > added_.size() || rest.size() < head) return false;
  *extension = {count, Unsigned(rest) + kExtensionHeaderBytes, Unsigned(rest) + head};
  return true;
}

}  // namespace basalt::codec
