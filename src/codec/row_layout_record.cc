// SPDX-License-Identifier: GPL-2.0-only
#include "codec/row_layout_record.h"

#include <utility>

#include "base/byte_reader.h"

namespace basalt::codec {

namespace {

constexpr uint8_t kNullable = 1;        // flag of a base slot
constexpr uint8_t kHasPredecessor = 1;  // flags of an added slot
constexpr uint8_t kAbsentIsNull = 2;

Status BadRecord(const char* what) {
  return Status(Code::kCorruption, std::string("the layout of rows: ") + what);
}

void AppendSlot(const RowSlot& slot, uint8_t flags, std::string* to) {
  to->push_back(static_cast<char>(slot.form));
  to->push_back(static_cast<char>(flags));
  AppendBigEndian32(to, slot.width);
}

void AppendAdded(const AddedSlot& added, std::string* to) {
  const bool succeeds = added.predecessor.has_value();
  AppendSlot(added.slot,
             (succeeds ? kHasPredecessor : 0) | (added.absent_is_null ? kAbsentIsNull : 0), to);
  if (succeeds) {
    AppendBigEndian16(to, *added.predecessor);
    return;
  }
  AppendBigEndian32(to, static_cast<uint32_t>(added.absent.size()));
  to->append(added.absent);
}

// False when there is no such form, or a flag other than these.
bool ReadSlot(ByteReader* reader, uint8_t known_flags, RowSlot* slot, uint8_t* flags) {
  const uint8_t form = reader->Read8();
  *flags = reader->Read8();
  slot->width = reader->Read32();
  if (form > static_cast<uint8_t>(SlotForm::kNull)) return false;
  slot->form = static_cast<SlotForm>(form);
  return (*flags & ~known_flags) == 0 && !reader->failed();
}

bool ReadAdded(ByteReader* reader, AddedSlot* added) {
  uint8_t flags;
  if (!ReadSlot(reader, kHasPredecessor | kAbsentIsNull, &added->slot, &flags)) return false;
  added->absent_is_null = (flags & kAbsentIsNull) != 0;
  if ((flags & kHasPredecessor) != 0) {
    added->predecessor = reader->Read16();
  } else {
    added->absent.assign(reader->ReadBytes(reader->Read32()));
  }
  return !reader->failed();
}

bool ReadSlots(ByteReader* reader, RowLayout* layout) {
  layout->base.resize(reader->Read16());
  for (RowSlot& slot : layout->base) {
    uint8_t flags;
    if (!ReadSlot(reader, kNullable, &slot, &flags)) return false;
    slot.nullable = (flags & kNullable) != 0;
  }
  layout->added.resize(reader->Read8());
  for (AddedSlot& added : layout->added) {
    if (!ReadAdded(reader, &added)) return false;
  }
  return true;
}

}  // namespace

std::string EncodeRowLayout(const RowLayout& layout) {
  std::string bytes;
  AppendBigEndian16(&bytes, static_cast<uint16_t>(layout.base.size()));
  for (const RowSlot& slot : layout.base) {
    AppendSlot(slot, slot.nullable ? kNullable : 0, &bytes);
  }
  bytes.push_back(static_cast<char>(layout.added.size()));
  for (const AddedSlot& added : layout.added) AppendAdded(added, &bytes);
  AppendBigEndian16(&bytes, static_cast<uint16_t>(layout.columns.size()));
  for (const uint16_t slot : layout.columns) AppendBigEndian16(&bytes, slot);
  return bytes;
}

Status DecodeRowLayout(Bytes bytes, RowLayout* layout) {
  *layout = RowLayout();
  ByteReader reader(bytes);
  if (!ReadSlots(&reader, layout)) return BadRecord("a slot is damaged or of an unknown form");
  layout->columns.resize(reader.Read16());
  for (uint16_t& slot : layout->columns) slot = reader.Read16();
  if (reader.failed()) return BadRecord("it is cut off");
  if (!reader.AtEnd()) return BadRecord("bytes are left over");
  return Validate(*layout);
}

}  // namespace basalt::codec
