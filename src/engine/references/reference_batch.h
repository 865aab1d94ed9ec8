// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "engine/references/reference_check.h"

namespace basalt::engine {

// The values of many rows of a child, for a load: their parents are looked for together, in the
// order of the parent's index, each once. Rows that come with equal values one behind the other
// cost a comparison.
//
// One thread. Borrows the check, between whose Begin and End all happens.
class ReferenceBatch {
 public:
  explicit ReferenceBatch(ReferenceCheck* check) : check_(check) {}

  // Takes the values of a row of the child. kFound: they are to be looked for. kNull: the row
  // refers to nothing. kAbsent: no parent can have them.
  ReferenceCheck::Match Add(const uint8_t* record);
  // Holds as much as is worth sorting: Check is due.
  bool full() const { return values_.size() >= kEnoughBytes; }
  // *missing: a value has no parent. The parents of the others before it, and all of them where
  // none is missing, are locked shared. The batch is empty then, as after an error.
  Status Check(bool* missing);
  // Forgets all values.
  void Clear();

 private:
  static constexpr size_t kEnoughBytes = 1u << 20;

  struct Place {
    uint32_t offset;
    uint32_t bytes;
  };
  Bytes ValueAt(const Place& place) const {
    return Bytes(values_).substr(place.offset, place.bytes);
  }
  void Sort();

  ReferenceCheck* const check_;
  std::string values_;  // one behind the other
  std::vector<Place> places_;
};

}  // namespace basalt::engine
