// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/window_key.h"

namespace basalt::server {

namespace {

using Condition = codec::WindowSearch::Condition;

// The server names the conditions from the window's side.
Condition ConditionOf(enum ha_rkey_function find) {
  switch (find) {
    case HA_READ_MBR_INTERSECT:
      return Condition::kTouches;
    case HA_READ_MBR_CONTAIN:
      return Condition::kIsWithin;
    case HA_READ_MBR_WITHIN:
      return Condition::kHasWithin;
    case HA_READ_MBR_EQUAL:
      return Condition::kEquals;
    default:
      return Condition::kAny;  // HA_READ_MBR_DISJOINT: nearly all
  }
}

double CoordinateAt(const uchar* from) {
  double coordinate;
  float8get(coordinate, from);
  return coordinate;
}

}  // namespace

bool IsWindowSearch(enum ha_rkey_function find) {
  switch (find) {
    case HA_READ_MBR_CONTAIN:
    case HA_READ_MBR_INTERSECT:
    case HA_READ_MBR_WITHIN:
    case HA_READ_MBR_DISJOINT:
    case HA_READ_MBR_EQUAL:
      return true;
    default:
      return false;
  }
}

void BeginWindow(const codec::KeyCodec& codec, const uchar* key, enum ha_rkey_function find,
                 codec::WindowSearch* search) {
  constexpr size_t kBytes = sizeof(double);
  codec::Extent window;
  window.x_min = CoordinateAt(key);
  window.x_max = CoordinateAt(key + kBytes);
  window.y_min = CoordinateAt(key + 2 * kBytes);
  window.y_max = CoordinateAt(key + 3 * kBytes);
  search->Begin(codec.index_number(), window, ConditionOf(find));
}

}  // namespace basalt::server
