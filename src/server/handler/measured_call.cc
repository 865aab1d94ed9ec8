// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/measured_call.h"

namespace basalt::server {
namespace {

using engine::Direction;

constexpr double kNanosecondsPerSecond = 1e9;

Direction DirectionInStore(const OpenTable& table, uint index, Direction direction) {
  if (index == MAX_KEY || !table.data()->index(index).reverse) return direction;
  return direction == Direction::kForward ? Direction::kBackward : Direction::kForward;
}

}  // namespace

MeasuredCall::MeasuredCall(const OpenTable& table, uint index, Direction direction)
    : statistics_(table.handler()->handler_stats),
      direction_(DirectionInStore(table, index, direction)) {}

MeasuredCall::~MeasuredCall() {
  const ReadCounts counts = reads_.End(direction_);
  statistics_->pages_accessed += counts.blocks_accessed;
  statistics_->pages_read_count += counts.blocks_read;
  statistics_->pages_prefetched += counts.blocks_ahead;
  statistics_->pages_read_time +=
      static_cast<ulonglong>(static_cast<double>(counts.read_nanoseconds) *
                             timer_tracker_frequency() / kNanosecondsPerSecond);
  statistics_->undo_records_read += counts.versions_passed;
}

}  // namespace basalt::server
