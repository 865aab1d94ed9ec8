// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "codec/posting_encoder.h"
#include "engine/indexes/posting_gatherer.h"
#include "txn/bulk_load.h"
#include "txn/entry_buffer.h"

namespace basalt::engine {

// Gives a load the entries that rows have in a FULLTEXT index: blocks of words, as long as the rows
// come in ascending order of their documents. A row that comes in front of one before it gets
// entries of its own.
//
// All FULLTEXT indexes of the load together have as much memory as the load itself. One thread.
class PostingLoad {
 public:
  struct Target {
    txn::BulkLoad* load = nullptr;  // borrowed
    size_t index = 0;               // its position in the load
    uint32_t index_number = 0;
    size_t full_text_indexes = 1;  // that the load has
    // Without, all rows get entries of their own. Needed where the index has entries: blocks must
    // lie apart, and what marks a changed row would make them void.
    bool in_blocks = true;
  };
  explicit PostingLoad(const Target& target) : target_(target), gatherer_(target.index_number) {}

  // A row that has been taken apart. Errors are those of BulkLoad::Add.
  Status Add(codec::PostingEncoder* row);
  // There are no more rows: what has gathered goes to the load. Errors likewise.
  Status Finish();
  // Of the keys and values that the load was given.
  uint64_t bytes() const { return bytes_; }

 private:
  Status AddEntriesOf(const codec::PostingEncoder& row);
  Status AddEntry(Bytes key, Bytes value);
  bool IsFull() const;

  const Target target_;
  PostingGatherer gatherer_;
  txn::EntryBuffer entries_{/*reverse=*/false};  // in any order: the load sorts them
  std::string last_document_;                    // of those that are in blocks
  uint64_t bytes_ = 0;
};

}  // namespace basalt::engine
