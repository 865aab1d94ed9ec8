// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "base/mutex.h"
#include "base/status.h"
#include "store/store.h"

namespace basalt::catalog {

// The ids of transactions for tables versioned by transaction: one sequence for the store, kept in
// the dictionary (docs/format/dictionary.md, type 0x40000004). Both the begin and the commit of a
// transaction take one, so that a commit's id is above the ids of all that began before it.
//
// Thread-safety: any thread.
class VersionIds {
 public:
  // Reads nothing: a store without such tables never has the record. Borrows the store.
  explicit VersionIds(store::Store* store) : store_(store) {}

  // An id above all that were taken before, also by earlier processes, whichever way they ended.
  // Waits for a synced write once in some thousand calls. kCorruption when the record does not
  // decode; else what the store's write fails with. After an error nothing was taken.
  Status Take(uint64_t* id);

 private:
  Status Reserve() BASALT_REQUIRES(mutex_);

  store::Store* const store_;
  Mutex mutex_;
  uint64_t next_ BASALT_GUARDED_BY(mutex_) = 0;
  uint64_t reserved_ BASALT_GUARDED_BY(mutex_) = 0;  // ids below are durable as used
};

}  // namespace basalt::catalog
