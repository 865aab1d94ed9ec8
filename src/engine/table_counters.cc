// SPDX-License-Identifier: GPL-2.0-only
#include "engine/table_counters.h"

#include <algorithm>
#include <limits>

namespace basalt::engine {
namespace {

constexpr uint64_t kExhausted = std::numeric_limits<uint64_t>::max();

// The first member of offset, offset + increment, ... that is not below `from`; kExhausted when
// there is none up to `maximum`.
uint64_t FirstOfSequence(uint64_t from, uint64_t offset, uint64_t increment, uint64_t maximum) {
  // The server documents that an offset above the increment is ignored.
  if (offset > increment || offset == 0) offset = 1;
  uint64_t first = offset;
  if (from > offset) {
    const uint64_t distance = from - offset;
    const uint64_t steps = distance / increment + (distance % increment != 0 ? 1 : 0);
    if (steps > (maximum - std::min(maximum, offset)) / increment) return kExhausted;
    first = offset + steps * increment;
  }
  return first > maximum ? kExhausted : first;
}

}  // namespace

uint64_t TableCounters::ReserveAutoIncrement(uint64_t offset, uint64_t increment, uint64_t count,
                                             uint64_t maximum) {
  if (increment == 0) increment = 1;
  uint64_t now = auto_increment();
  while (true) {
    const uint64_t first = FirstOfSequence(std::max<uint64_t>(now, 1), offset, increment, maximum);
    if (first == kExhausted) return kExhausted;
    const uint64_t room = (maximum - first) / increment;
    const uint64_t last = count - 1 > room ? maximum : first + (count - 1) * increment;
    const uint64_t after = AutoIncrementAfter(last);
    if (auto_increment_.compare_exchange_weak(now, after, std::memory_order_relaxed)) return first;
  }
}

}  // namespace basalt::engine
