// SPDX-License-Identifier: GPL-2.0-only
//
// Transactions whose disk fails or fills while their fate is being decided.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

#include "txn/decided_transactions.h"
#include "unit/store/faulty_file_system.h"
#include "unit/txn/txn_fixture.h"

namespace basalt::txn {
namespace {

using Fault = test::FaultyFileSystem::Fault;

class DiskFaultTest : public TxnFixture {
 protected:
  void SetUp() override {
    env_ = faulty_env_.get();
    TxnFixture::SetUp();
  }
  // One that commits by files.
  std::unique_ptr<Transaction> BeginLarge() {
    auto transaction = Begin();
    for (uint32_t i = 0; i < kRows; ++i) {
      EXPECT_TRUE(transaction->locks()
                      .Acquire(index(), Key(i), LockMode::kExclusive, LockWait::kWait)
                      .ok());
      EXPECT_TRUE(transaction->writes().Put(family(), Key(i), "value").ok());
    }
    EXPECT_TRUE(transaction->writes().logged().spilled());
    return transaction;
  }
  size_t Rows() { return Contents(family(), nullptr).size(); }
  // A flush that fails makes RocksDB refuse all writes, those of decided transactions as well.
  void StopWriting() {
    auto row = Begin();
    ASSERT_TRUE(row->writes().Put(family(), Key(0), "value").ok());
    ASSERT_TRUE(row->writes().Delete(family(), Key(0)).ok());
    ASSERT_TRUE(row->Commit(Durability::kSync).ok());
    files_->Fail(".sst", Fault::kNoSpace);
    EXPECT_FALSE(store_->flushes().Flush().ok());
    // RocksDB tells its listeners of an error first, and refuses writes after that.
    while (store_->writing_allowed() || BackgroundErrors() == 0) std::this_thread::yield();
  }
  void ResumeWriting() {
    files_->Heal();
    while (!store_->writing_allowed()) std::this_thread::yield();
  }
  uint64_t BackgroundErrors() {
    uint64_t count = 0;
    EXPECT_TRUE(store_->db()->GetIntProperty(rocksdb::DB::Properties::kBackgroundErrors, &count));
    return count;
  }
  void LosePowerAndReopen() {
    Close();
    files_->Heal();
    files_->CutPower();
    Open();
  }

