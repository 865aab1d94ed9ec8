// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>

#include "txn/entry_buffer.h"
#include "txn/merge_source.h"

namespace basalt::txn {

// The entries of a sorted buffer as a source of a merge: key() and value() point into the buffer.
// It is borrowed, and nothing may be added to it meanwhile. Cannot fail: status() is always Ok.
//
// One thread at a time; several sources may read one buffer at once.
class BufferSource final : public MergeSource {
 public:
  // Stands on the first entry; valid() is false for an empty buffer.
  explicit BufferSource(const EntryBuffer& buffer) : buffer_(buffer) { Show(); }
  void Next() override {
    ++position_;
    Show();
  }

 private:
  void Show() {
    valid_ = position_ < buffer_.count();
    if (!valid_) return;
    key_ = buffer_.key(position_);
    value_ = buffer_.value(position_);
    buffer_.Prefetch(position_ + 1);
  }

  const EntryBuffer& buffer_;
  size_t position_ = 0;
};

}  // namespace basalt::txn
