// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/row_bounds.h"

namespace basalt::server {

bool RowBounds::Set(const TupleBound& low, const TupleBound& high) {
  low_ = low;
  high_ = high;
  if (compares_ || (low.key == nullptr && high.key == nullptr)) return false;
  return compares_ = true;
}

bool RowBounds::SetLookUp(const uchar* key, uint bytes, enum ha_rkey_function find,
                          SearchPrecision precision) {
  TupleBound bound;
  bool equal = false;
  switch (find) {
    case HA_READ_KEY_OR_NEXT:
      bound.highest = 1;
      break;
    case HA_READ_AFTER_KEY:
      bound.lowest = bound.highest = 1;
      break;
    case HA_READ_BEFORE_KEY:
      bound.lowest = bound.highest = -1;
      break;
    case HA_READ_KEY_OR_PREV:
    case HA_READ_PREFIX_LAST_OR_PREV:
      bound.lowest = -1;
      break;
    default:
      equal = true;
      break;
  }
  const bool compare =
      precision == SearchPrecision::kWidened || (equal && precision == SearchPrecision::kWhole);
  if (compare) bound.key = key;
  bound.bytes = bytes;
  return Set(bound, TupleBound());
}

bool RowBounds::SetRange(const key_range* start, SearchPrecision start_precision,
                         const key_range* end, SearchPrecision end_precision) {
  TupleBound low;
  TupleBound high;
  if (start != nullptr && start_precision == SearchPrecision::kWidened) {
    const bool above = start->flag == HA_READ_AFTER_KEY;
    low = TupleBound{start->key, start->length, above ? 1 : 0, 1};
  }
  if (end != nullptr && end_precision == SearchPrecision::kWidened) {
    const bool below = end->flag == HA_READ_BEFORE_KEY;
    high = TupleBound{end->key, end->length, -1, below ? -1 : 0};
  }
  return Set(low, high);
}

}  // namespace basalt::server
