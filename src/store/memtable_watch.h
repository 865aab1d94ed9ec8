// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "store/deletion_watch.h"
#include "store/scan_toll.h"

namespace basalt::store {

// What looks at a column family's memtable that is being filled have found. Becomes that of the
// next memtable by itself.
//
// Thread-safety: none; the looks come from one thread.
struct MemtableWatch {
  DeletionWatch deletions;
  ScanToll toll;
};

}  // namespace basalt::store
