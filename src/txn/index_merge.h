// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "txn/key_range.h"
#include "txn/load_index.h"
#include "txn/merge_source.h"
#include "txn/parallel_work.h"
#include "txn/sorted_files.h"

namespace basalt::txn {

// Merges the sorted entries of one index into table files that a store can take over. Several
// threads do it, each a range of the keys: finding the next entry and building files is most of the
// time of an index build, and one thread's.
//
// Used by one thread, which merges the first range.
class IndexMerge {
 public:
  // A key and its value, of two entries that share what is unique.
  struct Entry {
    std::string key;
    std::string value;
  };
  struct Input {
    store::Store* store = nullptr;
    const LoadIndex* index = nullptr;  // borrowed
    bool reverse = false;              // the order of its column family
    std::string prefix;                // names of files begin with it
    // Opens what is to be merged of a range. Called by the range's thread.
    std::function<Status(const KeyRange&, std::vector<std::unique_ptr<MergeSource>>*)> open;
    // Looks at each entry before it is written, in their order; null: does not. With one range
    // only.
    std::function<Status(Bytes key, Bytes value)> check;
  };
  // Told how many entries are in files; false: stop, with kInterrupted.
  using Progress = std::function<bool(uint64_t done)>;

  // `borders`: the first keys of all ranges but the first, ascending in the order of the family.
  IndexMerge(Input input, std::vector<std::string> borders);
  ~IndexMerge();

  // kDuplicateKey when two entries share what is unique: duplicate() is the second one then, and
  // the first such in the order of the keys.
  Status Run(const Progress& progress);
  const std::optional<Entry>& duplicate() const { return duplicate_; }
  // Entries in files. After Run.
  uint64_t entries() const;

  // Gives the files away, in the order of their keys. After an Ok of Run.
  void MoveTo(SortedFiles* files);

 private:
  struct Range;

  Status MergeRange(Range* range);
  Status MergeEntries(Merge* merge, Range* range);
  Status AddEntry(const MergeSource& entry, Range* range);
  bool Goes(const Range& range);
  // Of entries on both sides of a border.
  void FindDuplicate();

  const Input input_;
  std::vector<std::unique_ptr<Range>> ranges_;
  ParallelWork work_;
  const Progress* progress_ = nullptr;  // while Run runs
  std::optional<Entry> duplicate_;
};

}  // namespace basalt::txn
