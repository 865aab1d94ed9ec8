// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "codec/extent.h"
#include "codec/extent_key.h"

namespace basalt::codec {

// Finds the entries of a SPATIAL index whose extents have to do with a window: tells where to look,
// and checks the entries that a cursor comes to from there. It finds each geometry for which the
// condition may hold, each once, in the order of the index, and few others. What has no proper
// extent it always finds.
//
//   search.Begin(index_number, window, condition);
//   seek to search.target();
//   for each entry: search.Check(key), and then step on, or seek to the new target().
//
// One thread. Allocates nothing.
class WindowSearch {
 public:
  // What is searched for: extents that ...
  enum class Condition : uint8_t {
    kTouches,    // have a point in common with the window
    kIsWithin,   // lie within the window
    kHasWithin,  // have the window within them
    kEquals,     // are the window
    kAny,        // all entries
  };

  enum class Verdict : uint8_t {
    kFound,
    kPassOver,   // the next entry may be one
    kSeek,       // no entry before target() is one
    kEnd,        // nor any behind this one
    kMalformed,  // no entry of a SPATIAL index
  };

  // A window that is not proper, as that of an empty geometry, has each entry for a candidate: what
  // a condition says about it is the caller's affair.
  void Begin(uint32_t index_number, const Extent& window, Condition condition);

  // The first key that may be one. Valid until the next call.
  Bytes target() const { return MakeBytes(target_, target_bytes_); }

  // Looks at the first key >= target() or the one after the last that was looked at. It must begin
  // with the index number.
  Verdict Check(Bytes key);

  // Bytes that tell searches of one index apart. As long as the object is not changed.
  Bytes identity() const { return MakeBytes(identity_, sizeof(identity_)); }
  // Is each entry a candidate? Whatever was asked for, when the window was not proper.
  bool wants_all() const { return condition_ == Condition::kAny; }
  // About the part itself: is it a candidate?
  bool Matches(const ExtentKey& part) const;
  // The cells in which candidates of a grid may lie. Not for kAny.
  CellRange CellsOf(GridCode grid) const;

 private:
  void BeginGrid(GridCode grid);
  Verdict SeekCell(uint64_t z_order);
  Verdict SeekNextGrid();

  static constexpr size_t kMaxTargetBytes = 4 + kCellKeyBytes;
  static constexpr size_t kIdentityBytes = 4 * sizeof(double) + 1;

  Extent window_;
  Condition condition_ = Condition::kAny;
  GridCode grid_ = kNoGrid;  // of which cells_ are
  CellRange cells_;
  uint64_t last_ = 0;  // of cells_ on the curve
  uint8_t target_[kMaxTargetBytes] = {};
  size_t target_bytes_ = 0;
  uint8_t identity_[kIdentityBytes] = {};
};

}  // namespace basalt::codec
