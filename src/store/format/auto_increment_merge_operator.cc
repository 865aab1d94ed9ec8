// SPDX-License-Identifier: GPL-2.0-only
#include "store/format/auto_increment_merge_operator.h"

#include "base/bytes.h"

namespace basalt::store {
namespace {

using rocksdb::Slice;

// Value: u16 version 1, u64 next value, big-endian. docs/format/dictionary.md, type 9.
constexpr size_t kRecordBytes = 10;
constexpr uint16_t kHighestVersion = 1;

bool Valid(const Slice& value) {
  return value.size() == kRecordBytes && LoadBigEndian16(value.data()) <= kHighestVersion;
}

// The better of two values: a valid one over one that is not, then the larger counter.
Slice Larger(const Slice& a, const Slice& b) {
  if (!Valid(b)) return a;
  if (!Valid(a)) return b;
  return LoadBigEndian64(a.data() + 2) >= LoadBigEndian64(b.data() + 2) ? a : b;
}

class AutoIncrementMergeOperator final : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return kAutoIncrementMergeOperatorName; }

  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             rocksdb::Logger* /*logger*/) const override {
    const Slice larger = existing == nullptr ? value : Larger(*existing, value);
    result->assign(larger.data(), larger.size());
    return true;
  }
};

}  // namespace

std::shared_ptr<rocksdb::MergeOperator> NewAutoIncrementMergeOperator() {
  return std::make_shared<AutoIncrementMergeOperator>();
}

}  // namespace basalt::store
