// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace basalt::engine {

// Numbers the words that a build of a FULLTEXT index meets: 0, 1, 2, in the order in which they
// come. Words are not empty, and have together fewer than 2^32 bytes.
//
// A hash table with open addressing, and no std::unordered_map: a build looks for each word of each
// row, and waits for memory most of that time. Here a look-up goes to a slot and a word. It goes to
// two nodes of a list besides with the map, which took a sixth of a build.
//
// One thread.
class WordNumbers {
 public:
  struct Word {
    Bytes bytes;
    uint32_t number;
  };

  // That of the word: its own, or for a new word the next one. The bytes are copied.
  uint32_t NumberOf(Bytes word);
  uint32_t size() const { return size_; }
  // Memory that the words take, in bytes: of slots they may have up to four each.
  size_t bytes() const { return words_.size() + size_t{4} * size_ * sizeof(Slot); }
  // All words in ascending order. Valid until the next NumberOf or Clear.
  std::vector<Word> Sorted() const;
  // Forgets all words, and keeps the memory for the next ones.
  void Clear();

 private:
  struct Slot {
    uint32_t hash = 0;  // a part of it
    uint32_t number = 0;
    uint32_t begin = 0;  // in words_
    uint32_t bytes = 0;  // 0: the slot is free
  };

  Bytes WordOf(const Slot& slot) const { return Bytes(words_).substr(slot.begin, slot.bytes); }
  size_t mask() const { return slots_.size() - 1; }
  void Grow();

  std::string words_;        // one behind the other
  std::vector<Slot> slots_;  // as many as a power of two, at most half of them taken
  uint32_t size_ = 0;
};

}  // namespace basalt::engine
