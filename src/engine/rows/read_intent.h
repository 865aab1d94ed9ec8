// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "txn/lock_owner.h"

namespace basalt::engine {

// How a statement reads the rows of a table.
struct ReadIntent {
  bool lock = false;  // lock rows and read their latest state
  txn::LockMode mode = txn::LockMode::kExclusive;
  txn::LockWait wait = txn::LockWait::kWait;
  bool skip_locked = false;  // with kNoWait: pass over rows that others have locked
  // With `lock`: what was read, and what was found missing, stays so until the transaction ends.
  // Ranges are locked besides rows, and rows that did not match stay locked.
  bool repeatable = false;
  // With `lock`, not repeatable: a scan waits for entries that others have added to the ranges it
  // passes and not committed yet. It keeps no ranges.
  bool awaits_entries = false;
  // With `lock`, not repeatable: a scan reads a row that another has locked in its last committed
  // state, unlocked (row_is_unlocked); the caller asks for it again if it wants it.
  bool semi_consistent = false;
};

}  // namespace basalt::engine
