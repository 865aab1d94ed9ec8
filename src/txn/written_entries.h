// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "txn/overlay_source.h"

namespace basalt::txn {

class WriteSet;

// An iterator over the uncommitted writes of a transaction to an index: the newest one of each key.
// A new one stands on the first entry.
//
// Invalid once WriteSet::generation has changed. One thread at a time; key() and value() are valid
// until the next move.
class WrittenEntries {
 public:
  enum class Order : uint8_t { kOfFamily, kFromItsEnd };
  // `index` with number 0 means: all indexes of the column family. `reverse`: its order.
  WrittenEntries(WriteSet* writes, rocksdb::ColumnFamilyHandle* family, bool reverse, IndexId index,
                 Order order = Order::kOfFamily);

  bool Valid() const { return present_ != nullptr; }
  void Next();
  Bytes key() const { return present_->key(); }
  Bytes value() const { return present_->value(); }
  bool deleted() const { return present_->deleted(); }  // there is no value
  // Not ok when a write could not be read; the entries end there.
  Status status() const;

 private:
  void Choose();

  const bool forward_;
  std::vector<std::unique_ptr<OverlaySource>> sources_;  // newest first
  OverlaySource* present_ = nullptr;
  std::string passed_;  // the key that Next leaves
};

}  // namespace basalt::txn
