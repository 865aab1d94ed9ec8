// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/status.h"
#include "engine/block_cursor.h"
#include "engine/indexes/index_walk.h"

namespace basalt::engine {

// Walks over an index as IndexWalk does, and shows what it says of single rows: of a block of a
// FULLTEXT index each posting as if it were an entry of its own. What is void there is not shown.
//
// One thread; table and transaction must outlive the object.
class EntryWalk {
 public:
  EntryWalk(const Table& table, size_t index, txn::Transaction* transaction);

  // As of IndexWalk. A block that is malformed ends the walk with kCorruption.
  Status Next();
  Bytes key() const { return in_blocks_ ? Bytes(key_) : entries_.key(); }
  Bytes value() const { return in_blocks_ ? blocks_.positions() : entries_.value(); }
  bool EntryHasExpired() const { return !in_blocks_ && entries_.EntryHasExpired(); }
  // The last key before it that had not expired; empty before that, and before the first block.
  Bytes previous_key() const { return in_blocks_ ? Bytes(previous_key_) : entries_.previous_key(); }
  // At the end of the walk: are the rows whose own entries say that blocks have their words those
  // that blocks have, with as many places? (By a sum: see IndexFingerprint.)
  bool MarksAgree() const { return marks_ == 0; }

 private:
  void AddMark(Bytes document);
  Status BeginBlocks();
  Status ShowPosting();

  const Table& table_;
  const size_t index_;
  txn::Transaction* const transaction_;
  IndexWalk entries_;
  BlockCursor blocks_;
  bool in_blocks_ = false;
  std::string key_;
  std::string previous_key_;
  uint64_t marks_ = 0;  // what rows say of blocks, less what blocks have
};

}  // namespace basalt::engine
