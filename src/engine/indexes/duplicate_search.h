// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "engine/indexes/new_index.h"
#include "store/store.h"

namespace basalt::engine {

// Values that two entries of a new unique index share, as writers go on beside its build. Nothing
// keeps them from that: to them the index is not there yet. So a value may be double for a while,
// and only what is double in the end is an error.
//
// Memory is bounded. Where very many values are double, all entries are looked through in the end.
// One thread; borrows the store and the indexes.
class DuplicateSearch {
 public:
  DuplicateSearch(store::Store* store, const std::vector<NewIndex>* indexes);

  // An entry is going to be put into the index at this position of `indexes`.
  void NotePut(size_t index, Bytes key);
  // What was noted is in the store now: keeps of it what is double.
  Status Look();
  // Of what was kept, that which is double now. kDuplicateKey: see index() and key().
  Status Check();

  // After kDuplicateKey: the index, and the key of one of the two entries.
  size_t index() const { return index_; }
  Bytes key() const { return key_; }

 private:
  using Value = std::pair<size_t, std::string>;  // index, and the bytes that are to be unique
  static constexpr size_t kMostKept = 10'000;

  Status IsDouble(const Value& value, bool* is_double);
  Status LookThrough(size_t index);
  bool IsLive(size_t index, Bytes entry) const;

  store::Store* const store_;
  const std::vector<NewIndex>& indexes_;
  std::set<Value> put_;
  std::set<Value> kept_;
  bool too_many_ = false;
  uint64_t now_ = 0;  // seconds since 1970, for entries that expire
  size_t index_ = 0;
  std::string key_;
};

}  // namespace basalt::engine
