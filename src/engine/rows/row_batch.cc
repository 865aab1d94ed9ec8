// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/row_batch.h"

namespace basalt::engine {

void RowBatch::Fetch(const std::vector<std::string>& primary_keys, size_t count) {
  if (count > capacity_) {
    values_ = std::make_unique<rocksdb::PinnableSlice[]>(count);
    capacity_ = count;
  }
  keys_.assign(primary_keys.begin(), primary_keys.begin() + static_cast<ptrdiff_t>(count));
  codes_.assign(count, Code::kOk);
  context_->transaction()->reads().MultiGet(context_->table().primary().family, count, keys_.data(),
                                            context_->view(), /*sorted=*/false, values_.get(),
                                            codes_.data());
  context_->ttl_clock().Observe(context_->transaction());
}

Status RowBatch::Take(size_t position, std::optional<size_t> from_index, uint8_t* record) {
  const Bytes key(keys_[position].data(), keys_[position].size());
  if (codes_[position] == Code::kNotFound) {
    return from_index ? context_->EntryWithoutRow(*from_index, key) : Status(Code::kNotFound);
  }
  // Reading it alone tells why it failed.
  if (codes_[position] != Code::kOk) return reader_->Read(key, record);
  reader_->SetKey(key);
  return reader_->Decode(values_[position].ToStringView(), record);
}

void RowBatch::Clear() {
  for (size_t i = 0; i < capacity_; ++i) values_[i].Reset();
}

}  // namespace basalt::engine
