// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/memory_charge.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/advanced_cache.h>

#include "unit/txn/txn_fixture.h"

namespace basalt::txn {
namespace {

// What transactions keep in memory is a part of the block cache.
class MemoryChargeTest : public TxnFixture {
 protected:
  MemoryChargeTest() { spill_bytes_ = 2u << 20; }

  void Write(Transaction* transaction, uint64_t bytes) {
    for (uint64_t written = 0; written < bytes; written += kRow) {
      const Status put = transaction->writes().Put(family(), Key(next_++), std::string(kRow, 'v'));
      ASSERT_TRUE(put.ok()) << put.ToString();
    }
  }
  uint64_t Charged() const { return manager_->memory_charge().bytes(); }

  static constexpr uint64_t kRow = 1000;
  uint32_t next_ = 0;
};

TEST_F(MemoryChargeTest, WritesAreChargedUntilTheyAreCommitted) {
  const size_t before = store_->block_cache()->GetUsage();
  auto transaction = Begin();
  Write(transaction.get(), 1 << 20);
  EXPECT_GE(Charged(), 1u << 20);
  EXPECT_GE(store_->block_cache()->GetUsage(), before + (1 << 20));
  ASSERT_TRUE(transaction->Commit(Durability::kNone).ok());
  EXPECT_EQ(Charged(), 0u);
}

TEST_F(MemoryChargeTest, WritesThatAreTakenBackAreNot) {
  auto transaction = Begin();
  Write(transaction.get(), 1 << 20);
  EXPECT_GE(Charged(), 1u << 20);
  ASSERT_TRUE(transaction->Rollback().ok());
  EXPECT_EQ(Charged(), 0u);
}

TEST_F(MemoryChargeTest, SpilledWritesAreNot) {
  auto transaction = Begin();
  uint64_t most = 0;
  for (int i = 0; i < 40; ++i) {
    Write(transaction.get(), spill_bytes_ / 10);
    most = std::max(most, Charged());
  }
  EXPECT_TRUE(transaction->writes().logged().spilled());
  EXPECT_LE(most, 2 * spill_bytes_);
  ASSERT_TRUE(transaction->Commit(Durability::kNone).ok());
  EXPECT_EQ(Charged(), 0u);
}

}  // namespace
}  // namespace basalt::txn
