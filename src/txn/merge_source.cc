// SPDX-License-Identifier: GPL-2.0-only
#include "txn/merge_source.h"

#include <algorithm>
#include <utility>

#include "txn/entry_buffer.h"

namespace basalt::txn {

Merge::Merge(std::vector<std::unique_ptr<MergeSource>> sources, bool reverse)
    : reverse_(reverse), sources_(std::move(sources)) {
  for (const auto& source : sources_) {
    if (source->valid()) heap_.push_back(source.get());
  }
  std::make_heap(heap_.begin(), heap_.end(),
                 [this](const auto* a, const auto* b) { return Before(*b, *a); });
}

bool Merge::Before(const MergeSource& a, const MergeSource& b) const {
  return ComesBefore(a.key(), b.key(), reverse_);
}

void Merge::Next() {
  heap_.front()->Next();
  if (!heap_.front()->valid()) {
    if (!heap_.front()->status().ok()) return heap_.clear();
    heap_.front() = heap_.back();
    heap_.pop_back();
  }
  SiftDown();
}

// The source in front has moved: back to its place.
void Merge::SiftDown() {
  size_t hole = 0;
  while (true) {
    size_t child = 2 * hole + 1;
    if (child >= heap_.size()) return;
    if (child + 1 < heap_.size() && Before(*heap_[child + 1], *heap_[child])) ++child;
    if (!Before(*heap_[child], *heap_[hole])) return;
    std::swap(heap_[child], heap_[hole]);
    hole = child;
  }
}

Status Merge::status() const {
  for (const auto& source : sources_) BASALT_RETURN_IF_ERROR(source->status());
  return Status::Ok();
}

}  // namespace basalt::txn
