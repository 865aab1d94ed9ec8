// SPDX-License-Identifier: GPL-2.0-only
#include "codec/extent_key.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace basalt::codec {

namespace {

constexpr GridCode kBoxes = 0x8000;  // set in the code of a grid of rectangles
constexpr int kCodeOffset = 2000;    // exponents of grids lie from -1104 to 1026

// A coordinate has to fit into 31 bits of cells on each side of 0.
constexpr int kCellBits = 31;
// Grids of points have every eighth exponent: those of one order of magnitude, 24 to 31 bits of
// which tell points apart, share a grid. Grids of rectangles have every second, so that a cell has
// one to four times the sides of what is in it.
constexpr int kPointStep = 8;
constexpr int kBoxStep = 2;
// Where (0, 0) lies: with the coordinates from 1 to 255.
constexpr int kGridOfOrigin = -24;

int RoundUp(int exponent, int step) {
  const int below = exponent % step;
  if (below == 0) return exponent;
  return exponent - below + (below > 0 ? step : 0);
}

// The finest exponent whose cells of 31 bits reach both coordinates, which are not both 0.
int FinestExponent(double x, double y) {
  return std::ilogb(std::max(std::fabs(x), std::fabs(y))) + 1 - kCellBits;
}

int ExponentOf(GridCode grid) { return (grid & ~kBoxes) - kCodeOffset; }

GridCode CodeOf(int exponent, GridCode kind) {
  return static_cast<GridCode>((exponent + kCodeOffset) | kind);
}

// Never decreases from a coordinate to a larger one: all that searches rely on. Tiny coordinates
// in huge cells may be rounded to 0, also from below.
int64_t CellNumber(double coordinate, int exponent) {
  constexpr double kEnd = 1LL << kCellBits;
  const double cell = std::floor(std::ldexp(coordinate, -exponent));
  return static_cast<int64_t>(std::clamp(cell, -kEnd, kEnd - 1));
}

uint32_t FromMiddle(int64_t cell) {
  constexpr int64_t kMiddle = 1LL << kCellBits;
  return static_cast<uint32_t>(std::clamp(cell + kMiddle, int64_t{0}, 2 * kMiddle - 1));
}

// Each bit to twice its place.
uint64_t Spread(uint32_t number) {
  uint64_t bits = number;
  bits = (bits | bits << 16) & 0x0000ffff0000ffff;
  bits = (bits | bits << 8) & 0x00ff00ff00ff00ff;
  bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0f;
  bits = (bits | bits << 2) & 0x3333333333333333;
  return (bits | bits << 1) & 0x5555555555555555;
}

uint32_t Gather(uint64_t bits) {
  bits &= 0x5555555555555555;
  bits = (bits | bits >> 1) & 0x3333333333333333;
  bits = (bits | bits >> 2) & 0x0f0f0f0f0f0f0f0f;
  bits = (bits | bits >> 4) & 0x00ff00ff00ff00ff;
  bits = (bits | bits >> 8) & 0x0000ffff0000ffff;
  return static_cast<uint32_t>(bits | bits >> 16);
}

// The bits below `bit` that belong to the same coordinate.
uint64_t LowerBits(unsigned bit) { return ((uint64_t{1} << bit) - 1) & Spread(~0u) << (bit & 1); }

uint8_t* StoreCoordinate(double coordinate, uint8_t* out) {
  uint64_t bits;
  std::memcpy(&bits, &coordinate, sizeof(bits));
  StoreBigEndian64(out, bits);
  return out + sizeof(bits);
}

double LoadCoordinate(const char* from) {
  const uint64_t bits = LoadBigEndian64(from);
  double coordinate;
  std::memcpy(&coordinate, &bits, sizeof(coordinate));
  return coordinate;
}

}  // namespace

GridCode GridOf(const Extent& extent) {
  const double x = std::max(std::fabs(extent.x_min), std::fabs(extent.x_max));
  const double y = std::max(std::fabs(extent.y_min), std::fabs(extent.y_max));
  if (extent.IsPoint()) {
    const bool origin = x == 0 && y == 0;
    const int finest = origin ? kGridOfOrigin : FinestExponent(x, y);
    return CodeOf(RoundUp(finest, kPointStep), 0);
  }
  // A difference beyond the largest number is infinite, and belongs into the coarsest grid.
  constexpr int kCoarsest = 1025;
  const double side = std::max(extent.x_max - extent.x_min, extent.y_max - extent.y_min);
  const int larger = std::isfinite(side) ? std::ilogb(side) + 1 : kCoarsest;
  return CodeOf(RoundUp(std::max(larger, FinestExponent(x, y)), kBoxStep), kBoxes);
}

