// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace basalt::codec {

// A set of column numbers (positions in TableDescriptor::columns): what a statement reads or
// writes. One bit a column in 64-bit words, so that the border to the server can fill it from its
// own bitmap word by word. Reusing one object allocates only when a wider table comes along.
//
// Thread-safety: a plain value.
class ColumnSet {
 public:
  ColumnSet() = default;
  explicit ColumnSet(size_t columns) { Reset(columns); }

  // The empty set over `columns` columns.
  void Reset(size_t columns) { words_.assign((columns + 63) / 64, 0); }

  // The set of all of `columns` columns.
  static ColumnSet All(size_t columns) {
    ColumnSet all(columns);
    for (size_t column = 0; column < columns; ++column) all.Add(static_cast<uint32_t>(column));
    return all;
  }

  void Add(uint32_t column) { words_[column / 64] |= uint64_t{1} << (column % 64); }

  // False also for a column beyond the width the set was made for.
  bool Contains(uint32_t column) const {
    return column / 64 < words_.size() && (words_[column / 64] >> (column % 64) & 1) != 0;
  }

  // Column 64 * i + b is bit b of word i. Bits beyond the table's last column must be zero.
  const std::vector<uint64_t>& words() const { return words_; }
  std::vector<uint64_t>& words() { return words_; }

  bool operator==(const ColumnSet&) const = default;

 private:
  std::vector<uint64_t> words_;
};

}  // namespace basalt::codec
