// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "catalog/table_record.h"
#include "engine/indexes/change_applier.h"
#include "engine/indexes/change_log_reader.h"
#include "engine/indexes/index_walk.h"
#include "engine/indexes/new_index.h"
#include "engine/indexes/new_row.h"
#include "engine/row_conversion.h"
#include "engine/table.h"
#include "engine/task_progress.h"
#include "txn/bulk_load.h"

namespace basalt::engine {

// Builds new indexes of a table from its rows, which are read once, in one snapshot. The entries of
// each index are sorted in memory and on disk (txn::BulkLoad) and handed to the store as table
// files. They are secondary indexes, or, with a conversion of rows, all that the table is going to
// have, with the primary key: then the rows are written anew.
//
// No table has the indexes yet: the dictionary knows them as being built, and a crash leaves them
// to the reclaimer. What makes them the table's is Catalog::ReplaceIndexes, the caller's.
//
// Readers of the table go on. Writers do, too, with log_changes: from Begin on their changes are
// logged (txn::ChangeLog), and applied behind Fill. The caller sees to it that nobody writes during
// Begin, and from before Complete until ReplaceIndexes (metadata lock); without a log from before
// Fill until then. One thread.
class IndexBuild {
 public:
  struct Options {
    // Rows that cannot be decoded get no entries. Else they are kCorruption.
    bool skip_undecodable = false;
    // Rows that have expired get entries as well: what is built replaces indexes that have them.
    bool include_expired = false;
    // No two rows may share what an index declares as unique. Else that is not looked at.
    bool check_unique = true;
    bool log_changes = false;
    // Is given each change that is applied, too; null: nobody. Its errors are those of the passes.
    // Borrowed.
    ChangeConsumer* also = nullptr;
    size_t buffer_bytes = 64u << 20;
  };

  // `target`: the table as it is going to be. Without a `conversion` it has the rows that are
  // there: the same stored columns, or others with a row_layout that says where they are; number
  // and version of its primary key are set. With one it has what the conversion makes of them, and
  // no layout; a hidden primary key only if the table has one. Numbers of new indexes are not
  // looked at. All pointers must outlive the object; `virtual_columns` as for RowImage, of the
  // target.
  IndexBuild(const Table* table, codec::TableDescriptor target, Options options,
             TaskProgress* progress, VirtualColumns* virtual_columns,
             RowConversion* conversion = nullptr);
  IndexBuild(const IndexBuild&) = delete;
  IndexBuild& operator=(const IndexBuild&) = delete;

  // Gives the indexes at these positions of the target numbers in the dictionary: of which none is
  // the primary key, or, with a conversion, all. requests[i] is for positions[i]. With log_changes
  // the build is of the rows as they are now; kLockBusy then as for Fill. kNotSupported for a
  // FULLTEXT index whose rows have a time to live.
  Status Begin(const std::vector<size_t>& positions,
               const std::vector<catalog::IndexRequest>& requests);
  // As the dictionary knows them: built()[i] for positions[i]. Empty before Begin.
  const std::vector<catalog::IndexRecord>& built() const { return built_; }

  // Fills them; all entries are in the store, durably, after Ok. kDuplicateKey: see
  // duplicate_position. kLockBusy when a prepared transaction that has no connection has changed
  // the table, for its entries would be missing. kInterrupted after a KILL. Any other error is the
  // store's, the conversion's or a parser's. After each of them only Abort makes sense.
  Status Fill();
  // After Fill, with log_changes; without, these do nothing. One pass over the changes that are
  // committed by now; *applied is how many there were. Errors as Fill, and those of a conversion.
  Status ApplyChanges(uint64_t* applied);
  // Has what the passes have put written to files, where it is counted for the optimizer, if that
  // is more than a tenth of the rows. *written: it was, which took a while. Errors of a flush.
  Status FlushApplied(bool* written);
  // The last pass: the indexes have then what the rows say. Errors as Fill.
  Status Complete();
  // The indexes are the table's: the log goes. On error it stays until the next start.
  Status EndLog();
  // Gives the indexes to the reclaimer. Without effect before Begin. Others may write to the table.
  Status Abort();

  // Rows that have got entries.
  uint64_t rows() const { return rows_; }

  // After kDuplicateKey: the position of the index in the target, and one of the rows, all columns.
  // TEXT and BLOB columns stay valid as long as this object lives.
  size_t duplicate_position() const { return indexes_[duplicate_->index].position; }
  Status ReadDuplicate(uint8_t* record);

 private:
  using Duplicate = ChangeApplier::Duplicate;  // the index: in indexes_

  Status OpenLog();
  Status CompileCodecs();
  Status BeginLoad();
  bool ReadsAlone() const;
  std::vector<std::string> DividingKeys() const;
  Status AddRows();
  Status AddRowsAlone();
  Status AddRowsInParts();
  Status Finish();
  Status GetRow(Bytes key, std::string* value);
  Status GetNewRow(Bytes key, std::string* value);
  bool DecodeDuplicate(Bytes key, Bytes value, uint8_t* record);

  const Table& table_;
  codec::TableDescriptor target_;
  const Options options_;
  TaskProgress* const progress_;
  VirtualColumns* const virtual_columns_;
  RowConversion* const conversion_;
  std::vector<catalog::IndexRecord> built_;
  std::optional<catalog::IndexRecord> log_;
  std::vector<NewIndex> indexes_;
  std::unique_ptr<codec::KeyCodec> primary_;
  codec::RowCodec row_codec_;
  std::unique_ptr<NewRow> row_;
  std::unique_ptr<txn::Transaction> reader_;
  std::unique_ptr<txn::Transaction> writer_;
  txn::BulkLoad* load_ = nullptr;  // of writer_
  std::unique_ptr<ChangeApplier> applier_;
  std::optional<Duplicate> duplicate_;
  std::string duplicate_row_;
  uint64_t rows_ = 0;
};

}  // namespace basalt::engine
