// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <cstddef>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/posting.h"
#include "codec/posting_block.h"
#include "engine/table.h"
#include "txn/cursor.h"

namespace basalt::txn {
class Transaction;
class WriteSet;
}  // namespace basalt::txn

namespace basalt::engine {

// The postings that stand in blocks of a FULLTEXT index (docs/format/full-text.md), in the order of
// words and documents. Rows that have changed since a build made the blocks are passed over.
//
// One thread. Functions that read may fail with kIoError, and with kCorruption for bytes that are
// no block; the cursor is of no use then. Borrows the table and what Bind is given.
class BlockCursor {
 public:
  // `index`: the position of a FULLTEXT index.
  BlockCursor(const Table& table, size_t index);

  // What it reads, as for txn::Cursor.
  Status Bind(const rocksdb::Snapshot* snapshot, txn::WriteSet* writes, bool fill_cache);
  // What the transaction reads by its snapshot, with its own writes.
  Status BindTo(txn::Transaction* transaction, bool fill_cache);

  // To the first posting of this word and document, or behind. Empty: of all.
  Status SeekTo(Bytes word, Bytes document);
  // From a posting to the next one.
  Status Next();

  // Is there a posting? What follows is asked only then, and valid until the next move.
  bool valid() const { return block_.has_value(); }
  Bytes word() const { return key_.word; }
  Bytes document() const { return block_->document(); }
  Bytes positions() const { return block_->positions(); }

 private:
  Status OpenBlock();
  Status Step();
  Status ToPresent();
  Status IsSuperseded(Bytes document, bool* superseded);
  bool IsAhead(Bytes word, Bytes document) const;
  bool KnowsSuperseded(Bytes document) const;

  const Table& table_;
  const size_t index_;
  txn::Cursor blocks_;
  codec::PostingKey key_;  // of the block at hand; borrowed from blocks_
  std::optional<codec::PostingBlockReader> block_;
  txn::Cursor superseded_;
  // superseded_ stands at the first row not before this one, in this version of the transaction's
  // writes; none: nowhere.
  std::optional<std::string> superseded_from_;
  uint64_t superseded_version_ = 0;
  txn::WriteSet* writes_ = nullptr;
  std::string target_;
};

}  // namespace basalt::engine
