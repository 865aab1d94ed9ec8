// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "engine/indexes/new_index.h"
#include "engine/indexes/new_row.h"
#include "engine/table.h"
#include "engine/task_progress.h"
#include "txn/bulk_load.h"
#include "txn/parallel_work.h"

namespace basalt::engine {

// Gives new indexes the entries of all rows of a table that are committed in a snapshot. Each part
// of the rows is read by a thread of its own. For secondary indexes without virtual columns, of
// rows that do not expire: the server's expressions and clocks belong to the statement's thread.
//
// Used by one thread, which reads the first part, reports, and listens for a KILL.
class ParallelFill {
 public:
  // What all parts share. Borrowed.
  struct Source {
    const Table& table;
    const NewRow::Target& target;
    NewRow::Room room;
    const std::vector<NewIndex>& indexes;  // indexes[i] is the load's index i
    const rocksdb::Snapshot* snapshot = nullptr;
    bool skip_undecodable = false;  // as IndexBuild::Options has it
    size_t buffer_bytes = 0;        // of entries that all parts together have in memory
  };

  // `first_keys`: of all parts but the first, ascending. None: there is one part.
  ParallelFill(const Source& source, std::vector<std::string> first_keys, txn::BulkLoad* load,
               TaskProgress* progress);
  ~ParallelFill();
  ParallelFill(const ParallelFill&) = delete;
  ParallelFill& operator=(const ParallelFill&) = delete;

  // Errors are those of IndexBuild::Fill; the threads have ended then, too.
  Status Run();
  // Rows that have got entries. After Run.
  uint64_t rows() const;

 private:
  struct Part;

  Status RunPart(Part* part);
  Status ReadRows(Part* part);
  Status AddEntries(Part* part);
  Status AddEntriesOf(size_t index, Part* part, uint64_t* made);
  Status HandOver(Part* part);
  void CountWork();
  bool Report();

  const Source source_;
  txn::BulkLoad* const load_;
  TaskProgress* const progress_;
  const uint64_t expected_;
  std::vector<std::unique_ptr<Part>> parts_;
  txn::ParallelWork work_;
  Mutex mutex_;  // who holds it may use the load
  uint64_t reported_rows_ = 0;
  uint64_t reported_bytes_ = 0;
};

}  // namespace basalt::engine
