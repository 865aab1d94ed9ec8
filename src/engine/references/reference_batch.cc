// SPDX-License-Identifier: GPL-2.0-only
#include "engine/references/reference_batch.h"

#include <algorithm>
#include <utility>

namespace basalt::engine {

ReferenceCheck::Match ReferenceBatch::Add(const uint8_t* record) {
  Bytes value;
  const ReferenceCheck::Match match = check_->Encode(record, &value);
  if (match != ReferenceCheck::Match::kFound) return match;
  if (!places_.empty() && ValueAt(places_.back()) == value) return match;
  places_.push_back({static_cast<uint32_t>(values_.size()), static_cast<uint32_t>(value.size())});
  values_.append(value);
  return match;
}

void ReferenceBatch::Sort() {
  std::sort(places_.begin(), places_.end(),
            [this](const Place& one, const Place& other) { return ValueAt(one) < ValueAt(other); });
  const auto end = std::unique(
      places_.begin(), places_.end(),
      [this](const Place& one, const Place& other) { return ValueAt(one) == ValueAt(other); });
  places_.erase(end, places_.end());
}

Status ReferenceBatch::Check(bool* missing) {
  *missing = false;
  Sort();
  Status status;
  for (const Place& place : places_) {
    bool found = false;
    status = check_->FindEncoded(ValueAt(place), &found);
    *missing = status.ok() && !found;
    if (!status.ok() || *missing) break;
  }
  Clear();
  return status;
}

void ReferenceBatch::Clear() {
  values_.clear();
  places_.clear();
}

}  // namespace basalt::engine