CellRange CellsAround(const Extent& window, GridCode grid) {
  const int exponent = ExponentOf(grid);
  // A rectangle is smaller than a cell, so its corner is in the cell before at most.
  const int reach = (grid & kBoxes) != 0 ? 1 : 0;
  CellRange cells;
  cells.x_first = FromMiddle(CellNumber(window.x_min, exponent) - reach);
  cells.y_first = FromMiddle(CellNumber(window.y_min, exponent) - reach);
  cells.x_last = FromMiddle(CellNumber(window.x_max, exponent));
  cells.y_last = FromMiddle(CellNumber(window.y_max, exponent));
  return cells;
}

uint64_t ZOrderOf(uint32_t x, uint32_t y) { return Spread(x) | Spread(y) << 1; }

void CellAt(uint64_t z_order, uint32_t* x, uint32_t* y) {
  *x = Gather(z_order);
  *y = Gather(z_order >> 1);
}

// The search of Tropf and Herzog (1981): goes from the highest bit down and halves the range by
// it. `found` is the first cell of the upper half that was left last, which comes next on the curve
// when the lower half has nothing behind z_order.
uint64_t NextInRange(uint64_t z_order, const CellRange& range) {
  uint64_t low = ZOrderOf(range.x_first, range.y_first);
  uint64_t high = ZOrderOf(range.x_last, range.y_last);
  uint64_t found = low;
  for (unsigned bit = 64; bit-- > 0;) {
    const uint64_t mask = uint64_t{1} << bit;
    const bool here = (z_order & mask) != 0;
    const bool in_low = (low & mask) != 0;
    const bool in_high = (high & mask) != 0;
    if (in_low == in_high) {
      if (here == in_low) continue;
      return here ? found : low;
    }
    if (here) {
      low = (low | mask) & ~LowerBits(bit);
    } else {
      found = (low | mask) & ~LowerBits(bit);
      high = (high & ~mask) | LowerBits(bit);
    }
  }
  return found;
}

size_t EncodeExtentKey(Bytes geometry, uint8_t* out) {
  Extent extent;
  if (ReadExtent(geometry, &extent) != GeometryState::kProper) {
    StoreBigEndian16(out, kNoGrid);
    return sizeof(GridCode);
  }
  const GridCode grid = GridOf(extent);
  const int exponent = ExponentOf(grid);
  StoreBigEndian16(out, grid);
  StoreBigEndian64(out + sizeof(grid), ZOrderOf(FromMiddle(CellNumber(extent.x_min, exponent)),
                                                FromMiddle(CellNumber(extent.y_min, exponent))));
  uint8_t* at = StoreCoordinate(extent.x_min, out + kCellKeyBytes);
  at = StoreCoordinate(extent.y_min, at);
  if ((grid & kBoxes) != 0) {
    at = StoreCoordinate(extent.x_max, at);
    at = StoreCoordinate(extent.y_max, at);
  }
  return static_cast<size_t>(at - out);
}

size_t ExtentKeyBytes(Bytes key) {
  if (key.size() < sizeof(GridCode)) return 0;
  const GridCode grid = LoadBigEndian16(key.data());
  size_t bytes = sizeof(GridCode);
  if (grid != kNoGrid) bytes = (grid & kBoxes) != 0 ? kMaxExtentKeyBytes : kCellKeyBytes + 16;
  return key.size() < bytes ? 0 : bytes;
}

bool DecodeExtentKey(Bytes key, ExtentKey* part) {
  part->bytes = ExtentKeyBytes(key);
  if (part->bytes == 0) return false;
  part->grid = LoadBigEndian16(key.data());
  if (part->grid == kNoGrid) return true;
  part->z_order = LoadBigEndian64(key.data() + sizeof(GridCode));
  const char* at = key.data() + kCellKeyBytes;
  Extent& extent = part->extent;
  extent.x_min = extent.x_max = LoadCoordinate(at);
  extent.y_min = extent.y_max = LoadCoordinate(at + 8);
  if ((part->grid & kBoxes) != 0) {
    extent.x_max = LoadCoordinate(at + 16);
    extent.y_max = LoadCoordinate(at + 24);
  }
  return IsProper(extent);
}

}  // namespace basalt::codec
