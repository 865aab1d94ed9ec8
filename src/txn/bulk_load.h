// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "txn/background_task.h"
#include "txn/entry_buffer.h"
#include "txn/load_index.h"
#include "txn/merge_source.h"
#include "txn/sorted_files.h"

namespace basalt::store {
class Store;
}

namespace basalt::txn {

class WriteSet;

struct LoadOptions {
  size_t buffer_bytes = 64u << 20;
  // An index with fewer entries is merged by one thread; with more, by as many as there are times
  // so many, and jobs for the background.
  uint64_t entries_per_merge = 200'000;
  // Indexes that are being built: no table has them yet, so nobody else needs to be kept away.
  bool of_no_table = false;
  // The table may have rows. Their primary keys must lie apart from those of the load: Finish fails
  // with kInvalidArgument else. What is unique is so among all.
  bool beside_rows = false;
  // The table may have rows, and others go on using it: each entry is locked and looked for in the
  // table, as that of a single row is, before it is added here. So nothing is left to be checked
  // but the load's own entries against each other.
  bool checked_rows = false;
};

// How many loads of tables have begun, for reports: a statement's, or of each of its partitions.
struct LoadCounts {
  std::atomic<uint64_t> begun{0};
  std::atomic<uint64_t> of_checked_rows{0};  // among them
};

// Entries of the indexes of one table on their way to table files, in any order. Whenever they have
// grown to half of `buffer_bytes` in memory, another thread makes them sorted runs, while the next
// half is added. Runs stay in memory while a quarter of the block cache has room for them, and what
// transactions have written; the others go to disk. Finish merges the runs of each index, by
// several threads, into files that the store can take over. Entries that come in the order of their
// index go to such a file at once.
//
// The loader owns the table alone: it has no committed entries (but see LoadOptions), and nobody
// else adds any. What the transaction itself has written before the load began (`written`) becomes
// a part of the load: a file of its own would lie across those of all indexes, and the store could
// not put them into the last level. Beside rows of the table it stays where it is, because it may
// change or delete some of them. Either way no two of all entries may share what the index says is
// unique.
//
// Duplicates are found when entries meet in a merge, not when they are added. Add and Finish then
// fail with kDuplicateKey, duplicate() tells, and nothing remains but to drop the load.
//
// One thread at a time. Its files go with it, unless TakeFiles gave them away.
class BulkLoad {
 public:
  // Told now and then how many of all entries are in final files; false: stop, with kInterrupted.
  using Progress = std::function<bool(uint64_t done, uint64_t expected)>;

  // One of two entries that share what is unique.
  struct Duplicate {
    size_t index = 0;  // position in the constructor's `indexes`
    std::string key;
    std::string value;
  };

  // `number` is of nobody else, also across restarts; names of files begin with it.
  BulkLoad(store::Store* store, WriteSet* written, uint64_t number, std::vector<LoadIndex> indexes,
           LoadOptions options);
  ~BulkLoad();
  BulkLoad(const BulkLoad&) = delete;
  BulkLoad& operator=(const BulkLoad&) = delete;

  // Adds an entry to the index at this position.
  Status Add(size_t index, Bytes key, Bytes value);
  // Adds entries that are sorted, no two with the same key. *entries is an empty buffer afterwards.
  // Not together with Add.
  Status AddSorted(size_t index, std::unique_ptr<EntryBuffer>* entries);
  // Memory of several loads together is to stay within bounds: settles how much is this one's.
  void set_buffer_bytes(size_t bytes) { options_.buffer_bytes = bytes; }
  size_t buffer_bytes() const { return options_.buffer_bytes; }
  // The end of the entries. After Ok all of them are in files.
  Status Finish(const Progress& progress);
  bool finished() const { return finished_; }
  uint64_t entries() const { return entries_; }
  bool has_checked_rows() const { return options_.checked_rows; }

  const Duplicate& duplicate() const { return duplicate_; }
  // After a duplicate: the value of a key among all entries of an index and those written before.
  // Slow. kNotFound when it has none.
  Status FindLoaded(size_t index, Bytes key, std::string* value);

  // The indexes whose entries in `written` are in the files of the load. Once it is finished.
  void AppendTaken(std::set<IndexId>* indexes) const;
  // The files and their column families, from a finished load; the caller's from now on.
  struct File {
    uint32_t column_family = 0;
    SortedFile file;
  };
  std::vector<File> TakeFiles();

 private:
  struct IndexLoad;

  Status Start(IndexLoad* load);
  Status TakeWritten(IndexLoad* load);
  Status FindLastWritten(IndexLoad* load);
  Status BeginFlush();
  Status Flush();
  Status Flush(IndexLoad* load);
  Status MakeRun(IndexLoad* load);
  Status WriteRun(IndexLoad* load);
  // `progress` is null while rows are added: the statement itself reports and listens then.
  Status AppendInOrder(IndexLoad* load, const EntryBuffer& entries, const Progress* progress);
  Status FinishIndex(IndexLoad* load, const Progress& progress);
  Status CheckApart(const IndexLoad& load) const;
  Status CheckCommitted(IndexLoad* load, Bytes key, Bytes value);
  Status MergeAll(IndexLoad* load, const Progress& progress);
  std::vector<std::string> Borders(const IndexLoad& load) const;
  Status CollectSources(const IndexLoad& load, const KeyRange& range,
                        std::vector<std::unique_ptr<MergeSource>>* sources) const;
  Status CountAppended(const Progress* progress);
  Status Interrupted(const Progress& progress);

  store::Store* const store_;
  WriteSet* const written_;
  const uint64_t number_;
  LoadOptions options_;
  std::vector<std::unique_ptr<IndexLoad>> loads_;
  size_t bytes_ = 0;  // in all buffers that are being filled
  uint64_t entries_ = 0;
  uint64_t merged_ = 0;  // of them, in final files
  bool finished_ = false;
  Duplicate duplicate_;
  BackgroundTask flush_;  // has the rest of the members meanwhile, but for what Add changes
};

}  // namespace basalt::txn
