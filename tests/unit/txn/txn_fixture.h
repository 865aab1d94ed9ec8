// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "catalog/catalog.h"
#include "store/store.h"
#include "txn/cursor.h"
#include "txn/transaction_manager.h"
#include "unit/store/temporary_directory.h"

namespace basalt::txn {

// A store in a directory of its own with one forward and one reversed column family, a spill
// threshold so small that tests reach it, and what tests say most often.
class TxnFixture : public testing::Test {
 protected:
  void SetUp() override { Open(); }
  void TearDown() override { Close(); }

  void Open() {
    store::StoreOptions options;
    options.directory = directory_.path() + "/store";
    options.block_cache_bytes = 8u << 20;
    options.env = env_;
    ASSERT_EQ(store::Store::Open(options, &store_).ToString(), "ok");
    ASSERT_EQ(catalog::Catalog::Load(store_.get(), &catalog_).ToString(), "ok");
    ASSERT_TRUE(store_->families().GetOrCreate("rev:backwards", &reversed_).ok());
    TransactionManager::Options manager_options;
    manager_options.writes.spill_bytes = spill_bytes_;
    manager_ = std::make_unique<TransactionManager>(store_.get(), catalog_.get(), manager_options);
    ASSERT_EQ(manager_->Recover().ToString(), "ok");
  }
  void Close() {
    manager_.reset();
    catalog_.reset();
    store_.reset();
  }
  // An empty store instead of the present one.
  void StartAfresh() {
    Close();
    std::filesystem::remove_all(directory_ / "store");
    Open();
  }
  void Reopen() {
    Close();
    Open();
  }

  std::unique_ptr<Transaction> Begin(Isolation isolation = Isolation::kRepeatableRead) {
    auto transaction = manager_->NewTransaction();
    Transaction::Settings settings;
    settings.isolation = isolation;
    settings.lock_wait_microseconds = 50'000;
    transaction->Begin(settings);
    return transaction;
  }

  rocksdb::ColumnFamilyHandle* family() { return store_->default_column_family(); }
  IndexId index() { return {family()->GetID(), 300}; }

  static std::string Key(uint32_t number, uint32_t index_number = 300) {
    std::string key;
    AppendBigEndian32(&key, index_number);
    AppendBigEndian32(&key, number);
    return key;
  }

  // What a cursor of `transaction` (null: committed data only) shows, first to last.
  std::map<std::string, std::string> Contents(rocksdb::ColumnFamilyHandle* family,
                                              Transaction* transaction) {
    Cursor cursor(store_->base(), family, store::IsReverse(family), IndexId{family->GetID(), 300},
                  manager_->idle_cursors());
    EXPECT_TRUE(cursor.Bind(nullptr, transaction ? &transaction->writes().logged() : nullptr).ok());
    std::map<std::string, std::string> contents;
    for (cursor.SeekFirst(); cursor.Valid(); cursor.Next()) {
      contents.emplace(cursor.key(), cursor.value());
    }
    EXPECT_TRUE(cursor.status().ok());
    return contents;
  }

  rocksdb::Env* env_ = nullptr;  // null: the operating system's
  size_t spill_bytes_ = 1024;
  test::TemporaryDirectory directory_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<catalog::Catalog> catalog_;
  std::unique_ptr<TransactionManager> manager_;
  rocksdb::ColumnFamilyHandle* reversed_ = nullptr;
};

}  // namespace basalt::txn
