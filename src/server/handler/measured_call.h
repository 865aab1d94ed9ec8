// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "engine/scans/direction.h"
#include "server/handler/open_table.h"
#include "server/measures/read_measure.h"
#include "server/server_headers.h"

namespace basalt::server {

// Adds what a call of the server reads to the statistics that it keeps of the table for the running
// statement: `# Pages_accessed` and what follows in the slow query log with
// log_slow_verbosity=engine, r_engine_stats in ANALYZE FORMAT=JSON. Partitions and clones of a
// handler share one of them, and the server alone empties it.
//
//   pages_accessed, pages_read_count, pages_prefetched   blocks: ReadCounts, in this order
//   pages_read_time                                      in units of timer_tracker_frequency()
//   undo_records_read                                    versions passed over
//   pages_updated                                        0: a statement changes no block
//   engine_time                                          left to the server
class MeasuredCall {
 public:
  // The call goes through the keys of the index in that direction; MAX_KEY: through the whole
  // table, as its rows are stored. The handler's statistics are there, and outlive the call.
  MeasuredCall(const OpenTable& table, uint index, engine::Direction direction);
  ~MeasuredCall();
  MeasuredCall(const MeasuredCall&) = delete;
  MeasuredCall& operator=(const MeasuredCall&) = delete;

 private:
  ha_handler_stats* const statistics_;
  const engine::Direction direction_;  // of the store's iterators
  ReadMeasure reads_;
};

// The result of `work`; while the statement measures, as a MeasuredCall. Else one test of a pointer
// is all that it costs.
template <typename Work>
[[gnu::always_inline]] inline auto Measured(const OpenTable& table, uint index,
                                            engine::Direction direction, const Work& work) {
  if (table.handler()->handler_stats == nullptr) [[likely]]
    return work();
  const MeasuredCall call(table, index, direction);
  return work();
}

}  // namespace basalt::server
