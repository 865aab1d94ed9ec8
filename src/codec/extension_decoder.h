// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "codec/column_set.h"
#include "codec/row_slots.h"

namespace basalt::codec {

// Decodes wanted columns from the extensions of a table's rows, or from their absence. The part of
// a RowDecoder that only tables with a layout need; by the same rules.
class ExtensionDecoder {
 public:
  // `slots` may be null. They and the default record, which may be null, outlive this object.
  void Compile(const RowSlots* slots, const uint8_t* default_record, const ColumnSet& wanted);

  // True when no wanted column can be in an extension.
  bool empty() const { return steps_.empty(); }

  // `rest`: what follows the base of a row. Wanted columns that are in the base of this row have
  // been decoded already and are left alone. False when the bytes contradict the format.
  [[nodiscard]] bool Decode(Bytes rest, uint8_t* record) const;

 private:
  struct Step {
    const SlotStep* slot;
    bool wanted;
  };

  [[nodiscard]] bool DecodeAbsent(uint32_t first, uint8_t* record) const;

  const RowSlots* slots_ = nullptr;
  const uint8_t* default_record_ = nullptr;  // null: zeros
  std::vector<Step> steps_;                  // as far as the last one wanted
};

}  // namespace basalt::codec
