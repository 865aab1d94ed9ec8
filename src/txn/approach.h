// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/bytes.h"
#include "txn/cursor.h"

namespace basalt::txn {

// What a move has cost.
struct Approach {
  unsigned steps = 0;
  bool sought = false;
};

// Moves the cursor to the first entry with key >= target: by steps where at most `most_steps` lead
// there from an entry in front of it, for they cost less than a seek; else by a seek. So it may
// also stand nowhere, or at the target or behind it. Where the entries, or the limit of the cursor,
// end on the way, it is not Valid() and its status says why.
Approach MoveTo(Bytes target, unsigned most_steps, Cursor* cursor);

}  // namespace basalt::txn
