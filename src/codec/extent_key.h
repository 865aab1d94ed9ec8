// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "codec/extent.h"

namespace basalt::codec {

// The part of a key of a SPATIAL index: a cell of a grid, then the extent itself. The layout and
// why it finds everything are in docs/format/spatial.md.
//
// A grid has cells with sides of 2^exponent. A rectangle lies in the grid whose cells are larger
// than it, in the cell of its lower left corner: so it reaches into the next cells to the right and
// above at most. Points lie in grids of their own, which are as fine as their magnitude allows.

// The first bytes of the part. Grids sort points first, then from small to large cells.
using GridCode = uint16_t;
// What has no proper extent lies outside of all grids, and is a candidate of each search.
inline constexpr GridCode kNoGrid = 0;

// Which cells of a grid: each side from first to last, both included. Cells are numbered from
// 0; the one in the middle, 2^31, begins at the coordinate 0.
struct CellRange {
  uint32_t x_first = 0;
  uint32_t x_last = 0;
  uint32_t y_first = 0;
  uint32_t y_last = 0;

  bool Has(uint32_t x, uint32_t y) const {
    return x_first <= x && x <= x_last && y_first <= y && y <= y_last;
  }
};

// The grid of a proper extent.
GridCode GridOf(const Extent& extent);

// The cells of the grid in which extents may lie that touch `window`, a proper one.
CellRange CellsAround(const Extent& window, GridCode grid);

// Cells lie along a Z-order curve: the bits of both numbers in turns, those of y first.
uint64_t ZOrderOf(uint32_t x, uint32_t y);
void CellAt(uint64_t z_order, uint32_t* x, uint32_t* y);
// The first cell of the range behind `z_order` on the curve. `z_order` must not be in the range,
// and lie before the range's last cell.
uint64_t NextInRange(uint64_t z_order, const CellRange& range);

// Most bytes that a part has.
inline constexpr size_t kMaxExtentKeyBytes = 2 + 8 + 4 * 8;
// Bytes of the grid and the place on its curve.
inline constexpr size_t kCellKeyBytes = 2 + 8;

// Writes the part of a geometry, as a column has it; returns how many bytes.
size_t EncodeExtentKey(Bytes geometry, uint8_t* out);

// A part that was read.
struct ExtentKey {
  GridCode grid = kNoGrid;
  uint64_t z_order = 0;  // these two only with a grid
  Extent extent;
  size_t bytes = 0;  // of the part
};

// Bytes of the part that `key` begins with; 0 when it is cut short.
size_t ExtentKeyBytes(Bytes key);
// False when the part that `key` begins with is malformed.
[[nodiscard]] bool DecodeExtentKey(Bytes key, ExtentKey* part);

}  // namespace basalt::codec
