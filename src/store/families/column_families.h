// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/db.h>

namespace basalt::store {

// The open column families of a store. A lookup reads one atomic pointer and takes no lock: the
// table behind it is never changed, only replaced by a longer copy, and old copies live until the
// store closes (column families are few, and are dropped by hand). So is a dropped column family's
// handle, which others may still be looking at.
//
// Thread-safety: lookups from any thread; Add, Remove and Clear by one thread at a time (the
// store's).
class ColumnFamilies {
 public:
  // Null when there is no such column family.
  rocksdb::ColumnFamilyHandle* Find(uint32_t id) const;
  rocksdb::ColumnFamilyHandle* Find(std::string_view name) const;
  // All handles in the order they were added.
  std::vector<rocksdb::ColumnFamilyHandle*> All() const;

  // Those that were removed, too.
  std::vector<rocksdb::ColumnFamilyHandle*> AllEver() const;

  // Takes note of a handle; the store keeps ownership.
  void Add(rocksdb::ColumnFamilyHandle* handle);
  // It is not found any more; it stays the store's to destroy.
  void Remove(rocksdb::ColumnFamilyHandle* handle);
  // Forgets all handles, before the store destroys them.
  void Clear();

 private:
  using Table = std::vector<rocksdb::ColumnFamilyHandle*>;
  const Table* Current() const { return current_.load(std::memory_order_acquire); }

  std::atomic<const Table*> current_{nullptr};
  std::vector<std::unique_ptr<const Table>> versions_;
};

// Does the order of keys run backwards there?
bool IsReverse(std::string_view column_family_name);
bool IsReverse(const rocksdb::ColumnFamilyHandle* handle);

}  // namespace basalt::store
