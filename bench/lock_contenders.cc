// SPDX-License-Identifier: GPL-2.0-only
#include "lock_contenders.h"

#include <rocksdb/utilities/transaction.h>
#include <rocksdb/utilities/transaction_db.h>

#include <cstdio>
#include <limits>
#include <utility>

#include "catalog/catalog.h"
#include "store/store.h"
#include "txn/transaction_manager.h"

namespace basalt::bench {
namespace {

// A wait this long means that something hangs: no scenario makes anybody wait for a second.
constexpr uint64_t kWaitMicroseconds = 60'000'000;
constexpr uint32_t kIndexNumber = 300;

// --- Basalt's transactions with its lock table and range locks ---

class BasaltSession : public LockSession {
 public:
  BasaltSession(txn::TransactionManager* manager, IndexId index)
      : transaction_(manager->NewTransaction()), index_(index) {}

  void Begin() override {
    txn::Transaction::Settings settings;
    settings.lock_wait_microseconds = kWaitMicroseconds;
    transaction_->Begin(settings);
  }
  bool LockRow(std::string_view key) override {
    return transaction_->locks()
        .Acquire(index_, key, txn::LockMode::kExclusive, txn::LockWait::kWait)
        .ok();
  }
  bool LockRange(std::string_view start, std::string_view end) override {
    return transaction_->locks().AcquireRange(index_, start, end, txn::LockWait::kWait).ok();
  }
  void End() override { (void)transaction_->Rollback(); }

 private:
  const std::unique_ptr<txn::Transaction> transaction_;
  const IndexId index_;
};

class BasaltLocks : public LockContender {
 public:
  Status Open(const std::string& directory, bool escalate) {
    store::StoreOptions options;
    options.directory = directory + "/store";
    Status status = store::Store::Open(options, &store_);
    if (status.ok()) status = catalog::Catalog::Load(store_.get(), &catalog_);
    if (!status.ok()) return status;
    txn::TransactionManager::Options manager_options;
    if (!escalate) {
      manager_options.locks.escalation_threshold = std::numeric_limits<uint32_t>::max();
    }
    manager_ =
        std::make_unique<txn::TransactionManager>(store_.get(), catalog_.get(), manager_options);
    return manager_->Recover();
  }
  std::unique_ptr<LockSession> Connect() override {
    const IndexId index{store_->default_column_family()->GetID(), kIndexNumber};
    return std::make_unique<BasaltSession>(manager_.get(), index);
  }

 private:
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<catalog::Catalog> catalog_;
  std::unique_ptr<txn::TransactionManager> manager_;
};

// --- RocksDB's transactions with its lock managers ---

class RocksDbSession : public LockSession {
 public:
  explicit RocksDbSession(rocksdb::TransactionDB* db) : db_(db) {}

  void Begin() override {
    rocksdb::TransactionOptions options;
    options.deadlock_detect = true;  // as Basalt does by default
    options.lock_timeout = kWaitMicroseconds / 1000;
    transaction_.reset(db_->BeginTransaction({}, options, transaction_.release()));
  }
  bool LockRow(std::string_view key) override {
    // Without a place for the value and without validation this locks and reads nothing.
    std::string* const no_value = nullptr;
    constexpr bool kExclusive = true, kValidate = false;
    return transaction_
        ->GetForUpdate({}, db_->DefaultColumnFamily(), key, no_value, kExclusive, kValidate)
        .ok();
  }
  bool LockRange(std::string_view start, std::string_view end) override {
    return transaction_
        ->GetRangeLock(db_->DefaultColumnFamily(), rocksdb::Endpoint(start, false),
                       rocksdb::Endpoint(end, false))
        .ok();
  }
  void End() override { (void)transaction_->Rollback(); }

 private:
  rocksdb::TransactionDB* const db_;
  std::unique_ptr<rocksdb::Transaction> transaction_;
};

class RocksDbLocks : public LockContender {
 public:
  rocksdb::Status Open(const std::string& directory, rocksdb::TransactionDBOptions options) {
    rocksdb::Options db_options;
    db_options.create_if_missing = true;
    rocksdb::TransactionDB* opened = nullptr;
    const rocksdb::Status status =
        rocksdb::TransactionDB::Open(db_options, options, directory + "/store", &opened);
    db_.reset(opened);
    return status;
  }
  std::unique_ptr<LockSession> Connect() override {
    return std::make_unique<RocksDbSession>(db_.get());
  }

 private:
  std::unique_ptr<rocksdb::TransactionDB> db_;
};

constexpr std::string_view kBasalt = "basalt";
constexpr std::string_view kBasaltUnescalated = "basalt-unescalated";
constexpr std::string_view kPoint = "rocksdb-point";
constexpr std::string_view kPerKey = "rocksdb-per-key";
constexpr std::string_view kRange = "rocksdb-range";

std::unique_ptr<LockContender> Complain(std::string_view name, const std::string& why) {
  (void)fprintf(stderr, "%.*s: %s\n", static_cast<int>(name.size()), name.data(), why.c_str());
  return nullptr;
}

std::unique_ptr<LockContender> MakeBasalt(std::string_view name, const std::string& directory) {
  auto contender = std::make_unique<BasaltLocks>();
  const Status status = contender->Open(directory, name == kBasalt);
  if (!status.ok()) return Complain(name, status.ToString());
  return contender;
}

std::unique_ptr<LockContender> MakeRocksDb(std::string_view name, const std::string& directory) {
  rocksdb::TransactionDBOptions options;
  options.use_per_key_point_lock_mgr = name == kPerKey;
  if (name == kRange) options.lock_mgr_handle.reset(rocksdb::NewRangeLockManager(nullptr));
  auto contender = std::make_unique<RocksDbLocks>();
  const rocksdb::Status status = contender->Open(directory, std::move(options));
  if (!status.ok()) return Complain(name, status.ToString());
  return contender;
}

}  // namespace

const std::vector<std::string>& ContenderNames() {
  static const std::vector<std::string> names{std::string(kBasalt), std::string(kBasaltUnescalated),
                                              std::string(kPoint), std::string(kPerKey),
                                              std::string(kRange)};
  return names;
}

std::unique_ptr<LockContender> MakeContender(std::string_view name, const std::string& directory) {
  if (name == kBasalt || name == kBasaltUnescalated) return MakeBasalt(name, directory);
  if (name == kPoint || name == kPerKey || name == kRange) return MakeRocksDb(name, directory);
  return Complain(name, "no such lock manager");
}

}  // namespace basalt::bench
