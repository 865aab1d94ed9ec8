// SPDX-License-Identifier: GPL-2.0-only
#include "codec/row_layout.h"

#include <algorithm>
#include <limits>

#include "codec/kv_format.h"

namespace basalt::codec {

namespace {

constexpr size_t kMostSlots = std::numeric_limits<uint16_t>::max();
constexpr uint32_t kMostLengthBytes = 4;

Status Damaged(const std::string& what) {
  return Status(Code::kCorruption, "the layout of rows: " + what);
}

std::string Named(size_t slot) { return "slot " + std::to_string(slot); }

bool HasPossibleWidth(const RowSlot& slot) {
  switch (slot.form) {
    case SlotForm::kBytes:
      return true;
    case SlotForm::kUnsigned:
    case SlotForm::kSigned:
      return (slot.width >= 1 && slot.width <= 4) || slot.width == 8;
    case SlotForm::kVarying:
      return slot.width >= 1 && slot.width <= kMostLengthBytes;
    case SlotForm::kNull:
      return slot.width == 0;
  }
  return false;
}

uint64_t LengthIn(const RowSlot& slot, const std::string& bytes) {
  uint64_t length = 0;
  for (uint32_t i = 0; i < slot.width; ++i) {
    length |= uint64_t{static_cast<uint8_t>(bytes[i])} << 8 * i;
  }
  return length;
}

// Whether the bytes are those of one value in the slot.
bool IsValueOf(const RowSlot& slot, const std::string& bytes) {
  if (slot.form != SlotForm::kVarying) return bytes.size() == slot.width;
  return bytes.size() >= slot.width && bytes.size() - slot.width == LengthIn(slot, bytes);
}

// A slot has at most one successor, so each predecessor may be named once.
Status CheckPredecessor(const RowLayout& layout, size_t position, std::vector<bool>* succeeded) {
  const AddedSlot& added = layout.added[position - layout.base.size()];
  const uint16_t predecessor = *added.predecessor;
  if (predecessor >= position) return Damaged(Named(position) + " follows a later one");
  if ((*succeeded)[predecessor]) return Damaged(Named(predecessor) + " has two successors");
  (*succeeded)[predecessor] = true;
  if (!added.absent.empty() || added.absent_is_null) {
    return Damaged(Named(position) + " has a predecessor and a default");
  }
  if (added.slot.form != SlotForm::kNull) {
    const RowSlot& from = layout.slot(layout.ValueSlot(predecessor));
    return CanWiden(from, added.slot) ? Status()
                                      : Damaged(Named(position) + " is no wider than before");
  }
  const bool fits = predecessor < layout.base.size() && !layout.base[predecessor].nullable;
  return fits ? Status() : Damaged(Named(position) + " tells about a slot that tells itself");
}

Status CheckAdded(const RowLayout& layout, size_t position, std::vector<bool>* succeeded) {
  const AddedSlot& added = layout.added[position - layout.base.size()];
  if (!HasPossibleWidth(added.slot) || added.slot.nullable) {
    return Damaged(Named(position) + " has an impossible form");
  }
  if (added.predecessor.has_value()) return CheckPredecessor(layout, position, succeeded);
  if (added.slot.form == SlotForm::kNull) return Damaged(Named(position) + " tells about none");
  const bool fits =
      added.absent_is_null ? added.absent.empty() : IsValueOf(added.slot, added.absent);
  return fits ? Status() : Damaged(Named(position) + " has a default of another form");
}

// Whether a row may have NULL for the column whose last slot this is.
bool CanBeNull(const RowLayout& layout, uint16_t position) {
  if (position < layout.base.size()) return layout.base[position].nullable;
  const AddedSlot& added = layout.added[position - layout.base.size()];
  if (added.slot.form == SlotForm::kNull || added.absent_is_null) return true;
  return added.predecessor.has_value() && CanBeNull(layout, *added.predecessor);
}

}  // namespace

std::vector<uint32_t> RowColumns(const TableDescriptor& table) {
  const IndexDescriptor& primary = table.primary_index();
  std::vector<uint32_t> columns;
  for (uint32_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].stored) continue;
    const bool in_key =
        std::any_of(primary.parts.begin(), primary.parts.end(), [&](const KeyPart& part) {
          return part.column == i && IsDecodable(table.columns[i], part, primary.kv_format_version);
        });
    if (!in_key) columns.push_back(i);
  }
  return columns;
}

RowSlot SlotOf(const Column& column) {
  RowSlot slot{SlotForm::kBytes, column.nullable, column.pack_length};
  if (column.kind == ColumnKind::kSigned) {
    slot.form = SlotForm::kSigned;
  } else if (column.kind == ColumnKind::kUnsigned || column.kind == ColumnKind::kEnum ||
             column.kind == ColumnKind::kSet) {
    slot.form = SlotForm::kUnsigned;
  } else if (IsVariableLength(column.kind) || IsBlob(column.kind)) {
    slot.form = SlotForm::kVarying;
    slot.width = column.length_bytes;
  }
  return slot;
}

RowLayout MakeRowLayout(const TableDescriptor& table) {
  RowLayout layout;
  for (const uint32_t column : RowColumns(table)) {
    layout.columns.push_back(static_cast<uint16_t>(layout.base.size()));
    layout.base.push_back(SlotOf(table.columns[column]));
  }
  return layout;
}

bool CanWiden(const RowSlot& from, const RowSlot& to) {
  if (from.form == to.form) {
    return from.width == to.width || (from.form != SlotForm::kBytes && from.width < to.width);
  }
  return from.form == SlotForm::kUnsigned && to.form == SlotForm::kSigned && from.width < to.width;
}

Status Validate(const RowLayout& layout) {
  if (layout.slots() > kMostSlots || layout.added.size() > RowLayout::kMostAdded) {
    return Damaged("too many slots");
  }
  for (size_t i = 0; i < layout.base.size(); ++i) {
    if (!HasPossibleWidth(layout.base[i]) || layout.base[i].form == SlotForm::kNull) {
      return Damaged(Named(i) + " has an impossible form");
    }
  }
  std::vector<bool> taken(layout.slots());
  for (size_t i = layout.base.size(); i < layout.slots(); ++i) {
    BASALT_RETURN_IF_ERROR(CheckAdded(layout, i, &taken));
  }
  for (const uint16_t slot : layout.columns) {
    if (slot >= layout.slots()) return Damaged("a column has no slot");
    if (taken[slot]) return Damaged(Named(slot) + " is not the column's alone, or not its last");
    taken[slot] = true;
  }
  return Status::Ok();
}

Status CheckLayoutOf(const TableDescriptor& table, const RowLayout& layout) {
  const std::vector<uint32_t> columns = RowColumns(table);
  bool same = columns.size() == layout.columns.size();
  for (size_t i = 0; same && i < columns.size(); ++i) {
    const Column& column = table.columns[columns[i]];
    const RowSlot& value = layout.slot(layout.ValueSlot(layout.columns[i]));
    const RowSlot wanted = SlotOf(column);
    same = value.form == wanted.form && value.width == wanted.width &&
           (column.nullable || !CanBeNull(layout, layout.columns[i]));
    // A slot of the base has no place for a NULL that its column did not have.
    const bool in_base = layout.columns[i] < layout.base.size();
    same = same && (!in_base || layout.base[layout.columns[i]].nullable == column.nullable);
  }
  if (same) return Status::Ok();
  return Status(Code::kCorruption,
                "table " + table.name + ": the layout of its rows and its definition disagree");
}

}  // namespace basalt::codec
