// SPDX-License-Identifier: GPL-2.0-only
#include "txn/entry_buffer.h"

#include <algorithm>
#include <cstring>

#include "base/eight_bytes.h"
#include "base/index_id.h"

namespace basalt::txn {
namespace {

constexpr size_t kPrefixBytes = sizeof(uint64_t);

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
  const Reference added{EightBytesAt(kIndexNumberBytes, key), place};
  if (in_order_ && !references_.empty()) in_order_ = Less(references_.back(), added);
  references_.push_back(added);
}

void EntryBuffer::Sort() {
  if (in_order_ || sorted_) return;
  SortFrom(kIndexNumberBytes, references_.data(), references_.data() + references_.size());
  sorted_ = true;
}

// Sorts entries that agree up to `depth`, and have their prefixes from there. Keys themselves lie
// all over memory: each is looked at once for the next eight bytes, not in each comparison. Entries
// of a FULLTEXT index agree in dozens of bytes.
void EntryBuffer::SortFrom(size_t depth, Reference* begin, Reference* end) {
  std::sort(begin, end, [this](const Reference& a, const Reference& b) {
    return reverse_ ? b.prefix < a.prefix : a.prefix < b.prefix;
  });
  for (Reference* first = begin; first != end;) {
    Reference* last = first + 1;
    while (last != end && last->prefix == first->prefix) ++last;
    if (last - first > 1) SortAlike(depth, first, last);
    first = last;
  }
}

// Sorts entries that also agree in the prefix from `depth` on. Zeros may stand behind a key's end,
// so there keys are compared whole, as few ones are.
void EntryBuffer::SortAlike(size_t depth, Reference* begin, Reference* end) {
  constexpr ptrdiff_t kFew = 8;
  constexpr ptrdiff_t kAhead = 8;
  if (begin->prefix == 0 || end - begin <= kFew) {
    std::sort(begin, end, [this](const Reference& a, const Reference& b) {
      return ComesBefore(a.key(), b.key(), reverse_);
    });
    return;
  }
  depth += kPrefixBytes;
  for (Reference* entry = begin; entry != end; ++entry) {
    if (end - entry > kAhead) __builtin_prefetch(entry[kAhead].content);
    entry->prefix = EightBytesAt(depth, entry->key());
  }
  SortFrom(depth, begin, end);
}

size_t EntryBuffer::PositionOf(Bytes key) const {
  const auto found = std::lower_bound(references_.begin(), references_.end(), key,
                                      [this](const Reference& entry, Bytes wanted) {
                                        return ComesBefore(entry.key(), wanted, reverse_);
                                      });
  return static_cast<size_t>(found - references_.begin());
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
  sorted_ = false;
}

void EntryBuffer::Release() {
  Clear();
  std::vector<Reference>().swap(references_);
  chunks_.clear();
}

}  // namespace basalt::txn
