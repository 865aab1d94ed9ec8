// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <optional>

#include "base/status.h"
#include "catalog/catalog.h"
#include "engine/indexes/change_log_reader.h"
#include "engine/table.h"

namespace basalt::engine {

// A table whose writers log what they change (txn::ChangeLog), for somebody who builds no index of
// it: IndexBuild has a log of its own. A table has one log at a time; the metadata locks of those
// who log see to that. A crash leaves the log to the next start.
//
// One thread; writers go on meanwhile, but during Begin.
class LoggedTable {
 public:
  // Borrows the table.
  explicit LoggedTable(const Table* table) : table_(*table) {}
  // What was begun was ended.
  LoggedTable(const LoggedTable&) = delete;
  LoggedTable& operator=(const LoggedTable&) = delete;

  // What the dictionary is to be asked for: logs do not lie beside the rows, whose column family
  // may run backwards.
  static catalog::IndexRequest RequestForLog();

  // Opens the log: what is committed from now on is in it. Nobody may be writing. kLockBusy when a
  // prepared transaction that has no connection has changed the table, for its changes would be
  // missing; errors of the dictionary. Nothing is open then.
  Status Begin();
  // After Begin: as ChangeLogReader::ReadCommitted.
  Status ReadCommitted(ChangeConsumer* consumer, const ChangeLogReader::Progress& progress,
                       uint64_t* taken);
  // Nobody needs the log any more; others may be writing. On error it stays until the next start.
  // Without effect before Begin, and the second time.
  Status End();

  const Table& table() const { return table_; }

 private:
  const Table& table_;
  std::optional<catalog::IndexRecord> log_;
  std::unique_ptr<ChangeLogReader> reader_;
};

}  // namespace basalt::engine
