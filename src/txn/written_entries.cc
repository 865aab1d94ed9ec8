// SPDX-License-Identifier: GPL-2.0-only
#include "txn/written_entries.h"

#include "store/format/index_bounds.h"
#include "txn/entry_buffer.h"

namespace basalt::txn {
namespace {

// No key of an index is above this many 0xff bytes: index numbers do not reach 0xffffffff.
constexpr size_t kHighestKeyBytes = 8;

// Where a walk begins: in front of all keys of the index, or of all indexes, in the order.
std::string Beginning(IndexId index, bool forward) {
  if (index.number == 0) return std::string(forward ? 0 : kHighestKeyBytes, '\xff');
  const store::IndexBounds bounds(index, !forward);
  return std::string(forward ? bounds.first() : bounds.past_end());
}

}  // namespace

WrittenEntries::WrittenEntries(WriteSet* writes, rocksdb::ColumnFamilyHandle* family, bool reverse,
                               IndexId index, Order order)
    : forward_(reverse == (order == Order::kFromItsEnd)) {
  MakeOverlaySources(writes, family, reverse, index, &sources_);
  const std::string beginning = Beginning(index, forward_);
  for (const auto& source : sources_) source->Seek(beginning, forward_);
  Choose();
}

// The source with the next key, the newest among equals.
void WrittenEntries::Choose() {
  present_ = nullptr;
  for (const auto& source : sources_) {
    if (!source->Valid()) continue;
    if (present_ == nullptr || ComesBefore(source->key(), present_->key(), !forward_)) {
      present_ = source.get();
    }
  }
}

void WrittenEntries::Next() {
  passed_.assign(present_->key());
  for (const auto& source : sources_) {
    if (source->Valid() && source->key() == passed_) source->Move(forward_);
  }
  Choose();
}

Status WrittenEntries::status() const {
  for (const auto& source : sources_) BASALT_RETURN_IF_ERROR(source->status());
  return Status::Ok();
}

}  // namespace basalt::txn
