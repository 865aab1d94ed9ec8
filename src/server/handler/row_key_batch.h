// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace basalt::server {

// Keys of rows that will be read at once, see RowAccess::FetchRows, and then be returned one by
// one. There are few at first, because a LIMIT may end the read early; then more and more.
//
// One thread. Keeps the memory of keys for the next batch.
class RowKeyBatch {
 public:
  // A read begins: empty, and small.
  void Begin() {
    limit_ = kFirst;
    count_ = next_ = 0;
  }
  // The next batch of the read: empty, and larger than the one before it.
  void Clear() {
    if (count_ != 0) limit_ = std::min(limit_ * 2, kLargest);
    count_ = next_ = 0;
  }

  void Add(Bytes row_key) {
    if (count_ == keys_.size()) keys_.emplace_back();
    keys_[count_++].assign(row_key);
  }
  bool full() const { return count_ >= limit_; }
  size_t count() const { return count_; }
  // The first count() are this batch's.
  const std::vector<std::string>& keys() const { return keys_; }

  // Is there one that Next has not returned?
  bool has_next() const { return next_ < count_; }
  // Its position.
  size_t Next() { return next_++; }

 private:
  static constexpr size_t kFirst = 16;
  static constexpr size_t kLargest = 256;

  std::vector<std::string> keys_;
  size_t count_ = 0;
  size_t next_ = 0;
  size_t limit_ = kFirst;
};

}  // namespace basalt::server
