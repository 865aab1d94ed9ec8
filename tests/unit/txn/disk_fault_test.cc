// SPDX-License-Identifier: GPL-2.0-only
//
// Transactions whose disk fails or fills while their fate is being decided.
#include <gtest/gtest.h>

#include <chrono>
#include <future>

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
