// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"

namespace basalt::store {

// Property of every table file that holds one encoded IndexStatistics for each index in the file.
inline constexpr const char* kIndexStatisticsProperty = "__indexstats__";

// What is known about the entries of one index in one file, or summed over many files. Sums count
// an entry once for each file that has a version of it, so rows of a busy index are estimates.
// Signed because the format is; values below zero are treated as garbage.
struct IndexStatistics {
  int64_t data_bytes = 0;  // keys and values before compression
  int64_t rows = 0;        // puts; deletes and merges have counters of their own
  int64_t disk_bytes = 0;  // share of the file's size, approximate
  int64_t deletes = 0;
  int64_t single_deletes = 0;
  int64_t merges = 0;
  int64_t others = 0;  // neither put, delete, single delete nor merge
  // [i]: number of distinct values of the first i + 1 key parts. Empty when the key's parts were
  // not known when the file was written.
  std::vector<int64_t> distinct_prefixes;

  // Puts without those that a delete takes away again, at least 0: the estimate of living rows.
  int64_t LiveRows() const;
  // Adds or takes away another record, counter by counter. The longer prefix vector wins.
  void Add(const IndexStatistics& other);
  void Subtract(const IndexStatistics& other);
  bool operator==(const IndexStatistics&) const = default;
};

struct IndexStatisticsRecord {
  IndexId index;
  IndexStatistics statistics;
};

// The encoding of docs/format/dictionary.md, "Statistics": u16 version 2, then the records. Also
// the value of dictionary record type 6, with exactly one record.
std::string EncodeIndexStatistics(const std::vector<IndexStatisticsRecord>& records);

// Decodes versions 1 (no entry kinds) and 2. Returns false, with *records empty, for anything else:
// a wrong version, a cut-off record, a prefix count that the bytes cannot hold. Statistics only
// guide the optimizer, so a caller goes on without them.
bool DecodeIndexStatistics(Bytes encoded, std::vector<IndexStatisticsRecord>* records);

}  // namespace basalt::store
