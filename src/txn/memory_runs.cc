// SPDX-License-Identifier: GPL-2.0-only
#include "txn/memory_runs.h"

#include <utility>

#include "txn/buffer_source.h"

namespace basalt::txn {

bool MemoryRuns::HasRoomFor(size_t bytes) const {
  return charge_ != nullptr && charge_->bytes() + bytes <= most_bytes_;
}

void MemoryRuns::Add(std::unique_ptr<EntryBuffer> run) {
  const size_t before = charged_;
  charged_ += run->bytes();
  charge_->Change(before, charged_);
  runs_.push_back(std::move(run));
}

void MemoryRuns::Read(const KeyRange& range,
                      std::vector<std::unique_ptr<MergeSource>>* sources) const {
  for (const auto& run : runs_) sources->push_back(std::make_unique<BufferSource>(*run, range));
}

bool MemoryRuns::Find(Bytes key, std::string* value) const {
  for (const auto& run : runs_) {
    if (run->Find(key, value)) return true;
  }
  return false;
}

void MemoryRuns::Release() {
  runs_.clear();
  if (charged_ != 0) charge_->Change(std::exchange(charged_, 0), 0);
}

}  // namespace basalt::txn
