// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "codec/posting_encoder.h"
#include "codec/row_decoder.h"
#include "engine/index_entry.h"
#include "engine/indexes/index_walk.h"
#include "engine/indexes/posting_load.h"
#include "engine/table.h"
#include "txn/bulk_load.h"
#include "txn/transaction.h"

namespace basalt::engine {

// Rows of one statement on their way into a table, past the log, and into an empty one past row
// locks and unique look-ups as well: see txn::BulkLoad. Duplicates among the rows come to light
// late, in any later Insert or in Finish.
//
// One thread. Belongs to a statement; the load itself is the transaction's.
class BulkInsert {
 public:
  // Can rows of this table be loaded so? Not those of one connection, of sequences, with a time to
  // live, or with a unique index whose keys do not decide what is equal; nor while changes of rows
  // are logged.
  static bool IsPossible(const Table& table);

  // Begins: the table must be empty (but see LoadOptions) but for what `transaction` has put.
  // kLockBusy when it is not, or when others hold locks in it; the statement then goes on row by
  // row.
  static Status Begin(std::shared_ptr<Table> table, txn::Transaction* transaction,
                      txn::LoadOptions options, std::unique_ptr<BulkInsert>* begun);
  BulkInsert(const BulkInsert&) = delete;
  BulkInsert& operator=(const BulkInsert&) = delete;

  // Adds a row. After kDuplicateKey ReadDuplicate tells; after any error, which may be that of a
  // parser of a FULLTEXT index, the statement is over.
  Status Insert(const uint8_t* record);
  // Adds the entries of a row, by the position of their index in Table, that were locked and
  // checked before (LoadOptions::checked_rows). Likewise. Not of a table with a FULLTEXT index.
  Status AddChecked(const std::vector<IndexEntry>& entries);
  // The statement has no further row. Likewise.
  Status Finish(const txn::BulkLoad::Progress& progress);

  // The key of a row of a table with a primary key. Valid until the next call.
  Bytes PrimaryKeyOf(const uint8_t* record);
  // A duplicate in words: table, index, key in hexadecimal.
  std::string NameOfDuplicate() const;
  // The position of the index two rows collided in.
  size_t duplicate_index() const { return positions_[load_->duplicate().index]; }
  // Fills in one of these rows, all stored columns. TEXT and BLOB columns stay valid as long as
  // this object lives. An error means that the row was not found again.
  Status ReadDuplicate(uint8_t* record);

 private:
  explicit BulkInsert(std::shared_ptr<Table> table);
  std::vector<txn::LoadIndex> Indexes() const;
  void AddPostings(size_t index);
  Status Add(size_t index, const uint8_t* record, uint64_t hidden_id);
  Status AddWords(size_t index, const uint8_t* record, uint64_t hidden_id);

  const std::shared_ptr<Table> table_;
  std::vector<size_t> positions_;  // of the load's indexes in the table: the primary one first
  txn::BulkLoad* load_ = nullptr;
  EntryEncoder encoder_;
  struct Words {
    std::unique_ptr<codec::PostingEncoder> encoder;
    std::unique_ptr<PostingLoad> load;
  };
  std::vector<Words> words_;  // by the load's index; null but for FULLTEXT
  std::string value_;
  std::string row_;  // that ReadDuplicate has found
};

}  // namespace basalt::engine
