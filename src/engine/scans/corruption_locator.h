// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/status.h"
#include "txn/cursor.h"

namespace basalt::engine {

class Table;

// Remembers roughly where a scan is, so that the error message about a damaged block can name the
// last key before it. The store's iterator has lost that key by then, and a copy of every key would
// cost each step of every scan.
//
// One thread at a time; a part of the scan it belongs to.
class CorruptionLocator {
 public:
  // The scan begins at `target` (empty: at the end it comes from), in either direction.
  void Begin(Bytes target) {
    landmark_.assign(target);
    steps_ = 0;
  }
  // Before each move, with the cursor on an entry.
  void NoteStep(const txn::Cursor& cursor) {
    if (++steps_ % kStepsBetween == 0) [[unlikely]]
      landmark_.assign(cursor.key());
  }

  // `status` with the table, the index and the last key that can be read in front of it, when it
  // tells of damage; else as it is. Goes the way from the last landmark again, on the latest state:
  // not for a hot path. Without a key when the way is free now, or there is nothing before the
  // damage.
  Status NameBreak(const Table& table, size_t index, bool forward, Status status) const;

 private:
  static constexpr uint32_t kStepsBetween = 4096;

  std::string landmark_;
  uint32_t steps_ = 0;
};

}  // namespace basalt::engine
