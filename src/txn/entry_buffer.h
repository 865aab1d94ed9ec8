// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "txn/key_range.h"

namespace basalt::txn {

// Entries of one index in memory, to be sorted there. Their bytes are copied one after the other
// into chunks, and what is sorted are small references that hold the first bytes of their keys.
//
// One thread at a time. Memory grows with what is added: the caller asks for bytes().
class EntryBuffer {
 public:
  // `reverse`: the order of the column family.
  explicit EntryBuffer(bool reverse) : reverse_(reverse) {}

  // Copies the entry. All keys begin with the same index number. Not between Sort and Clear.
  void Add(Bytes key, Bytes value);
  // Memory in use, in bytes.
  size_t bytes() const { return bytes_ + references_.size() * sizeof(Reference); }
  size_t count() const { return references_.size(); }
  // Whether each entry came behind the one added before it, which it is not equal to.
  bool in_order() const { return in_order_; }
  // Brings the entries into the order of the column family; costs nothing when they are in it.
  void Sort();

  // By position: in the order of addition, after Sort in that of the keys. Valid until Clear.
  Bytes key(size_t position) const { return references_[position].key(); }
  Bytes value(size_t position) const { return references_[position].value(); }
  // Once they are sorted: the position of the first entry that does not come before the key.
  size_t PositionOf(Bytes key) const;
  bool reverse() const { return reverse_; }
  // The entry will be asked for soon; there need not be one. Sorted entries lie all over memory.
  void Prefetch(size_t position) const {
    if (position < references_.size()) __builtin_prefetch(references_[position].content);
  }
  // Slow. False when no entry has the key.
  bool Find(Bytes key, std::string* value) const;

  // Forgets the entries and keeps the memory for the next ones.
  void Clear();
  // Forgets the entries and frees the memory.
  void Release();

 private:
  static constexpr size_t kChunkBytes = 1u << 20;

  // What `content` points to: lengths of key and value, then both.
  struct Lengths {
    uint32_t key;
    uint32_t value;
  };
  struct Reference {
    // Eight bytes of the key, big-endian, zeros behind its end: the first ones behind the index
    // number, until Sort takes those where keys differ.
    uint64_t prefix;
    const char* content;

    Bytes key() const;
    Bytes value() const;
  };

  char* Reserve(size_t bytes);
  bool Less(const Reference& a, const Reference& b) const;
  void SortFrom(size_t depth, Reference* begin, Reference* end);
  void SortAlike(size_t depth, Reference* begin, Reference* end);

  const bool reverse_;
  bool in_order_ = true;
  bool sorted_ = false;
  size_t bytes_ = 0;
  std::vector<Reference> references_;
  std::vector<std::unique_ptr<char[]>> chunks_;        // each of kChunkBytes
  std::vector<std::unique_ptr<char[]>> large_chunks_;  // of one entry that is larger
  size_t chunks_used_ = 0;
  size_t room_ = 0;  // at the end of the last chunk in use
};

}  // namespace basalt::txn
