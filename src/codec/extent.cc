// SPDX-License-Identifier: GPL-2.0-only
#include "codec/extent.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace basalt::codec {

namespace {

// Types of WKB. A multi-geometry or collection is a count and whole geometries.
constexpr uint32_t kPoint = 1;
constexpr uint32_t kLineString = 2;
constexpr uint32_t kPolygon = 3;
constexpr uint32_t kMultiPoint = 4;
constexpr uint32_t kGeometryCollection = 7;

constexpr size_t kSridBytes = 4;
constexpr uint8_t kLittleEndian = 1;
// The server nests collections as deep as its own parser goes; a row has room for more.
constexpr unsigned kMostNested = 1000;

class WkbReader {
 public:
  explicit WkbReader(Bytes wkb) : rest_(wkb) {}

  // False when malformed.
  [[nodiscard]] bool ReadGeometry(unsigned depth) {
    uint8_t order;
    uint32_t type;
    if (depth > kMostNested || rest_.empty()) return false;
    order = *Unsigned(rest_);
    rest_.remove_prefix(1);
    if (order > kLittleEndian) return false;
    swapped_ = order != kLittleEndian;
    if (!ReadNumber(&type)) return false;
    switch (type) {
      case kPoint:
        return ReadPoints(1);
      case kLineString:
        return ReadRing();
      case kPolygon:
        return ReadRings();
      default:
        if (type < kMultiPoint || type > kGeometryCollection) return false;
        return ReadMembers(depth);
    }
  }

  bool any() const { return any_; }
  bool finite() const { return finite_; }
  const Extent& extent() const { return extent_; }

 private:
  [[nodiscard]] bool ReadNumber(uint32_t* number) {
    if (rest_.size() < sizeof(*number)) return false;
    std::memcpy(number, rest_.data(), sizeof(*number));
    if (swapped_) *number = __builtin_bswap32(*number);
    rest_.remove_prefix(sizeof(*number));
    return true;
  }

  double CoordinateAt(const char* from) const {
    uint64_t bits;
    std::memcpy(&bits, from, sizeof(bits));
    if (swapped_) bits = __builtin_bswap64(bits);
    double coordinate;
    std::memcpy(&coordinate, &bits, sizeof(coordinate));
    return coordinate;
  }

  void Add(double x, double y) {
    any_ = true;
    finite_ = finite_ && std::isfinite(x) && std::isfinite(y);
    extent_.x_min = std::min(extent_.x_min, x);
    extent_.x_max = std::max(extent_.x_max, x);
    extent_.y_min = std::min(extent_.y_min, y);
    extent_.y_max = std::max(extent_.y_max, y);
  }

  [[nodiscard]] bool ReadPoints(uint32_t count) {
    constexpr size_t kPointBytes = 2 * sizeof(double);
    if (rest_.size() / kPointBytes < count) return false;
    for (uint32_t i = 0; i < count; ++i) {
      const char* at = rest_.data() + i * kPointBytes;
      Add(CoordinateAt(at), CoordinateAt(at + sizeof(double)));
    }
    rest_.remove_prefix(count * kPointBytes);
    return true;
  }

  [[nodiscard]] bool ReadRing() {
    uint32_t points;
    return ReadNumber(&points) && ReadPoints(points);
  }

  // Each ring has a count at least, so a count that lies ends with the bytes.
  [[nodiscard]] bool ReadRings() {
    uint32_t rings;
    if (!ReadNumber(&rings)) return false;
    for (uint32_t i = 0; i < rings; ++i) {
      if (!ReadRing()) return false;
    }
    return true;
  }

  [[nodiscard]] bool ReadMembers(unsigned depth) {
    uint32_t members;
    if (!ReadNumber(&members)) return false;
    for (uint32_t i = 0; i < members; ++i) {
      if (!ReadGeometry(depth + 1)) return false;
    }
    return true;
  }

  Bytes rest_;
  bool swapped_ = false;  // this geometry is big-endian
  bool any_ = false;
  bool finite_ = true;
  Extent extent_{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
                 -std::numeric_limits<double>::infinity(),
                 -std::numeric_limits<double>::infinity()};
};

}  // namespace

bool IsProper(const Extent& extent) {
  return std::isfinite(extent.x_min) && std::isfinite(extent.y_min) &&
         std::isfinite(extent.x_max) && std::isfinite(extent.y_max) &&
         extent.x_min <= extent.x_max && extent.y_min <= extent.y_max;
}

GeometryState ReadExtent(Bytes geometry, Extent* extent) {
  if (geometry.size() < kSridBytes) return GeometryState::kMalformed;
  WkbReader reader(geometry.substr(kSridBytes));
  if (!reader.ReadGeometry(0)) return GeometryState::kMalformed;
  if (!reader.finite()) return GeometryState::kNotFinite;
  if (!reader.any()) return GeometryState::kEmpty;
  *extent = reader.extent();
  return GeometryState::kProper;
}

}  // namespace basalt::codec
