// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "engine/index_entry.h"
#include "engine/indexes/new_index.h"
#include "store/store.h"

namespace basalt::engine {

// Rows of a table that is being rebuilt whose new primary key another row has. To writers that key
// is none yet, so two rows may have it for a while, and the log may tell of one that gets it before
// it tells of the other that gives it up. The index can hold only one of them. The others wait
// here, with the entries they are going to have. What waits in the end is double.
//
// Two rows of the same key and content are the same to the new table. So it need not be known which
// row of the old table has put what is in the index: who removes a row says what it was.
//
// Memory is bounded: where more would have to wait, the statement ends as for a double in the end.
// One thread; borrows the store and the index.
class DuplicateRows {
 public:
  // Of a row in one index, in ascending order of their keys: one, many in a FULLTEXT index, or
  // none.
  using Entries = std::vector<IndexEntry>;
  // Of a row in each of the new indexes. Where the functions take one, it has an entry in the
  // primary index.
  using Row = std::vector<Entries>;

  // `primary` is at this position of the new indexes.
  DuplicateRows(store::Store* store, const NewIndex* primary, size_t position);

  // The row is there from now on. *waits: another one has its key; else its entries are to be put.
  // kDuplicateKey: too many wait.
  Status Add(const Row& row, bool* waits);
  // The row is gone. *stored: its entries are to be removed, and those of *next put, unless that is
  // empty. Else it has waited, or had expired before the rows were read. kInternal when neither can
  // be: the log does not fit the rows.
  Status Remove(const Row& row, bool* stored, Row* next);
  // The row with this key gets another content. True: nothing waits for the key, and the entries
  // can be replaced one by one.
  bool Replace(const Row& row);
  // What Add, Remove and Replace have led to is in the store.
  void NoteWritten() { written_.clear(); }

  bool empty() const { return waiting_.empty(); }
  // Of the rows that wait, the one with the smallest key, as the new primary index would have it.
  const IndexEntry& first() const { return EntryOf(waiting_.begin()->second); }

 private:
  static constexpr size_t kMostRows = 10'000;
  static constexpr size_t kMostBytes = 16u << 20;

  const IndexEntry& EntryOf(const Row& row) const { return row[position_].front(); }
  Status Find(Bytes key, std::optional<std::string>* value);
  bool TakeWaiting(const Row& row);
  bool IsSame(Bytes one, Bytes other) const;
  bool HasExpired(Bytes value) const;

  store::Store* const store_;
  const NewIndex& primary_;
  const size_t position_;
  std::multimap<std::string, Row, std::less<>> waiting_;  // by key
  size_t bytes_ = 0;                                      // of what waits
  // What the index is going to have, as far as it differs from the store: values, or none.
  std::unordered_map<std::string, std::optional<std::string>> written_;
};

}  // namespace basalt::engine
