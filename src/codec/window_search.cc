// SPDX-License-Identifier: GPL-2.0-only
#include "codec/window_search.h"

#include <cstring>

#include "base/index_id.h"

namespace basalt::codec {

namespace {

constexpr GridCode kLastGrid = 0xffff;

bool IsWithin(const Extent& inner, const Extent& outer) {
  return outer.x_min <= inner.x_min && inner.x_max <= outer.x_max && outer.y_min <= inner.y_min &&
         inner.y_max <= outer.y_max;
}

}  // namespace

void WindowSearch::Begin(uint32_t index_number, const Extent& window, Condition condition) {
  window_ = window;
  condition_ = IsProper(window) ? condition : Condition::kAny;
  grid_ = kNoGrid;
  const double corners[] = {window.x_min, window.y_min, window.x_max, window.y_max};
  std::memcpy(identity_, corners, sizeof(corners));
  identity_[sizeof(corners)] = static_cast<uint8_t>(condition_);
  StoreBigEndian32(target_, index_number);
  target_bytes_ = kIndexNumberBytes;
}

bool WindowSearch::Matches(const ExtentKey& part) const {
  if (part.grid == kNoGrid) return true;
  switch (condition_) {
    case Condition::kTouches:
      return part.extent.Intersects(window_);
    case Condition::kIsWithin:
      return IsWithin(part.extent, window_);
    case Condition::kHasWithin:
      return IsWithin(window_, part.extent);
    case Condition::kEquals:
      return IsWithin(part.extent, window_) && IsWithin(window_, part.extent);
    case Condition::kAny:
      break;
  }
  return true;
}

CellRange WindowSearch::CellsOf(GridCode grid) const {
  CellRange cells = CellsAround(window_, grid);
  if (condition_ == Condition::kIsWithin || condition_ == Condition::kEquals) {
    // Their corners lie in the window, too.
    const CellRange inside =
        CellsAround({window_.x_min, window_.y_min, window_.x_min, window_.y_min}, grid);
    cells.x_first = inside.x_last;
    cells.y_first = inside.y_last;
  }
  return cells;
}

void WindowSearch::BeginGrid(GridCode grid) {
  grid_ = grid;
  cells_ = CellsOf(grid);
  last_ = ZOrderOf(cells_.x_last, cells_.y_last);
}

WindowSearch::Verdict WindowSearch::SeekCell(uint64_t z_order) {
  StoreBigEndian16(target_ + kIndexNumberBytes, grid_);
  StoreBigEndian64(target_ + kIndexNumberBytes + sizeof(GridCode), z_order);
  target_bytes_ = kMaxTargetBytes;
  return Verdict::kSeek;
}

WindowSearch::Verdict WindowSearch::SeekNextGrid() {
  if (grid_ == kLastGrid) return Verdict::kEnd;
  StoreBigEndian16(target_ + kIndexNumberBytes, static_cast<GridCode>(grid_ + 1));
  target_bytes_ = kIndexNumberBytes + sizeof(GridCode);
  return Verdict::kSeek;
}

WindowSearch::Verdict WindowSearch::Check(Bytes key) {
  ExtentKey part;
  if (key.size() < kIndexNumberBytes || !DecodeExtentKey(key.substr(kIndexNumberBytes), &part)) {
    return Verdict::kMalformed;
  }
  if (part.grid == kNoGrid || condition_ == Condition::kAny) return Verdict::kFound;
  if (part.grid != grid_) BeginGrid(part.grid);
  if (part.z_order > last_) return SeekNextGrid();
  uint32_t x;
  uint32_t y;
  CellAt(part.z_order, &x, &y);
  if (!cells_.Has(x, y)) return SeekCell(NextInRange(part.z_order, cells_));
  return Matches(part) ? Verdict::kFound : Verdict::kPassOver;
}

}  // namespace basalt::codec
