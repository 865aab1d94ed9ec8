// SPDX-License-Identifier: GPL-2.0-only
#include "txn/approach.h"

namespace basalt::txn {

Approach MoveTo(Bytes target, unsigned most_steps, Cursor* cursor) {
  Approach done;
  if (cursor->Valid() && cursor->key() < target) {
    while (done.steps < most_steps) {
      cursor->Next();
      ++done.steps;
      if (!cursor->Valid() || cursor->key() >= target) return done;
    }
  }
  cursor->SeekForward(target);
  done.sought = true;
  return done;
}

}  // namespace basalt::txn
