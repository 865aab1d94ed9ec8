// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/word_numbers.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace basalt::engine {
namespace {

constexpr size_t kFewestSlots = 1024;

}  // namespace

uint32_t WordNumbers::NumberOf(Bytes word) {
  if (2 * size_t{size_} >= slots_.size()) Grow();
  const auto hash = static_cast<uint32_t>(XXH3_64bits(word.data(), word.size()));
  size_t at = hash & mask();
  while (slots_[at].bytes != 0) {
    const Slot& slot = slots_[at];
    if (slot.hash == hash && WordOf(slot) == word) return slot.number;
    at = (at + 1) & mask();
  }
  slots_[at] = {hash, size_, static_cast<uint32_t>(words_.size()),
                static_cast<uint32_t>(word.size())};
  words_ += word;
  return size_++;
}

void WordNumbers::Grow() {
  std::vector<Slot> old(std::max(kFewestSlots, 2 * slots_.size()));
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.bytes == 0) continue;
    size_t at = slot.hash & mask();
    while (slots_[at].bytes != 0) at = (at + 1) & mask();
    slots_[at] = slot;
  }
}

std::vector<WordNumbers::Word> WordNumbers::Sorted() const {
  std::vector<Word> sorted;
  sorted.reserve(size_);
  for (const Slot& slot : slots_) {
    if (slot.bytes != 0) sorted.push_back({WordOf(slot), slot.number});
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const Word& a, const Word& b) { return a.bytes < b.bytes; });
  return sorted;
}

void WordNumbers::Clear() {
  words_.clear();
  std::fill(slots_.begin(), slots_.end(), Slot());
  size_ = 0;
}

}  // namespace basalt::engine
