// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "codec/table_descriptor.h"

namespace basalt::codec {

// Where the columns of a table are in its rows when the definition has changed and the rows have
// not: docs/format/row-versions.md. Values have slots; a slot never moves and never goes. A table
// whose definition was never changed at once has no layout: its slots are its columns.

// What a slot holds. The numbers are on disk.
enum class SlotForm : uint8_t {
  kBytes = 0,     // so many bytes
  kUnsigned = 1,  // an integer without a sign, little-endian; ENUM and SET, too
  kSigned = 2,    // an integer with a sign
  kVarying = 3,   // a length and as many bytes
  kNull = 4,      // nothing: whether the column of another slot is NULL
};

struct RowSlot {
  SlotForm form = SlotForm::kBytes;
  bool nullable = false;  // of the base; each added slot has a bit
  uint32_t width = 0;     // bytes; of a kVarying those of its length; of a kNull 0

  bool operator==(const RowSlot&) const = default;
};

// A slot that was added later, and what is so in rows without it.
struct AddedSlot {
  RowSlot slot;
  // The slot that had the column before. None: the column was new, and rows without the slot have
  // `absent`, as it would stand in the slot.
  std::optional<uint16_t> predecessor;
  bool absent_is_null = false;
  std::string absent;

  bool operator==(const AddedSlot&) const = default;
};

// All slots of a table's rows. Immutable once a table has it; shared by threads.
struct RowLayout {
  static constexpr size_t kMostAdded = 255;

  std::vector<RowSlot> base;
  std::vector<AddedSlot> added;
  // For each column that rows hold (RowColumns), the slot that was the last to take it: a position
  // in `base`, or behind those in `added`.
  std::vector<uint16_t> columns;

  size_t slots() const { return base.size() + added.size(); }
  const RowSlot& slot(size_t position) const {
    return position < base.size() ? base[position] : added[position - base.size()].slot;
  }
  // The slot with the value: the slot itself, or the one that a kNull tells about.
  uint16_t ValueSlot(uint16_t position) const {
    const bool tells = slot(position).form == SlotForm::kNull;
    return tells ? *added[position - base.size()].predecessor : position;
  }
  bool operator==(const RowLayout&) const = default;
};

// Positions of the columns that the rows of a table hold: those that are stored and that the
// primary key does not give back.
std::vector<uint32_t> RowColumns(const TableDescriptor& table);

// The slot of such a column in rows of a table that has no layout.
RowSlot SlotOf(const Column& column);

// The layout of a table that has none: a slot for each of its RowColumns.
RowLayout MakeRowLayout(const TableDescriptor& table);

// Whether each value of `from` can be read as one of `to`: the same form, or a wider one.
bool CanWiden(const RowSlot& from, const RowSlot& to);

// Checks what the format demands of a layout by itself. kCorruption says what is wrong.
Status Validate(const RowLayout& layout);

// Checks that a valid layout is one of this table: kCorruption when the columns that rows hold are
// others, or of other types.
Status CheckLayoutOf(const TableDescriptor& table, const RowLayout& layout);

}  // namespace basalt::codec
