// SPDX-License-Identifier: GPL-2.0-only
#include "store/format/comparator.h"

#include <string>

namespace basalt::store {
namespace {

using rocksdb::Slice;

// Both orders are RocksDB's own bytewise orders under the names that are on disk. Comparison is
// inline here; what only happens once a block is left to RocksDB's comparators.
class Forward final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return kForwardComparatorName; }
  int Compare(const Slice& a, const Slice& b) const override { return a.compare(b); }
  bool Equal(const Slice& a, const Slice& b) const override { return a == b; }
  void FindShortestSeparator(std::string* start, const Slice& limit) const override {
    rocksdb::BytewiseComparator()->FindShortestSeparator(start, limit);
  }
  void FindShortSuccessor(std::string* key) const override {
    rocksdb::BytewiseComparator()->FindShortSuccessor(key);
  }
  bool IsSameLengthImmediateSuccessor(const Slice& s, const Slice& t) const override {
    return rocksdb::BytewiseComparator()->IsSameLengthImmediateSuccessor(s, t);
  }
  // Lets RocksDB use hash indexes inside data blocks.
  bool CanKeysWithDifferentByteContentsBeEqual() const override { return false; }
};

class Reverse final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return kReverseComparatorName; }
  int Compare(const Slice& a, const Slice& b) const override { return -a.compare(b); }
  bool Equal(const Slice& a, const Slice& b) const override { return a == b; }
  void FindShortestSeparator(std::string* start, const Slice& limit) const override {
    rocksdb::ReverseBytewiseComparator()->FindShortestSeparator(start, limit);
  }
  void FindShortSuccessor(std::string* key) const override {
    rocksdb::ReverseBytewiseComparator()->FindShortSuccessor(key);
  }
  bool CanKeysWithDifferentByteContentsBeEqual() const override { return false; }
};

}  // namespace

const rocksdb::Comparator* ForwardComparator() {
  // Never destroyed: background threads of RocksDB may still compare while the process ends.
  static const auto* const comparator = new Forward;
  return comparator;
}

const rocksdb::Comparator* ReverseComparator() {
  static const auto* const comparator = new Reverse;
  return comparator;
}

const rocksdb::Comparator* ComparatorFor(std::string_view column_family_name) {
  return column_family_name.starts_with(kReverseColumnFamilyPrefix) ? ReverseComparator()
                                                                    : ForwardComparator();
}

}  // namespace basalt::store
