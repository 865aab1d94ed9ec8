// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "store/store.h"
#include "unit/store/temporary_directory.h"

namespace basalt::catalog {

// A test with a store and a catalog in a directory of its own.
class CatalogFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    OpenStore();
    ASSERT_TRUE(Catalog::Load(store_.get(), &catalog_).ok());
  }
  void TearDown() override { Close(); }

  void Close() {
    catalog_.reset();
    store_.reset();
  }

  void OpenStore() {
    Close();
    store::StoreOptions options;
    options.directory = directory_ / "store";
    options.block_cache_bytes = 8 << 20;
    options.reserved_free_bytes = reserved_free_bytes_;
    options.env = env_;
    options.log = [this](store::LogLevel level, std::string_view) {
      if (level == store::LogLevel::kWarning) ++warnings_;
    };
    const Status status = store::Store::Open(std::move(options), &store_);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  void Reopen() {
    OpenStore();
    const Status status = Catalog::Load(store_.get(), &catalog_);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  static std::vector<IndexRequest> Requests() {
    return {{"default", IndexKind::kPrimary, 0, 0, false},
            {"rev:cf1", IndexKind::kSecondary, 0, 0, false}};
  }

  std::shared_ptr<const TableRecord> Create(const std::string& name, uint64_t auto_increment = 0) {
    std::shared_ptr<const TableRecord> table;
    const Status status = catalog_->CreateTable(name, Requests(), auto_increment, &table);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return table;
  }

  void PutSystem(const std::string& key, const std::string& value) {
    rocksdb::WriteBatch batch;
    ASSERT_TRUE(batch.Put(store_->system(), key, value).ok());
    ASSERT_TRUE(store_->Write(&batch, true).ok());
  }

  // The value of a dictionary record, or "absent".
  std::string System(const std::string& key) {
    std::string value;
    const auto status = store_->db()->Get(rocksdb::ReadOptions(), store_->system(), key, &value);
    return status.ok() ? value : "absent";
  }

  std::atomic<int> warnings_ = 0;  // that the store and the catalog have given
  test::TemporaryDirectory directory_;
  // Of a store that is opened from now on; the environment outlives it.
  uint64_t reserved_free_bytes_ = 0;
  rocksdb::Env* env_ = nullptr;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<Catalog> catalog_;
};

}  // namespace basalt::catalog
