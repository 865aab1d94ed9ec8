// SPDX-License-Identifier: GPL-2.0-only
#include "store/reports/dividing_keys.h"

#include <rocksdb/comparator.h>

#include <cstdint>
#include <utility>

#include "store/format/index_bounds.h"

namespace basalt::store {
namespace {

// Keys that agree in so many bytes are not told apart.
constexpr size_t kLongestKey = 64;
// A border may be off by one of so many parts of a part.
constexpr uint64_t kTolerance = 32;

// How an index lies on disk.
class Layout {
 public:
  Layout(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, IndexId index)
      : db_(db),
        family_(family),
        reverse_(family->GetComparator()->Compare("a", "b") > 0),
        bounds_(index, /*reverse=*/false),
        bytes_(BytesBefore(bounds_.past_end())) {}

  uint64_t bytes() const { return bytes_; }

  // About so many bytes have keys below this one, in the order of bytes.
  uint64_t BytesBefore(Bytes key) const {
    rocksdb::Slice first(bounds_.first());
    rocksdb::Slice end(key);
    if (reverse_) std::swap(first, end);
    const rocksdb::Range range(first, end);
    uint64_t bytes = 0;
    const rocksdb::SizeApproximationOptions files_only;
    return db_->GetApproximateSizes(files_only, family_, &range, 1, &bytes).ok() ? bytes : 0;
  }

  // The last key that no more bytes come before, or one that almost so many do.
  std::string KeyAt(uint64_t bytes, uint64_t tolerance) const {
    std::string key(bounds_.first());
    while (bytes - BytesBefore(key) > tolerance && key.size() < kLongestKey) {
      const int last = LastByte(key, bytes);
      if (last < 0) break;
      key.push_back(static_cast<char>(last));
    }
    return key;
  }

 private:
  // The last one that may follow the beginning of a key; negative: none.
  int LastByte(const std::string& beginning, uint64_t bytes) const {
    int fits = -1;
    int too_far = 256;
    while (too_far - fits > 1) {
      const int middle = (fits + too_far) / 2;
      const bool is_within = BytesBefore(beginning + static_cast<char>(middle)) <= bytes;
      (is_within ? fits : too_far) = middle;
    }
    return fits;
  }

  rocksdb::DB* const db_;
  rocksdb::ColumnFamilyHandle* const family_;
  const bool reverse_;
  const IndexBounds bounds_;
  const uint64_t bytes_;
};

}  // namespace

std::vector<std::string> DividingKeys(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                                      IndexId index, size_t parts) {
  const Layout layout(db, family, index);
  const uint64_t tolerance = layout.bytes() / parts / kTolerance;
  std::vector<std::string> keys;
  uint64_t before = 0;  // in all parts but the last
  for (size_t i = 1; i < parts; ++i) {
    std::string key = layout.KeyAt(layout.bytes() / parts * i, tolerance);
    const uint64_t up_to_key = layout.BytesBefore(key);
    // Files may change between two questions. Keys ascend all the same.
    const bool is_behind = keys.empty() || keys.back() < key;
    if (up_to_key <= before || !is_behind) continue;
    before = up_to_key;
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace basalt::store
