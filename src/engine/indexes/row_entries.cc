// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/row_entries.h"

#include "engine/indexes/entry_content.h"

namespace basalt::engine {

RowEntries::RowEntries(const Table& table)
    : table_(table), entry_(table), encoders_(table.index_count()) {
  for (size_t i = 0; i < encoders_.size(); ++i) {
    const codec::KeyCodec* codec = table.index(i).codec.get();
    if (!IsFullText(*codec)) continue;
    encoders_[i] = std::make_unique<codec::PostingEncoder>(table.descriptor(), i, codec);
  }
}

// Time stamps have no part in what a row must have.
Status RowEntries::Encode(size_t index, const RowImage& row) {
  codec_ = table_.index(index).codec.get();
  words_ = encoders_[index].get();
  if (words_ != nullptr) return encoders_[index]->Encode(row.record(), row.hidden_id(), 0);
  entry_.Encode(*codec_, row);
  return Status::Ok();
}

Bytes RowEntries::content(size_t i) const {
  return words_ == nullptr ? UnpackThatCounts(*codec_, entry_.unpack()) : words_->value(i);
}

size_t RowEntries::Find(Bytes key) const {
  size_t first = 0;
  size_t end = size();
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (this->key(middle) < key) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first < size() && this->key(first) == key ? first : size();
}

}  // namespace basalt::engine
