// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "catalog/catalog.h"
#include "txn/transaction_manager.h"

namespace basalt::engine {

// Change logs (txn::ChangeLog) that nobody needs any more, until their space can be freed: as long
// as a transaction may still commit entries of one, the reclaimer would come too early. What is
// left when the process ends, the next start drops, because the dictionary knows a log as an index
// that is being built.
//
// Thread-safety: any thread. Borrows what it is made with.
class ClosedLogs {
 public:
  ClosedLogs(catalog::Catalog* catalog, txn::TransactionManager* transactions)
      : catalog_(catalog), transactions_(transactions) {}

  // The log has been closed. Drops it now if that can be, as Tick does.
  Status Add(const catalog::IndexRecord& log);
  // Once a second: drops those whose last transaction has ended. On error they stay for the next
  // call.
  Status Tick();

 private:
  struct Closed {
    catalog::IndexRecord log;
    uint64_t position = 0;  // who may have an entry has begun in front of it
  };

  catalog::Catalog* const catalog_;
  txn::TransactionManager* const transactions_;
  Mutex mutex_;
  std::vector<Closed> closed_ BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::engine
