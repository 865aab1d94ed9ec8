// SPDX-License-Identifier: GPL-2.0-only
#include "txn/transaction.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "txn/ingestion.h"
#include "unit/txn/txn_fixture.h"

namespace basalt::txn {
namespace {

class TransactionTest : public TxnFixture {
 protected:
  size_t Rows(Transaction* transaction = nullptr) { return Contents(family(), transaction).size(); }
  void PutRows(Transaction* transaction, uint32_t from, uint32_t to) {
    bool acquired;
    for (uint32_t i = from; i < to; ++i) {
      ASSERT_TRUE(
          transaction->locks().AcquireForEntry(index(), Key(i), LockWait::kWait, &acquired).ok());
      ASSERT_TRUE(transaction->writes().Put(family(), Key(i), "row " + std::to_string(i)).ok());
    }
  }
  size_t IngestFiles() {
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(store_->options().directory)) {
      files += entry.path().string().ends_with(kIngestFileSuffix);
    }
    return files;
  }
};

TEST_F(TransactionTest, T1WritesAppearWithTheCommit) {
  auto transaction = Begin();
  PutRows(transaction.get(), 0, 5);
  EXPECT_EQ(Rows(), 0u);
  EXPECT_EQ(Rows(transaction.get()), 5u);
  ASSERT_TRUE(transaction->Commit(Durability::kSync).ok());
  EXPECT_EQ(Rows(), 5u);
  EXPECT_FALSE(transaction->active());
}

TEST_F(TransactionTest, RollbackLeavesNothing) {
  auto transaction = Begin();
  PutRows(transaction.get(), 0, 200);
  EXPECT_TRUE(transaction->writes().logged().spilled());
  ASSERT_TRUE(transaction->Rollback().ok());
  EXPECT_EQ(Rows(), 0u);
  transaction->Begin({});
  PutRows(transaction.get(), 7, 8);
  ASSERT_TRUE(transaction->Commit(Durability::kSync).ok());
  EXPECT_EQ(Rows(), 1u);
}

TEST_F(TransactionTest, T3RepeatableReadKeepsItsSnapshot) {
  auto repeatable = Begin(Isolation::kRepeatableRead);
  auto committed = Begin(Isolation::kReadCommitted);
  rocksdb::PinnableSlice value;
  for (Transaction* reader : {repeatable.get(), committed.get()}) {
    reader->BeginStatement();
    EXPECT_EQ(reader->reads().Get(family(), Key(1), View::kSnapshot, &value).code(),
              Code::kNotFound);
    reader->EndStatement();
  }
  auto writer = Begin();
  PutRows(writer.get(), 1, 2);
  ASSERT_TRUE(writer->Commit(Durability::kNone).ok());
  EXPECT_EQ(repeatable->reads().Get(family(), Key(1), View::kSnapshot, &value).code(),
            Code::kNotFound);
  EXPECT_EQ(committed->reads().Get(family(), Key(1), View::kSnapshot, &value).code(), Code::kOk);
  EXPECT_EQ(repeatable->reads().Get(family(), Key(1), View::kLatest, &value).code(), Code::kOk);
}

TEST_F(TransactionTest, T3AReadOfAnOwnRowFixesTheSnapshotToo) {
  auto reader = Begin(Isolation::kRepeatableRead);
  PutRows(reader.get(), 1, 2);
  reader->BeginStatement();
  rocksdb::PinnableSlice value;
  ASSERT_TRUE(reader->reads().Get(family(), Key(1), View::kLatest, &value).ok());
  EXPECT_FALSE(reader->snapshot().taken());
  ASSERT_TRUE(reader->reads().Get(family(), Key(1), View::kSnapshot, &value).ok());
  reader->EndStatement();
  auto writer = Begin();
  PutRows(writer.get(), 2, 3);
  ASSERT_TRUE(writer->Commit(Durability::kNone).ok());
  EXPECT_EQ(reader->reads().Get(family(), Key(2), View::kSnapshot, &value).code(), Code::kNotFound);
  EXPECT_TRUE(reader->reads().Get(family(), Key(1), View::kSnapshot, &value).ok());
}

TEST_F(TransactionTest, T3AnEstimateDoesNotFixTheSnapshot) {
  auto reader = Begin();
  reader->BeginStatement();
  EXPECT_NE(reader->snapshot().ForEstimate(), nullptr);
  reader->EndStatement();
  EXPECT_FALSE(reader->snapshot().taken());
  reader->BeginStatement();
  const rocksdb::Snapshot* estimated = reader->snapshot().ForEstimate();
  EXPECT_EQ(reader->snapshot().ForReads(), estimated);
  reader->EndStatement();
  EXPECT_TRUE(reader->snapshot().taken());
}

// Who gets the lock finds what its last holder has committed, and nothing of what was rolled back:
// else a step of the counter would be lost, or one too many seen.
TEST_F(TransactionTest, T6WhoGetsTheLockSeesTheWrites) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 200;
  const auto count = [&] {
    auto transaction = manager_->NewTransaction();
    Transaction::Settings settings;
    settings.lock_wait_microseconds = 60'000'000;
    for (int round = 0; round < kRounds; ++round) {
      transaction->Begin(settings);
      ASSERT_TRUE(transaction->locks()
                      .Acquire(index(), Key(1), LockMode::kExclusive, LockWait::kWait)
                      .ok());
      rocksdb::PinnableSlice value;
      const Status read = transaction->reads().Get(family(), Key(1), View::kLatest, &value);
      const int before = read.ok() ? std::stoi(value.ToString()) : 0;
      value.Reset();
      const bool commit = round % 2 == 0;
      const std::string after = std::to_string(before + (commit ? 1 : 1'000'000));
      ASSERT_TRUE(transaction->writes().Put(family(), Key(1), after).ok());
      ASSERT_TRUE((commit ? transaction->Commit(Durability::kNone) : transaction->Rollback()).ok());
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(count);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Contents(family(), nullptr)[Key(1)], std::to_string(kThreads * kRounds / 2));
}

TEST_F(TransactionTest, T4AFailedStatementLeavesTheEarlierOnes) {
  auto transaction = Begin();
  transaction->BeginStatement();
  PutRows(transaction.get(), 0, 3);
  transaction->EndStatement();
  transaction->BeginStatement();
  PutRows(transaction.get(), 3, 300);  // spills on the way
  ASSERT_TRUE(
      transaction->locks().Acquire(index(), Key(1000), LockMode::kShared, LockWait::kNoWait).ok());
  ASSERT_TRUE(transaction->RollbackStatement().ok());
  EXPECT_EQ(Rows(transaction.get()), 3u);
  auto other = Begin();
  EXPECT_EQ(
      other->locks().Acquire(index(), Key(1000), LockMode::kExclusive, LockWait::kNoWait).code(),
      Code::kLockBusy)
      << "a row that was there outlives the statement's roll-back";
  EXPECT_TRUE(
      other->locks().Acquire(index(), Key(4), LockMode::kExclusive, LockWait::kNoWait).ok());
  EXPECT_EQ(other->locks().Acquire(index(), Key(2), LockMode::kExclusive, LockWait::kNoWait).code(),
            Code::kLockBusy);
  ASSERT_TRUE(transaction->Commit(Durability::kSync).ok());
  EXPECT_EQ(Rows(), 3u);
}

TEST_F(TransactionTest, T4TheFirstStatementMayFailAfterASavepoint) {
  auto transaction = Begin();
  Transaction::Savepoint savepoint;
  ASSERT_TRUE(transaction->SetSavepoint(&savepoint).ok());
  transaction->BeginStatement();
  PutRows(transaction.get(), 0, 3);
  ASSERT_TRUE(transaction->RollbackStatement().ok());
  ASSERT_TRUE(transaction->RollbackToSavepoint(savepoint).ok());
  PutRows(transaction.get(), 5, 6);
  ASSERT_TRUE(transaction->Commit(Durability::kSync).ok());
  EXPECT_EQ(Rows(), 1u);
}

TEST_F(TransactionTest, SavepointsMayBeReleasedInTheMiddle) {
  auto transaction = Begin();
  Transaction::Savepoint first, second, third;
  PutRows(transaction.get(), 0, 1);
  ASSERT_TRUE(transaction->SetSavepoint(&first).ok());
  PutRows(transaction.get(), 1, 2);
  ASSERT_TRUE(transaction->SetSavepoint(&second).ok());
  PutRows(transaction.get(), 2, 3);
  ASSERT_TRUE(transaction->SetSavepoint(&third).ok());
  PutRows(transaction.get(), 3, 4);
  transaction->ReleaseSavepoint(second);
  EXPECT_EQ(Rows(transaction.get()), 4u);
  ASSERT_TRUE(transaction->RollbackToSavepoint(third).ok());
  EXPECT_EQ(Rows(transaction.get()), 3u);
  ASSERT_TRUE(transaction->RollbackToSavepoint(first).ok());
  EXPECT_EQ(Rows(transaction.get()), 1u);
  ASSERT_TRUE(transaction->RollbackToSavepoint(first).ok());
  PutRows(transaction.get(), 9, 10);
  ASSERT_TRUE(transaction->Commit(Durability::kSync).ok());
  EXPECT_EQ(Rows(), 2u);
}

TEST_F(TransactionTest, ALargeTransactionCommitsByFiles) {
  auto small = Begin();
  PutRows(small.get(), 0, 50);
  ASSERT_TRUE(small->Commit(Durability::kSync).ok());
  auto large = Begin();
  PutRows(large.get(), 40, 2000);
  ASSERT_TRUE(large->writes().Delete(family(), Key(3)).ok());
  EXPECT_TRUE(large->writes().logged().spilled());
  EXPECT_EQ(Rows(), 50u);
  ASSERT_TRUE(large->Commit(Durability::kSync).ok());
  EXPECT_EQ(Rows(), 1999u);
  EXPECT_EQ(IngestFiles(), 0u);
  small.reset();
  large.reset();
  Reopen();
  EXPECT_EQ(Rows(), 1999u);
}

TEST_F(TransactionTest, T5PreparedSurvivesAndIsCommitted) {
  auto transaction = Begin();
  PutRows(transaction.get(), 0, 3);
  ASSERT_TRUE(transaction->Prepare("small", Durability::kSync).ok());
  manager_->Detach(std::move(transaction));
  Reopen();
  EXPECT_EQ(Rows(), 0u);
  EXPECT_EQ(manager_->DetachedNames(), std::vector<std::string>{"small"});
  auto other = Begin();
  EXPECT_EQ(other->locks().Acquire(index(), Key(1), LockMode::kExclusive, LockWait::kNoWait).code(),
            Code::kLockBusy);
  ASSERT_TRUE(manager_->CommitDetached("small", Durability::kSync).ok());
  EXPECT_EQ(Rows(), 3u);
  EXPECT_TRUE(
      other->locks().Acquire(index(), Key(1), LockMode::kExclusive, LockWait::kNoWait).ok());
  EXPECT_EQ(manager_->CommitDetached("small", Durability::kSync).code(), Code::kNotFound);
}

// One of user XA reads nothing any more once it is prepared: what keeps others from changing what
// it has read goes, what it has written stays its own.
TEST_F(TransactionTest, APreparedOneKeepsExclusiveLocksAlone) {
  const IndexId read{family()->GetID(), 301};
  const auto lock = [&](Transaction* by, IndexId of, uint32_t row, LockMode mode) {
    return by->locks().Acquire(of, Key(row, of.number), mode, LockWait::kNoWait).code();
  };
  auto transaction = Begin();
  PutRows(transaction.get(), 0, 3);
  ASSERT_EQ(lock(transaction.get(), index(), 10, LockMode::kShared), Code::kOk);
  ASSERT_EQ(lock(transaction.get(), index(), 11, LockMode::kExclusive), Code::kOk);
  ASSERT_TRUE(transaction->locks().ShareIndex(read));
  ASSERT_TRUE(transaction->locks().AcquireRange(index(), Key(20), Key(30), LockWait::kNoWait).ok());
  auto other = Begin();
  const std::string key = Key(25);
  const std::array<NewEntry, 1> added{NewEntry{index(), key}};
  const auto may_insert = [&] {
    WriteGate gate;
    const NewEntry* held_up = nullptr;
    return other->writes().OpenWrite(added, &gate, &held_up).code();
  };
  EXPECT_EQ(lock(other.get(), index(), 10, LockMode::kExclusive), Code::kLockBusy);
  EXPECT_EQ(lock(other.get(), read, 7, LockMode::kExclusive), Code::kLockBusy);
  EXPECT_EQ(may_insert(), Code::kLockBusy);
  std::thread waits([&] {
    auto waiter = manager_->NewTransaction();
    waiter->Begin({});
    EXPECT_TRUE(
        waiter->locks().Acquire(read, Key(8, 301), LockMode::kExclusive, LockWait::kWait).ok());
  });
  while (manager_->waits()->counters().waits < 1) std::this_thread::yield();
  ASSERT_TRUE(transaction->Prepare("reads no more", Durability::kSync, true).ok());
  waits.join();
  EXPECT_EQ(lock(other.get(), index(), 10, LockMode::kExclusive), Code::kOk);
  EXPECT_EQ(lock(other.get(), read, 7, LockMode::kExclusive), Code::kOk);
  EXPECT_EQ(may_insert(), Code::kOk);
  for (const uint32_t row : {0u, 2u, 11u}) {
    EXPECT_EQ(lock(other.get(), index(), row, LockMode::kShared), Code::kLockBusy) << row;
  }
  ASSERT_TRUE(transaction->Rollback().ok());
  EXPECT_EQ(lock(other.get(), index(), 11, LockMode::kShared), Code::kOk);
}

TEST_F(TransactionTest, T5ARollBackOfAPreparedOneIsDurable) {
  auto transaction = Begin();
  PutRows(transaction.get(), 0, 3);
  ASSERT_TRUE(transaction->Prepare("undone", Durability::kSync).ok());
  const uint64_t syncs = store_->wal_syncs().rounds();
  ASSERT_TRUE(transaction->Rollback().ok());
  EXPECT_GT(store_->wal_syncs().rounds(), syncs) << "a crash would bring it back";
}

TEST_F(TransactionTest, T5ADecisionWaitsForTheConnectionToDetach) {
  auto transaction = Begin();
  PutRows(transaction.get(), 0, 3);
  ASSERT_TRUE(transaction->Prepare("leaving", Durability::kSync, true).ok());
  std::thread decides(
      [&] { EXPECT_EQ(manager_->CommitDetached("leaving", Durability::kSync).ToString(), "ok"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  manager_->Detach(std::move(transaction));
  decides.join();
  EXPECT_EQ(Rows(), 3u);
  EXPECT_EQ(manager_->CommitDetached("never was", Durability::kSync).code(), Code::kNotFound);
}

TEST_F(TransactionTest, AChangeWaitsAsLongAsItsLogAsks) {
  constexpr std::chrono::milliseconds kPause{20};
  ChangeLog log;
  log.Open(index());
  log.SetPause(kPause);
  auto transaction = Begin();
  const auto begun = std::chrono::steady_clock::now();
  ASSERT_TRUE(transaction->changes().Add(log, "a change").ok());
  EXPECT_GE(std::chrono::steady_clock::now() - begun, kPause);
  log.Close();
  EXPECT_EQ(log.pause().count(), 0);
}

TEST_F(TransactionTest, T5ALargePreparedOneToo) {
  for (const bool commit : {true, false}) {
    auto transaction = Begin();
    PutRows(transaction.get(), 0, 1000);
    ASSERT_TRUE(transaction->writes().logged().spilled());
    ASSERT_TRUE(transaction->Prepare("large", Durability::kSync).ok());
    manager_->Detach(std::move(transaction));
    Reopen();
    EXPECT_EQ(IngestFiles(), 1u);
    const Status decided = commit ? manager_->CommitDetached("large", Durability::kSync)
                                  : manager_->RollbackDetached("large");
    ASSERT_EQ(decided.ToString(), "ok");
    EXPECT_EQ(Rows(), 1000u) << "committed before; the second time rolled back";
    EXPECT_EQ(IngestFiles(), 0u);
  }
}

TEST_F(TransactionTest, FilesOfALargeOneAreCutToTheSizeOfTheColumnFamilys) {
  constexpr uint32_t kRows = 4000;
  constexpr size_t kRowBytes = 100;
  constexpr size_t kFileBytes = 64u << 10;
  const std::string file_bytes = std::to_string(kFileBytes);
  for (rocksdb::ColumnFamilyHandle* each : {family(), reversed_}) {
    ASSERT_TRUE(store_->base()->SetOptions(each, {{"target_file_size_base", file_bytes}}).ok());
  }
  auto before = Begin();
  ASSERT_TRUE(before->writes().Put(family(), Key(kRows), "deleted below").ok());
  ASSERT_TRUE(before->Commit(Durability::kSync).ok());

  auto transaction = Begin();
  std::mt19937_64 random(1);  // nothing to compress
  for (uint32_t i = 0; i < kRows; ++i) {
    std::string row(kRowBytes, '\0');
    for (char& byte : row) byte = static_cast<char>(random());
    ASSERT_TRUE(transaction->writes().Put(family(), Key(i), row).ok());
    ASSERT_TRUE(transaction->writes().Put(reversed_, Key(i), row).ok());
  }
  ASSERT_TRUE(transaction->writes().Delete(family(), Key(kRows)).ok());
  ASSERT_TRUE(transaction->writes().logged().spilled());
  ASSERT_TRUE(transaction->Prepare("cut", Durability::kSync).ok());
  EXPECT_GE(IngestFiles(), 2 * (kRows * kRowBytes / kFileBytes));
  ASSERT_TRUE(transaction->Commit(Durability::kSync).ok());
  EXPECT_EQ(IngestFiles(), 0u);
  EXPECT_EQ(Contents(family(), nullptr).size(), kRows);
  EXPECT_EQ(Contents(reversed_, nullptr).size(), kRows);
}

TEST_F(TransactionTest, T5WhatAPreparedOneHasPutIsKnownAfterARestart) {
  for (const uint32_t rows : {3u, 1000u}) {  // in the log; in files
    auto transaction = Begin();
    PutRows(transaction.get(), 0, rows);
    transaction->writes().NoteAutoIncrement(index(), 500);
    ASSERT_TRUE(transaction->Prepare("put", Durability::kSync).ok());
    manager_->Detach(std::move(transaction));
    Reopen();
    const UndecidedKeys& undecided = *manager_->undecided();
    EXPECT_EQ(undecided.Greatest(index()), Key(rows - 1));
    EXPECT_EQ(undecided.AutoIncrement(index()), 500u);
    auto other = Begin();
    EXPECT_EQ(other->locks().WaitForUndecided(index(), Key(2).substr(0, 7)).code(),
              Code::kLockTimeout);
    EXPECT_EQ(
        other->locks().Acquire(index(), Key(2), LockMode::kExclusive, LockWait::kNoWait).code(),
        Code::kLockBusy);
    EXPECT_TRUE(other->locks().WaitForUndecided({index().column_family, 301}, Bytes()).ok());
    ASSERT_TRUE(manager_->RollbackDetached("put").ok());
    EXPECT_TRUE(other->locks().WaitForUndecided(index(), Key(2).substr(0, 7)).ok());
    EXPECT_TRUE(undecided.empty());
    EXPECT_EQ(undecided.Greatest(index()), "");
  }
}

TEST(UndecidedKeysTest, BeyondTheLimitTheIndexCountsAsAWhole) {
  UndecidedKeys undecided(2);
  const IndexId index{0, 300};
  std::string key;
  for (const char* added : {"aa", "ab", "ac"}) undecided.Add(nullptr, index, added);
  EXPECT_TRUE(undecided.Find(index, "zz", &key));
  EXPECT_EQ(key, "zz");
  EXPECT_EQ(undecided.Greatest(index), "ac");
  EXPECT_FALSE(undecided.Find({0, 301}, "zz", &key));
  undecided.Forget(nullptr);
  EXPECT_TRUE(undecided.empty());
}

TEST_F(TransactionTest, AFinishedJobMayRunAgain) {
  auto transaction = Begin();
  PutRows(transaction.get(), 0, 1000);
  catalog::IngestJob job;
  job.number = catalog_->ingest_jobs().NewNumber();
  ASSERT_TRUE(BuildIngestFiles(store_.get(), &transaction->writes().logged(), {}, &job).ok());
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(catalog_->ingest_jobs().Append(&batch, job).ok());
  ASSERT_TRUE(store_->Write(&batch, true).ok());
  // A crash here: the record is committed, the files are not taken over.
  transaction.reset();
  Reopen();
  EXPECT_EQ(Rows(), 1000u);
  std::vector<catalog::IngestJob> pending;
  ASSERT_TRUE(catalog_->ingest_jobs().Pending(&pending).ok());
  EXPECT_TRUE(pending.empty());
  ASSERT_TRUE(RunIngestJob(store_.get(), job).ok());
  EXPECT_EQ(Rows(), 1000u);
}

TEST_F(TransactionTest, OrphanedFilesGoAtTheNextStart) {
  auto transaction = Begin();
  PutRows(transaction.get(), 0, 1000);
  catalog::IngestJob job;
  job.number = 77;
  ASSERT_TRUE(BuildIngestFiles(store_.get(), &transaction->writes().logged(), {}, &job).ok());
  EXPECT_EQ(IngestFiles(), 1u);
  transaction.reset();
  Reopen();
  EXPECT_EQ(IngestFiles(), 0u);
  EXPECT_EQ(Rows(), 0u);
}

TEST_F(TransactionTest, AutoIncrementOutlivesAStatementAndArrivesWithTheCommit) {
  auto transaction = Begin();
  transaction->BeginStatement();
  transaction->writes().NoteAutoIncrement(index(), 12);
  transaction->writes().NoteAutoIncrement(index(), 5);
  ASSERT_TRUE(transaction->RollbackStatement().ok());
  uint64_t next = 1;
  ASSERT_TRUE(catalog_->auto_increments().Read(index(), &next).ok());
  EXPECT_EQ(next, 0u);
  ASSERT_TRUE(transaction->Commit(Durability::kSync).ok());
  ASSERT_TRUE(catalog_->auto_increments().Read(index(), &next).ok());
  EXPECT_EQ(next, 12u);
}

}  // namespace
}  // namespace basalt::txn
