// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>

#include "base/bytes.h"
#include "base/index_id.h"

namespace basalt::store {

// The two keys between which all entries of one index lie: its number and the number after it.
// Neither is itself a key, since a key has at least one byte behind its number. So it does not
// matter on which side a bound is inclusive, and in a column family that stores keys in reverse the
// same pair, swapped, confines the index just as well.
//
// Immutable: any thread. The slices point into the object, which is therefore not copied and must
// outlive whatever was given them.
class IndexBounds {
 public:
  IndexBounds(IndexId index, bool reverse)
      : lower_(reverse ? past_end_ : first_, kIndexNumberBytes),
        upper_(reverse ? first_ : past_end_, kIndexNumberBytes) {
    StoreBigEndian32(first_, index.number);
    StoreBigEndian32(past_end_, index.number + 1);
  }
  IndexBounds(const IndexBounds&) = delete;
  IndexBounds& operator=(const IndexBounds&) = delete;

  // In the order of the bytes of keys, whatever the column family's order is.
  Bytes first() const { return Bytes(first_, kIndexNumberBytes); }
  Bytes past_end() const { return Bytes(past_end_, kIndexNumberBytes); }

  // In the order of the column family: what RocksDB wants to be given.
  const rocksdb::Slice& lower() const { return lower_; }
  const rocksdb::Slice& upper() const { return upper_; }
  rocksdb::Range range() const { return rocksdb::Range(lower_, upper_); }

  // Makes an iterator of these options end at the ends of the index, wherever it seeks.
  void Confine(rocksdb::ReadOptions* options) const {
    options->total_order_seek = true;
    options->iterate_lower_bound = &lower_;
    options->iterate_upper_bound = &upper_;
  }

 private:
  char first_[kIndexNumberBytes];     // the index's number
  char past_end_[kIndexNumberBytes];  // the number after it
  const rocksdb::Slice lower_;
  const rocksdb::Slice upper_;
};

}  // namespace basalt::store
