// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>

#include "txn/entry_buffer.h"
#include "txn/merge_source.h"

namespace basalt::txn {

// The entries of a sorted buffer, or a range of them, as a source of a merge: key() and value()
// point into the buffer. It is borrowed, and nothing may be added to it meanwhile. Cannot fail:
// status() is always Ok.
//
// One thread at a time; several sources may read one buffer at once.
class BufferSource final : public MergeSource {
 public:
  // Stands on the first entry; valid() is false when there is none.
  BufferSource(const EntryBuffer& buffer, const KeyRange& range)
      : buffer_(buffer),
        end_(range.end.empty() ? buffer.count() : buffer.PositionOf(range.end)),
        position_(range.begin.empty() ? 0 : buffer.PositionOf(range.begin)) {
    Show();
  }
  void Next() override {
    ++position_;
    Show();
  }

 private:
  void Show() {
    valid_ = position_ < end_;
    if (!valid_) return;
    key_ = buffer_.key(position_);
    value_ = buffer_.value(position_);
    buffer_.Prefetch(position_ + 1);
  }

  const EntryBuffer& buffer_;
  const size_t end_;
  size_t position_;
};

}  // namespace basalt::txn