  static constexpr uint32_t kRows = 1000;
  std::shared_ptr<test::FaultyFileSystem> files_ = std::make_shared<test::FaultyFileSystem>();
  std::unique_ptr<rocksdb::Env> faulty_env_ = rocksdb::NewCompositeEnv(files_);
};

TEST_F(DiskFaultTest, T5ARollBackThatIsNotDurableKeepsTheFiles) {
  auto transaction = BeginLarge();
  ASSERT_TRUE(transaction->Prepare("undone", Durability::kSync).ok());
  files_->Fail(".log", Fault::kIoError);
  EXPECT_FALSE(transaction->Rollback().ok());
  transaction.reset();
  LosePowerAndReopen();
  ASSERT_EQ(manager_->DetachedNames(), std::vector<std::string>{"undone"});
  EXPECT_EQ(manager_->CommitDetached("undone", Durability::kSync).ToString(), "ok");
  EXPECT_EQ(Rows(), kRows);
}

// The record of the files is committed, so they must follow: the commit waits for space.
TEST_F(DiskFaultTest, ADecidedLargeCommitWaitsForSpace) {
  auto transaction = BeginLarge();
  ASSERT_TRUE(transaction->Prepare("decided", Durability::kSync).ok());
  files_->Fail("", Fault::kNoSpace);
  auto committed =
      std::async(std::launch::async, [&] { return transaction->Commit(Durability::kSync); });
  EXPECT_EQ(committed.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  EXPECT_EQ(Rows(), 0u);
  auto other = Begin();
  EXPECT_EQ(other->locks().Acquire(index(), Key(1), LockMode::kExclusive, LockWait::kNoWait).code(),
            Code::kLockBusy);
  files_->Heal();
  EXPECT_EQ(committed.get().ToString(), "ok");
  EXPECT_EQ(Rows(), kRows);
  other.reset();
  transaction.reset();
  LosePowerAndReopen();
  EXPECT_EQ(Rows(), kRows);
}

// Until its entries are there, nobody may build an index of the rows that it changes.
TEST_F(DiskFaultTest, ADetachedOneIsRegisteredUntilItHasEnded) {
  auto transaction = BeginLarge();
  ASSERT_TRUE(transaction->Prepare("decided", Durability::kSync).ok());
  manager_->Detach(std::move(transaction));
  files_->Fail("", Fault::kNoSpace);
  auto committed = std::async(
      std::launch::async, [&] { return manager_->CommitDetached("decided", Durability::kSync); });
  EXPECT_EQ(committed.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  EXPECT_TRUE(manager_->PreparedHasWritesOf(index()));
  files_->Heal();
  EXPECT_EQ(committed.get().ToString(), "ok");
  EXPECT_FALSE(manager_->PreparedHasWritesOf(index()));
  EXPECT_EQ(Rows(), kRows);
}

// The outcome is decided, so it comes as soon as the store takes writes, without a restart. Each
// outcome has a store of its own: a recovery of RocksDB that is still ending would clear the next
// error as well.
class DecidedDiskFaultTest : public DiskFaultTest, public testing::WithParamInterface<bool> {};

TEST_P(DecidedDiskFaultTest, ASmallOneEndsWhenTheStoreWritesAgain) {
  const bool commit = GetParam();
  DecidedTransactions decided(manager_.get());
  auto transaction = Begin();
  ASSERT_TRUE(transaction->writes().Put(family(), Key(1), "value").ok());
  ASSERT_TRUE(transaction->writes().Delete(family(), Key(7)).ok());
  ASSERT_TRUE(
      transaction->locks().Acquire(index(), Key(1), LockMode::kExclusive, LockWait::kNoWait).ok());
  ASSERT_TRUE(transaction->Prepare("decided", Durability::kSync).ok());
  StopWriting();
  EXPECT_FALSE((commit ? transaction->Commit(Durability::kSync) : transaction->Rollback()).ok());
  ASSERT_EQ(transaction->state(), Transaction::State::kPrepared);
  manager_->Detach(std::move(transaction));
  decided.Add("decided", commit ? DecidedTransactions::Outcome::kCommit
                                : DecidedTransactions::Outcome::kRollback);
  decided.Tick();
  EXPECT_EQ(decided.size(), 1u);
  EXPECT_TRUE(manager_->PreparedHasWritesOf(index()));
  ResumeWriting();
  decided.Tick();
  EXPECT_EQ(decided.size(), 0u);
  EXPECT_FALSE(manager_->PreparedHasWritesOf(index()));
  EXPECT_EQ(Rows(), commit ? 1u : 0u);
  EXPECT_TRUE(
      Begin()->locks().Acquire(index(), Key(1), LockMode::kExclusive, LockWait::kNoWait).ok());
  LosePowerAndReopen();
  EXPECT_EQ(Rows(), commit ? 1u : 0u);
  EXPECT_TRUE(manager_->DetachedNames().empty());
}

INSTANTIATE_TEST_SUITE_P(Outcomes, DecidedDiskFaultTest, testing::Bool(),
                         [](const auto& outcome) { return outcome.param ? "Commit" : "Rollback"; });

// Where waiting cannot help, nobody may write what the files would overwrite at the next start.
TEST_F(DiskFaultTest, ADecidedLargeCommitThatCannotFinishStopsWriting) {
  auto transaction = BeginLarge();
  ASSERT_TRUE(transaction->Prepare("decided", Durability::kSync).ok());
  files_->FailFrom(1, test::FaultyFileSystem::kRename, Fault::kIoError, true);
  EXPECT_FALSE(transaction->Commit(Durability::kSync).ok());
  EXPECT_FALSE(store_->CheckWritingAllowed().ok());
  transaction.reset();
  LosePowerAndReopen();
  EXPECT_EQ(Rows(), kRows);
}

}  // namespace
}  // namespace basalt::txn
