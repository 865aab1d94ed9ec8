// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "codec/key_decoder.h"
#include "engine/block_cursor.h"
#include "engine/checks/check_findings.h"
#include "engine/checks/entry_walk.h"
#include "engine/checks/index_fingerprint.h"
#include "engine/indexes/index_walk.h"
#include "engine/indexes/row_entries.h"
#include "engine/table.h"
#include "engine/task_progress.h"

namespace basalt::engine {

// How much of a table a check looks at.
//   quick     every row and entry: is its key whole, its value of a proper length; are there as
//             many entries as rows (not in a FULLTEXT index). No column is decoded, nothing is
//             compared.
//   medium    every row is decoded, lies under its own key, and has in each index exactly the entry
//             it must have, unpack info included; unique indexes hold nothing twice. One pass over
//             the rows and one over each index, without looking anything up.
//   extended  also: each entry's row and each row's entries are found by look-up (which uses the
//             filters that scans do not), the entry gives its row's values back, values agree with
//             the checksums they carry, and every block of the table's files with its own.
enum class CheckDepth : uint8_t { kQuick, kMedium, kExtended };

// CHECK TABLE: proves that rows and secondary entries belong together, both ways, in one snapshot
// while others write.
//
// The pass over the rows computes what each index must hold and sums it up in a fingerprint; the
// pass over an index does the same with what it holds. Only where the two differ (and always under
// kExtended) are entries and rows looked up one by one, to find out which are wrong. Memory does
// not depend on the size of the table.
//
// One thread. Table, transaction and progress must outlive the object.
class TableCheck {
 public:
  // `virtual_columns` as for RowImage.
  TableCheck(Table* table, txn::Transaction* transaction, CheckDepth depth, TaskProgress* progress,
             VirtualColumns* virtual_columns);

  // Most stages that Run reports.
  unsigned max_stages() const;
  // Ok when the check was carried out, whatever it found; see findings(). kInterrupted when the
  // progress said stop, another status when the store failed in a way that tells nothing of this
  // table.
  Status Run();
  const CheckFindings& findings() const { return findings_; }
  uint64_t rows() const { return rows_; }
  // Could all rows be read? (Not: decoded.)
  bool rows_complete() const { return rows_complete_; }

 private:
  // Rows of a unique index whose keys do not decide what is equal: their images, as long as they
  // can have one in common.
  struct ImageRun {
    std::string prefix;
    std::set<std::string> images;
  };

  // What both passes say of an index.
  struct IndexPass {
    IndexFingerprint expected;  // from the rows
    IndexFingerprint actual;    // from the index
    uint64_t entries = 0;
    bool complete = false;  // all of the index could be read
    bool marks_agree = true;
  };

  // What an entry gives back of its row.
  struct GivenBack {
    codec::KeyDecoder decoder;
    size_t index = SIZE_MAX;  // that the decoder is compiled for
    std::vector<uint8_t> record;
  };

  bool Secondary(size_t index) const { return index != table_.primary_position(); }
  Status Proceed();
  void BeginStage(uint64_t expected);
  Status EndWalk(size_t index, Bytes previous_key, Status status, bool* complete);

  Status CheckRows();
  Status CheckRow(Bytes key, Bytes value);
  void CheckRowQuickly(Bytes key, Bytes value);
  void CheckChecksum(size_t index, Bytes key, Bytes value);
  Status CheckEntries(size_t index);
  void CheckEntry(size_t index, Bytes key, Bytes value, Bytes previous);
  void CheckImage(size_t index, Bytes key, const RowImage& row, ImageRun* run);
  void CompareCounts(size_t index);

  // table_check_search.cc
  bool Differs(size_t index) const;
  bool NeedsEntrySearch(size_t index) const;
  Status SearchDifferences();
  void ReportWhole(size_t index);
  Status SearchEntries(size_t index);
  Status SearchEntry(size_t index, Bytes key, Bytes value, ImageRun* run);
  bool EntryGivesRowBack(size_t index, Bytes key, Bytes value);
  Status SearchRows(const std::vector<size_t>& indexes);
  Status SearchEntriesOfRow(size_t index, Bytes row_key);
  Status LookUp(size_t index, Bytes key, rocksdb::PinnableSlice* value, Code* found);
  Status LookUpEntry(size_t index, Bytes key, Code* found);
  Status LookUpInBlocks(size_t index, Bytes key, Code* found);

  Status CheckFiles();

  Table& table_;
  txn::Transaction* const transaction_;
  const CheckDepth depth_;
  TaskProgress* const progress_;
  CheckFindings findings_;

  RowImage row_;
  RowEntries must_have_;  // what the row in row_ must have in an index
  ImageRun primary_run_;
  std::vector<std::unique_ptr<BlockCursor>> blocks_;  // by index, from the first look-up on
  std::vector<uint8_t> prefix_buffer_;
  GivenBack given_back_;

  uint64_t rows_ = 0;
  bool rows_complete_ = false;
  std::vector<IndexPass> passes_;  // by index

  uint64_t done_ = 0;
  uint64_t expected_steps_ = 0;
};

}  // namespace basalt::engine
