// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

#include "server/handler/index_reader.h"
#include "server/handler/open_table.h"
#include "server/handler/row_key_batch.h"
#include "server/server_headers.h"

namespace basalt::server {

// Multi-range reads (MRR): row keys are gathered from the index first, then many rows are read at
// once. The order of the ranges and of the rows within them is kept, so that sorted output costs
// nothing.
//
// The ranges are those of the handler (mrr_funcs, mrr_iter). Functions with an int result return 0
// or a handler error. One thread. Borrows table and reader.
class MultiRangeReader {
 public:
  MultiRangeReader(OpenTable* table, IndexReader* reader) : table_(table), reader_(reader) {}

  // The handler has been given `ranges` ranges. Decides whether rows are read together.
  void Begin(uint ranges);
  void End() { active_ = false; }
  // Else the server reads range by range.
  bool active() const { return active_; }
  // The next row, into the server's first record; *range_info: which range it is in.
  int Next(range_id_t* range_info);

 private:
  void Gather();
  int GatherSome();
  int BeginRange();
  int GatherRange();
  void Add(Bytes row_key);

  OpenTable* const table_;
  IndexReader* const reader_;
  bool active_ = false;
  RowKeyBatch row_keys_;
  std::vector<range_id_t> range_ids_;  // of the range each row belongs to
  bool range_open_ = false;            // the cursor stands inside the present range,
  std::string search_;                 // which begins here
  std::string end_;                    // and ends before this
  bool ranges_ended_ = false;
  int deferred_error_ = 0;  // met while gathering: reported after the rows before it
};

}  // namespace basalt::server
