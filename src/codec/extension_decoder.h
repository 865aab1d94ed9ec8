// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/column_set.h"
#include "codec/row_slots.h"

namespace basalt::codec {

// Decodes wanted columns from the extensions of a table's rows, or from their absence. The part of
// a RowDecoder that only tables with a layout need; by the same rules.
class ExtensionDecoder {
 public:
  // `slots` may be null. They and the default record, which may be null, outlive this object.
  void Compile(const RowSlots* slots, const uint8_t* default_record, const ColumnSet& wanted);

  // Leaves a wanted column of the base to this object: one with IsFoundLater(), of the same slots.
  // In rows in which its successor has the value it costs nothing then.
  void AddPredecessor(const SlotStep& slot) { predecessors_.push_back(&slot); }

  // True when no wanted column can be in an extension.
  bool empty() const { return steps_.empty(); }

  // [base, rest) is the base of a row, [rest, end) what follows it. Wanted columns that are in the
  // base of this row have been decoded already and are left alone, but for predecessors. False when
  // the bytes contradict the format.
  [[nodiscard]] bool Decode(const uint8_t* base, const uint8_t* rest, const uint8_t* end,
                            uint8_t* record) const {
    return BeginsExtension(rest, end) ? DecodePresent(base, rest, end, record)
                                      : DecodeAbsent(base, end, record);
  }

 private:
  // An added slot.
  struct Step {
    const SlotStep* slot;
    uint32_t most_count;  // rows with more added slots have the column elsewhere; 0: not wanted
  };

  // What a column is in all rows that are older than its slot, as it lies in the record image.
  struct Constant {
    uint32_t slot = 0;   // rows with more added slots have the column themselves
    uint32_t image = 0;  // where its bytes begin in images_
    uint32_t bytes = 0;
    uint32_t record_offset = 0;
    uint32_t null_offset = 0;
    uint8_t null_mask = 0;  // 0: the column cannot be NULL
    bool is_null = false;
  };

  static constexpr uint32_t kNoCount = RowLayout::kMostAdded + 1;  // no row has it

  void FindWholeCount();
  void AddConstant(uint32_t number, const SlotStep& slot);
  [[nodiscard]] bool AddImage(const SlotStep& slot);
  [[nodiscard]] bool DecodePresent(const uint8_t* base, const uint8_t* rest, const uint8_t* end,
                                   uint8_t* record) const;
  [[nodiscard]] bool DecodeAny(const uint8_t* base, const uint8_t* rest, const uint8_t* end,
                               uint8_t* record) const;
  [[nodiscard]] bool DecodeAbsent(const uint8_t* base, const uint8_t* end, uint8_t* record) const;
  // Always inline, as most tables have none or one of them.
  [[nodiscard, gnu::always_inline]] bool DecodePredecessors(uint32_t count, const uint8_t* base,
                                                            const uint8_t* end,
                                                            uint8_t* record) const;
  [[gnu::always_inline]] void PutConstants(uint32_t count, uint8_t* record) const;

  const RowSlots* slots_ = nullptr;
  const uint8_t* default_record_ = nullptr;  // null: zeros
  std::vector<Step> steps_;                  // as far as the last one wanted
  std::vector<const SlotStep*> predecessors_;
  std::vector<Constant> constants_;  // the last slot's first
  std::vector<uint8_t> images_;
  uint32_t whole_count_ = kNoCount;  // of added slots, when DecodePresent knows how to read all
  size_t whole_head_ = 0;            // bytes in front of the values then
  uint32_t least_count_ = 0;  // of added slots; in rows with fewer a wanted column has no value
};

}  // namespace basalt::codec
