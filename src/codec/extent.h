// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace basalt::codec {

// The smallest upright rectangle around a geometry, in the units of its coordinates. Its borders
// belong to it.
struct Extent {
  double x_min = 0;
  double y_min = 0;
  double x_max = 0;
  double y_max = 0;

  bool IsPoint() const { return x_min == x_max && y_min == y_max; }
  bool Intersects(const Extent& other) const {
    return x_min <= other.x_max && other.x_min <= x_max && y_min <= other.y_max &&
           other.y_min <= y_max;
  }
};

// Are all four coordinates finite, and is no minimum above its maximum?
bool IsProper(const Extent& extent);

// What a column of a GEOMETRY type has: four bytes of SRID, then well-known binary (WKB) of either
// byte order, collections nested.
enum class GeometryState : uint8_t {
  kProper,     // *extent is its rectangle, and is proper
  kEmpty,      // has no coordinate, as GEOMETRYCOLLECTION EMPTY
  kNotFinite,  // has an infinity, or what is not a number
  kMalformed,  // is no geometry
};

// Looks at each coordinate once. Any bytes may come; none outside of `geometry` is read, and
// collections in collections are followed to a bounded depth. Allocates nothing.
GeometryState ReadExtent(Bytes geometry, Extent* extent);

}  // namespace basalt::codec
