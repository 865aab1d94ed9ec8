// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <vector>

#include "base/status.h"
#include "engine/indexes/index_build.h"
#include "engine/table.h"
#include "engine/task_progress.h"

namespace basalt::engine {

// Builds secondary indexes of a table anew from its rows, under new numbers, and puts them in the
// place of the old ones, whose space the reclaimer frees. What the old ones held is not looked at.
//
// Until the last step, one batch of the dictionary, the table is as it was: an error, a KILL or a
// crash before it leaves the new indexes to the reclaimer. Memory is bounded, see IndexBuild.
//
// The caller sees to it that nobody uses the table meanwhile (exclusive metadata lock). Afterwards
// the Table must be opened anew. One thread.
class IndexRebuild {
 public:
  // All must outlive the object; `virtual_columns` as for RowImage.
  IndexRebuild(const Table* table, TaskProgress* progress, VirtualColumns* virtual_columns);

  // `positions`: of secondary indexes in the table. Rows that cannot be decoded get no entries: the
  // caller has looked for them before and accepts that; what is unique is not checked. Errors as
  // IndexBuild::Fill.
  Status Run(const std::vector<size_t>& positions);
  uint64_t rows() const { return build_.rows(); }

 private:
  Status Begin(const std::vector<size_t>& positions);
  Status Replace(const std::vector<size_t>& positions);

  const Table& table_;
  IndexBuild build_;
};

}  // namespace basalt::engine
