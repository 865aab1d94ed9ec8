// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/options.h>
#include <rocksdb/utilities/transaction_db.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "store/compaction/ttl_compaction_filter.h"
#include "store/errors/error_policy.h"
#include "store/families/column_families.h"
#include "store/options/store_options.h"

namespace basalt::store {

// Makes, configures and drops the column families of a store. The options of a family come from the
// defaults, the option strings of the server's variables, and its name.
//
// Any thread, but for ReadOverrides, Attach and Detach. Borrows what it is made with.
class FamilyManager {
 public:
  struct Parts {
    const StoreOptions* options;
    std::shared_ptr<rocksdb::Cache> cache;
    std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> collector_factory;
    std::shared_ptr<TimeToLive> time_to_live;
    const ErrorPolicy* policy;
  };
  explicit FamilyManager(Parts parts) : parts_(std::move(parts)) {}

  // Reads StoreOptions::override_column_family_options, and checks the options of families that are
  // not there yet, too: some CREATE would fail by a mistake in them. kInvalidArgument says where.
  Status ReadOverrides();
  Status BuildOptions(const std::string& name, rocksdb::ColumnFamilyOptions* options) const;

  // The database is open, with these families; it is going to be closed, with all there ever were.
  void Attach(rocksdb::TransactionDB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles);
  std::vector<rocksdb::ColumnFamilyHandle*> Detach();

  const ColumnFamilies& all() const { return families_; }
  // Finds or makes the column family, with the options for its name. kInvalidArgument for a bad
  // option string, kReadOnly and kIoError as for any write.
  Status GetOrCreate(const std::string& name, rocksdb::ColumnFamilyHandle** handle);
  // Drops a column family with everything in it; not one of the store's own. Nobody may write to it
  // any more. Its handle stays valid until the store closes, and is not found any more.
  Status Drop(rocksdb::ColumnFamilyHandle* handle);
  // Changes options of several, by name: "cf1={...};cf2={...}". All texts are checked before the
  // first is applied. A family that is made later begins with it.
  Status UpdateOptions(std::string_view text);

 private:
  // The defaults, and what the option strings make of them.
  Status ReadOptions(const std::string& name, rocksdb::ColumnFamilyOptions* options) const;
  // Changes options of an open family, a RocksDB option string. `changed`: what they then are.
  Status SetOptions(rocksdb::ColumnFamilyHandle* handle, const std::string& options,
                    const rocksdb::ColumnFamilyOptions& changed);

  const Parts parts_;
  Mutex mutex_;                                   // one creation or change of options at a time
  std::map<std::string, std::string> overrides_;  // family -> option string; written under mutex_
  ColumnFamilies families_;
  rocksdb::TransactionDB* db_ = nullptr;
};

}  // namespace basalt::store
