// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/absent_range.h"

#include <algorithm>

namespace basalt::engine {

void AbsentRange::Forget() {
  known_ = false;
  ascends_ = false;
  low_.clear();
  rows_ = 0;
  wait_ = kShortestWait;
}

bool AbsentRange::Ascends(Bytes key, const txn::WriteSet& own) const {
  return !low_.empty() && own.operations() == operations_ && own.generation() == generation_ &&
         key > low_;
}

void AbsentRange::ForgetAbsent() {
  if (!known_) return;
  known_ = false;
  rows_ = 0;
  wait_ = spared_ < kWorthwhile ? std::min(4 * wait_, kLongestWait) : kShortestWait;
}

AbsentRange::Answer AbsentRange::Ask(Bytes key, const txn::ViewStamp& latest,
                                     const txn::WriteSet& own) {
  ascends_ = Ascends(key, own);
  if (!ascends_ || latest != stamp_ || (!high_.empty() && key >= high_)) ForgetAbsent();
  if (known_) {
    ++spared_;
    return Answer::kFree;
  }
  return ascends_ && rows_ >= wait_ ? Answer::kSearch : Answer::kLook;
}

void AbsentRange::NoteAbsent(const txn::ViewStamp& stamp, Bytes next) {
  known_ = true;
  stamp_ = stamp;
  high_.assign(next);
  spared_ = 0;
}

void AbsentRange::NoteAdded(Bytes key, const txn::WriteSet& own) {
  rows_ = ascends_ ? rows_ + 1 : 1;
  low_.assign(key);
  operations_ = own.operations();
  generation_ = own.generation();
}

}  // namespace basalt::engine
