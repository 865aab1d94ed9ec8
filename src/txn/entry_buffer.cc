// SPDX-License-Identifier: GPL-2.0-only
#include "txn/entry_buffer.h"

#include <algorithm>
#include <cstring>

#include "base/index_id.h"

namespace basalt::txn {
namespace {

uint64_t PrefixOf(Bytes key) {
  char first[sizeof(uint64_t)] = {};
  const Bytes rest = key.substr(std::min<size_t>(key.size(), kIndexNumberBytes));
  std::memcpy(first, rest.data(), std::min(rest.size(), sizeof(first)));
  uint64_t prefix;
  std::memcpy(&prefix, first, sizeof(prefix));
  return __builtin_bswap64(prefix);
}

}  // namespace

Bytes EntryBuffer::Reference::key() const {
  Lengths lengths{};
  std::memcpy(&lengths, content, sizeof(lengths));
  return Bytes(content + sizeof(lengths), lengths.key);
}

Bytes EntryBuffer::Reference::value() const {
  Lengths lengths{};
  std::memcpy(&lengths, content, sizeof(lengths));
  return Bytes(content + sizeof(lengths) + lengths.key, lengths.value);
}

char* EntryBuffer::Reserve(size_t bytes) {
  bytes_ += bytes;
  if (bytes > kChunkBytes) {
    large_chunks_.push_back(std::make_unique<char[]>(bytes));
    return large_chunks_.back().get();
  }
  if (chunks_used_ == 0 || bytes > room_) {
    if (chunks_used_ == chunks_.size()) chunks_.emplace_back(new char[kChunkBytes]);
    ++chunks_used_;
    room_ = kChunkBytes;
  }
  char* place = chunks_[chunks_used_ - 1].get() + (kChunkBytes - room_);
  room_ -= bytes;
  return place;
}

bool EntryBuffer::Less(const Reference& a, const Reference& b) const {
  if (a.prefix != b.prefix) return reverse_ ? b.prefix < a.prefix : a.prefix < b.prefix;
  return ComesBefore(a.key(), b.key(), reverse_);
}

void EntryBuffer::Add(Bytes key, Bytes value) {
  const Lengths lengths{static_cast<uint32_t>(key.size()), static_cast<uint32_t>(value.size())};
  char* place = Reserve(sizeof(lengths) + key.size() + value.size());
  std::memcpy(place, &lengths, sizeof(lengths));
  std::memcpy(place + sizeof(lengths), key.data(), key.size());
  std::memcpy(place + sizeof(lengths) + key.size(), value.data(), value.size());
  const Reference added{PrefixOf(key), place};
  if (in_order_ && !references_.empty()) in_order_ = Less(references_.back(), added);
  references_.push_back(added);
}

void EntryBuffer::Sort() {
  if (in_order_) return;
  std::sort(references_.begin(), references_.end(),
            [this](const Reference& a, const Reference& b) { return Less(a, b); });
}

bool EntryBuffer::Find(Bytes key, std::string* value) const {
  for (const Reference& entry : references_) {
    if (entry.key() != key) continue;
    value->assign(entry.value());
    return true;
  }
  return false;
}

void EntryBuffer::Clear() {
  references_.clear();
  large_chunks_.clear();
  chunks_used_ = 0;
  room_ = 0;
  bytes_ = 0;
  in_order_ = true;
}

void EntryBuffer::Release() {
  Clear();
  std::vector<Reference>().swap(references_);
  chunks_.clear();
}

}  // namespace basalt::txn
