// SPDX-License-Identifier: GPL-2.0-only
#include "codec/extension_decoder.h"

#include <algorithm>

#include "codec/null_image.h"

namespace basalt::codec {

namespace {

// A NOT NULL column has no NULL: the row contradicts its layout.
[[nodiscard]] bool PutNull(const RowStep& place, const uint8_t* default_record, uint8_t* record) {
  if (!place.nullable) return false;
  SetNull(place, default_record, record);
  return true;
}

}  // namespace

void ExtensionDecoder::Compile(const RowSlots* slots, const uint8_t* default_record,
                               const ColumnSet& wanted) {
  steps_.clear();
  slots_ = slots;
  default_record_ = default_record;
  if (slots == nullptr) return;
  size_t last_wanted = 0;
  for (const SlotStep& slot : slots->added()) {
    const bool is_wanted = slot.has_column() && wanted.Contains(slot.place.column);
    steps_.push_back({&slot, is_wanted});
    if (is_wanted) last_wanted = steps_.size();
  }
  steps_.resize(last_wanted);
}

bool ExtensionDecoder::Decode(Bytes rest, uint8_t* record) const {
  RowExtension extension;
  if (!slots_->FindExtension(rest, &extension)) return false;
  const uint8_t* from = extension.data;
  const uint8_t* const end = Unsigned(rest) + rest.size();
  const auto present = std::min(extension.count, static_cast<uint32_t>(steps_.size()));
  for (uint32_t i = 0; i < present; ++i) {
    const SlotStep& slot = *steps_[i].slot;
    const bool wanted = steps_[i].wanted && slot.successor >= extension.count;
    if (slot.IsNullIn(extension.bitmap)) {
      if (wanted && !PutNull(slot.place, default_record_, record)) return false;
      continue;
    }
    if (slot.form == SlotForm::kNull) continue;  // the base has the value
    from = wanted ? ReadSlot(slot, from, end, record) : SkipSlot(slot, from, end);
    if (from == nullptr) return false;
  }
  return DecodeAbsent(present, record);
}

// Columns that are newer than the row.
bool ExtensionDecoder::DecodeAbsent(uint32_t first, uint8_t* record) const {
  for (size_t i = first; i < steps_.size(); ++i) {
    const SlotStep& slot = *steps_[i].slot;
    if (!steps_[i].wanted || slot.absent == nullptr) continue;
    if (slot.absent->absent_is_null) {
      if (!PutNull(slot.place, default_record_, record)) return false;
      continue;
    }
    const Bytes value = slot.absent->absent;
    const uint8_t* const end = Unsigned(value) + value.size();
    if (ReadSlot(slot, Unsigned(value), end, record) == nullptr) return false;
  }
  return true;
}

}  // namespace basalt::codec
