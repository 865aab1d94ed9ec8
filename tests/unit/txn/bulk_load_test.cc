// SPDX-License-Identifier: GPL-2.0-only
#include "txn/bulk_load.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "unit/txn/txn_fixture.h"

namespace basalt::txn {
namespace {

class BulkLoadTest : public TxnFixture {
 protected:
  static constexpr uint32_t kSecondary = 301;

  // A primary index, and one whose values (4 bytes) are unique, in a family that runs backwards.
  std::vector<LoadIndex> Indexes() {
    return {{{family()->GetID(), 300}, family(), [](Bytes key) { return key.size(); }},
            {{reversed_->GetID(), kSecondary}, reversed_, [](Bytes) { return size_t{8}; }}};
  }
  Status BeginLoad(Transaction* transaction, size_t buffer_bytes = 1u << 20) {
    LoadOptions options;
    options.buffer_bytes = buffer_bytes;
    options.entries_per_merge = entries_per_merge_;
    return transaction->BeginLoad(Indexes(), options, &load_);
  }
  Status BeginBesideRows(Transaction* transaction) {
    LoadOptions options;
    options.buffer_bytes = 1u << 16;
    options.beside_rows = true;
    return transaction->BeginLoad(Indexes(), options, &load_);
  }
  Status Add(uint32_t id, uint32_t value) {
    BASALT_RETURN_IF_ERROR(load_->Add(0, Key(id), std::string(100, 'r')));
    return load_->Add(1, Key(value, kSecondary) + Key(id).substr(4), "");
  }
  Status PutRow(Transaction* transaction, uint32_t id, uint32_t value) {
    BASALT_RETURN_IF_ERROR(transaction->writes().Put(family(), Key(id), "row"));
    return transaction->writes().Put(reversed_, Key(value, kSecondary) + Key(id).substr(4), "");
  }
  Status Finish() {
    return load_->Finish([](uint64_t, uint64_t) { return true; });
  }
  size_t Rows() { return Contents(family(), nullptr).size(); }
  size_t Entries() {
    Cursor cursor(store_->base(), reversed_, true, IndexId{reversed_->GetID(), kSecondary},
                  manager_->idle_cursors());
    EXPECT_TRUE(cursor.Bind(nullptr, nullptr).ok());
    size_t count = 0;
    for (cursor.SeekFirst(); cursor.Valid(); cursor.Next()) ++count;
    return count;
  }
  size_t Files() {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / "store")) {
      if (entry.path().extension() == ".ingest") ++count;
    }
    return count;
  }

  BulkLoad* load_ = nullptr;
  uint64_t entries_per_merge_ = LoadOptions().entries_per_merge;
};

// Merged by one thread, and by several.
class BulkLoadByThreads : public BulkLoadTest, public testing::WithParamInterface<uint64_t> {
 protected:
  BulkLoadByThreads() { entries_per_merge_ = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Threads, BulkLoadByThreads, testing::Values(1'000'000, 1000));

TEST_P(BulkLoadByThreads, AnyOrderManyRuns) {
  for (const uint32_t step : {1u, 7919u}) {  // in the order of the keys, and not
    StartAfresh();
    auto transaction = Begin();
    for (uint32_t i = 0; i < 20; ++i) ASSERT_TRUE(PutRow(transaction.get(), i, 90'000 + i).ok());
    ASSERT_EQ(BeginLoad(transaction.get()).ToString(), "ok");
    for (uint32_t i = 0; i < 30'000; ++i) {
      ASSERT_TRUE(Add(20 + static_cast<uint64_t>(i) * step % 30'011, 60'000 - i).ok());
    }
    EXPECT_GT(Files(), 0u);
    const uint64_t in_memory = manager_->memory_charge().bytes();
    EXPECT_EQ(in_memory > 0, step != 1) << "the first runs stay in memory";
    EXPECT_LE(in_memory, store_->options().block_cache_bytes / 4);
    ASSERT_EQ(Finish().ToString(), "ok");
    EXPECT_EQ(Rows(), 0u) << "nothing is seen before the commit";
    ASSERT_EQ(transaction->Commit(Durability::kSync).ToString(), "ok");
    EXPECT_EQ(Rows(), 30'020u);
    EXPECT_EQ(Entries(), 30'020u);
    EXPECT_EQ(Files(), 0u);
    transaction.reset();
    EXPECT_EQ(manager_->memory_charge().bytes(), 0u);
    Reopen();
    EXPECT_EQ(Rows(), 30'020u);
  }
}

// In the last level and with the sequence number 0, so that no compaction writes them again. Both
// indexes are in one family, and the loader has read before.
TEST_F(BulkLoadTest, FilesAreWhereTheyStay) {
  for (const uint32_t step : {1u, 7919u}) {
    StartAfresh();
    auto transaction = Begin();
    (void)transaction->snapshot().ForReads();
    for (uint32_t i = 0; i < 20; ++i) {
      ASSERT_TRUE(transaction->writes().Put(family(), Key(i * 500), "row").ok());
      ASSERT_TRUE(
          transaction->writes().Put(family(), Key(1'000'000 - i * 500, kSecondary), "").ok());
    }
    ASSERT_TRUE(transaction->writes().Delete(family(), Key(500)).ok());
    LoadOptions options;
    options.buffer_bytes = 1u << 20;
    std::vector<LoadIndex> indexes = {Indexes()[0],
                                      {{family()->GetID(), kSecondary}, family(), {}}};
    ASSERT_TRUE(transaction->BeginLoad(std::move(indexes), options, &load_).ok());
    for (uint32_t i = 0; i < 20'000; ++i) {
      const uint32_t id = 20'000 + static_cast<uint64_t>(i) * step % 30'011;
      ASSERT_TRUE(load_->Add(0, Key(id), std::string(100, 'r')).ok());
      ASSERT_TRUE(load_->Add(1, Key(900'000 - id, kSecondary), "").ok());
    }
    ASSERT_EQ(Finish().ToString(), "ok");
    ASSERT_EQ(transaction->Commit(Durability::kSync).ToString(), "ok");
    std::vector<rocksdb::LiveFileMetaData> files;
    store_->base()->GetLiveFilesMetaData(&files);
    std::erase_if(files,
                  [&](const auto& file) { return file.column_family_name != family()->GetName(); });
    ASSERT_GE(files.size(), 2u);
    for (const rocksdb::LiveFileMetaData& file : files) {
      EXPECT_EQ(file.largest_seqno, 0u) << file.name;
      EXPECT_EQ(file.level, 6) << file.name;
    }
    EXPECT_EQ(Rows(), 20'019u);
  }
}

// Also of what has stayed in one buffer, in order or not, and of what has gone to files before.
TEST_P(BulkLoadByThreads, ProgressIsTold) {
  for (const uint32_t buffer_bytes : {1u << 16, 1u << 24}) {
    for (const uint32_t step : {1u, 7919u}) {
      StartAfresh();
      auto transaction = Begin();
      ASSERT_EQ(BeginLoad(transaction.get(), buffer_bytes).ToString(), "ok");
      for (uint32_t i = 0; i < 10'000; ++i) {
        ASSERT_TRUE(Add(static_cast<uint64_t>(i) * step % 30'011, i).ok());
      }
      std::vector<uint64_t> told;
      const auto listen = [&](uint64_t done, uint64_t expected) {
        EXPECT_EQ(expected, 20'000u);
        told.push_back(done);
        return true;
      };
      ASSERT_EQ(load_->Finish(listen).ToString(), "ok");
      // Each index's end is told; besides, one thread tells of each 4,096 entries.
      EXPECT_GE(told.size(), GetParam() == 1000 ? 2u : 4u);
      EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
      EXPECT_EQ(told.back(), 20'000u);
      ASSERT_TRUE(transaction->Rollback().ok());
    }
  }
}

// Of two rows with the same primary key the entries of another index may meet first, in a run on
// disk. What tells is the primary index.
TEST_F(BulkLoadTest, EqualKeysOfWhatIsNotUnique) {
  auto transaction = Begin();
  LoadOptions options;
  options.buffer_bytes = 1u << 20;
  std::vector<LoadIndex> indexes = Indexes();
  indexes[1].unique_bytes = nullptr;
  ASSERT_TRUE(transaction->BeginLoad(std::move(indexes), options, &load_).ok());
  const auto add_rows = [&](uint32_t first) {
    for (uint32_t i = 0; i < 30'000; ++i) {
      ASSERT_TRUE(Add(first + static_cast<uint64_t>(i) * 7919 % 30'011, i).ok());
    }
  };
  add_rows(1000);
  EXPECT_GT(Files(), 0u) << "memory has no room for more runs";
  ASSERT_EQ(Add(1, 5).ToString(), "ok");
  ASSERT_EQ(load_->Add(1, Key(5, kSecondary) + Key(1).substr(4), "").ToString(), "ok");
  add_rows(100'000);
  ASSERT_EQ(load_->Add(0, Key(1), "again").ToString(), "ok");
  EXPECT_EQ(Finish().code(), Code::kDuplicateKey);
  EXPECT_EQ(load_->duplicate().index, 0u);
  EXPECT_EQ(load_->duplicate().key, Key(1));
}

TEST_P(BulkLoadByThreads, RollBackAndFailureLeaveNothing) {
  auto transaction = Begin();
  ASSERT_TRUE(BeginLoad(transaction.get()).ok());
  for (uint32_t i = 30'000; i > 0; --i) ASSERT_TRUE(Add(i, i).ok());
  uint64_t reports = 0;
  Status finished = load_->Finish([&](uint64_t, uint64_t) { return ++reports < 3; });
  EXPECT_EQ(finished.code(), Code::kInterrupted);
  EXPECT_GT(Files(), 0u);
  EXPECT_EQ(transaction->Commit(Durability::kSync).code(), Code::kInternal) << "it was cut off";
  ASSERT_TRUE(transaction->Rollback().ok());
  EXPECT_EQ(Files(), 0u);
  transaction->Begin({});
  ASSERT_TRUE(BeginLoad(transaction.get()).ok());
  ASSERT_TRUE(Add(1, 1).ok());
  ASSERT_TRUE(Finish().ok());
  ASSERT_TRUE(transaction->Rollback().ok());
  EXPECT_EQ(Files(), 0u);
  EXPECT_EQ(Rows(), 0u);
}

TEST_P(BulkLoadByThreads, DuplicatesAreFoundWhereverTheyLie) {
  struct Case {
    uint32_t step;           // 1: in order
    uint32_t at, id, value;  // the row added as number `at`
    size_t index;            // where the duplicate is
  };
  for (const Case& c : {Case{1, 29'999, 5, 70'000, 0}, Case{7919, 29'999, 5, 70'000, 0},
                        Case{7919, 1, 20, 70'000, 0}, Case{1, 29'999, 70'000, 100, 1},
                        Case{7919, 15'000, 70'000, 29'990, 1}, Case{1, 3, 70'000, 90'001, 1}}) {
    StartAfresh();
    auto transaction = Begin();
    for (uint32_t i = 0; i < 10; ++i) ASSERT_TRUE(PutRow(transaction.get(), i, 90'000 + i).ok());
    ASSERT_TRUE(BeginLoad(transaction.get()).ok());
    Status status;
    for (uint32_t i = 0; status.ok() && i < 30'000; ++i) {
      const uint32_t id = 20 + static_cast<uint64_t>(i) * c.step % 30'011;
      status = i == c.at ? Add(c.id, c.value) : Add(id, i);
    }
    if (status.ok()) status = Finish();
    ASSERT_EQ(status.code(), Code::kDuplicateKey) << c.at << " " << c.id;
    const BulkLoad::Duplicate& duplicate = load_->duplicate();
    EXPECT_EQ(duplicate.index, c.index);
    const uint32_t wanted = c.index == 0 ? c.id : c.value;
    EXPECT_EQ(LoadBigEndian32(duplicate.key.data() + 4), wanted);
    std::string value;
    const Bytes row_key = c.index == 0 ? Bytes(duplicate.key) : Bytes(duplicate.key).substr(8);
    const std::string key =
        c.index == 0 ? std::string(row_key) : Key(LoadBigEndian32(row_key.data()));
    EXPECT_EQ(load_->FindLoaded(0, key, &value).ToString(), "ok");
    ASSERT_TRUE(transaction->Rollback().ok());
    EXPECT_EQ(Files(), 0u);
  }
}

// Each value is there twice, so that some pair lies on both sides of a border. The first pair is
// told, whichever thread comes to one first.
TEST_P(BulkLoadByThreads, TheFirstDuplicateIsTold) {
  for (const uint32_t first : {0u, 700u, 25'000u}) {
    StartAfresh();
    auto transaction = Begin();
    ASSERT_TRUE(BeginLoad(transaction.get(), 1u << 18).ok());
    for (uint32_t i = 0; i < 30'000; ++i) {
      const uint32_t value = i * 7919 % 30'011;
      ASSERT_TRUE(Add(i, 100'000 - value).ok());
      if (value < first) continue;
      ASSERT_TRUE(Add(50'000 + i, 100'000 - value).ok());
    }
    ASSERT_EQ(Finish().code(), Code::kDuplicateKey);
    EXPECT_EQ(load_->duplicate().index, 1u);
    EXPECT_EQ(LoadBigEndian32(load_->duplicate().key.data() + 4), 100'000 - first);
    ASSERT_TRUE(transaction->Rollback().ok());
    EXPECT_EQ(Files(), 0u);
  }
}

TEST_F(BulkLoadTest, APreparedOneSurvivesAnUndecidedOneDoesNot) {
  for (const bool commit : {true, false}) {
    StartAfresh();
    auto transaction = Begin();
    ASSERT_TRUE(BeginLoad(transaction.get()).ok());
    for (uint32_t i = 0; i < 2000; ++i) ASSERT_TRUE(Add(i, i).ok());
    ASSERT_TRUE(Finish().ok());
    ASSERT_EQ(transaction->Prepare("load", Durability::kSync).ToString(), "ok");
    manager_->Detach(std::move(transaction));
    Reopen();
    EXPECT_EQ(Files(), 2u);
    EXPECT_EQ(Rows(), 0u);
    const Status decided = commit ? manager_->CommitDetached("load", Durability::kSync)
                                  : manager_->RollbackDetached("load");
    ASSERT_EQ(decided.ToString(), "ok");
    EXPECT_EQ(Rows(), commit ? 2000u : 0u);
    EXPECT_EQ(Files(), 0u);
  }
  const std::string orphan = directory_ / "store/77-0-300-run-1.ingest";
  std::filesystem::copy_file(directory_ / "store/CURRENT", orphan);
  Reopen();
  EXPECT_FALSE(std::filesystem::exists(orphan));
}

TEST_F(BulkLoadTest, OnlyATableThatNobodyElseHas) {
  auto loader = Begin();
  auto other = Begin();
  const IndexId primary = index();
  // A row lock, even of a key that no row has; of the primary or of a unique index.
  for (const IndexId locked : {primary, IndexId{reversed_->GetID(), kSecondary}}) {
    ASSERT_TRUE(other->locks().Acquire(locked, Key(1), LockMode::kShared, LockWait::kNoWait).ok());
    EXPECT_EQ(BeginLoad(loader.get()).code(), Code::kLockBusy);
    ASSERT_TRUE(other->Rollback().ok());
    other->Begin({});
  }
  // A range.
  ASSERT_TRUE(other->locks().AcquireRange(primary, Key(5), Key(6), LockWait::kNoWait).ok());
  EXPECT_EQ(BeginLoad(loader.get()).code(), Code::kLockBusy);
  ASSERT_TRUE(other->Rollback().ok());
  other->Begin({});
  // A row that is not committed.
  WriteGate gate;
  const NewEntry* held_up = nullptr;
  const std::string key = Key(9);
  const NewEntry added{primary, key};
  ASSERT_TRUE(other->writes().OpenWrite({&added, 1}, &gate, &held_up).ok());
  ASSERT_TRUE(other->writes().Put(family(), key, "row").ok());
  gate.Close();
  EXPECT_EQ(BeginLoad(loader.get()).code(), Code::kLockBusy);
  ASSERT_TRUE(other->Rollback().ok());
  // What failed has left nothing: others go on.
  other->Begin({});
  ASSERT_TRUE(other->writes().OpenWrite({&added, 1}, &gate, &held_up).ok());
  gate.Close();
  EXPECT_TRUE(other->locks().Acquire(primary, key, LockMode::kExclusive, LockWait::kNoWait).ok());
  ASSERT_TRUE(other->Rollback().ok());

  ASSERT_EQ(BeginLoad(loader.get()).ToString(), "ok");
  other->Begin({});
  EXPECT_EQ(other->writes().OpenWrite({&added, 1}, &gate, &held_up).code(), Code::kLockBusy);
  EXPECT_EQ(other->locks().Acquire(primary, key, LockMode::kShared, LockWait::kNoWait).code(),
            Code::kLockBusy);
  EXPECT_EQ(other->locks().AcquireRange(primary, Key(1), Key(2), LockWait::kNoWait).code(),
            Code::kLockBusy);
  ASSERT_TRUE(Add(1, 1).ok());
  ASSERT_TRUE(Finish().ok());
  ASSERT_TRUE(loader->Commit(Durability::kSync).ok());
  ASSERT_TRUE(other->writes().OpenWrite({&added, 1}, &gate, &held_up).ok());
  gate.Close();
  ASSERT_TRUE(other->Rollback().ok());
  loader->Begin({});
  EXPECT_EQ(BeginLoad(loader.get()).code(), Code::kLockBusy) << "it is not empty any more";
}

TEST_F(BulkLoadTest, BesideRowsThatAreThere) {
  struct Case {
    uint32_t first, count;  // ids of the load
    uint32_t first_value;   // they go up as the ids do
    Code expected;
  };
  // There are the rows 1000 .. 1009, with the values 5000 .. 5009.
  for (const Case& c :
       {Case{1, 999, 1, Code::kOk}, Case{1010, 3000, 5010, Code::kOk},
        Case{999, 12, 1, Code::kInvalidArgument}, Case{1009, 3000, 6000, Code::kInvalidArgument},
        Case{1, 500, 4600, Code::kDuplicateKey}, Case{2000, 3000, 2009, Code::kDuplicateKey}}) {
    StartAfresh();
    auto transaction = Begin();
    for (uint32_t i = 0; i < 10; ++i) {
      ASSERT_TRUE(PutRow(transaction.get(), 1000 + i, 5000 + i).ok());
    }
    ASSERT_TRUE(transaction->Commit(Durability::kSync).ok());
    transaction->Begin({});
    ASSERT_EQ(BeginBesideRows(transaction.get()).ToString(), "ok");
    for (uint32_t i = 0; i < c.count; ++i) {
      ASSERT_TRUE(Add(c.first + i, c.first_value + i).ok());
    }
    const Status finished = Finish();
    EXPECT_EQ(finished.code(), c.expected) << c.first << ": " << finished.ToString();
    if (finished.code() == Code::kDuplicateKey) {
      EXPECT_EQ(load_->duplicate().index, 1u);
    }
    if (finished.ok()) {
      ASSERT_TRUE(transaction->Commit(Durability::kSync).ok());
    } else {
      ASSERT_TRUE(transaction->Rollback().ok());
    }
    EXPECT_EQ(Rows(), 10 + (finished.ok() ? c.count : 0));
    EXPECT_EQ(Entries(), Rows());
    EXPECT_EQ(Files(), 0u);
  }
}

// Where others go on using the table: each entry was locked and looked for before.
class CheckedLoadTest : public BulkLoadTest {
 protected:
  Status BeginChecked(Transaction* transaction) {
    LoadOptions options;
    options.buffer_bytes = 1u << 16;
    options.checked_rows = true;
    return transaction->BeginLoad(Indexes(), options, &load_);
  }
  size_t RowsOf(const rocksdb::Snapshot* snapshot) {
    Cursor cursor(store_->base(), family(), false, index(), manager_->idle_cursors());
    EXPECT_TRUE(cursor.Bind(snapshot, nullptr).ok());
    size_t rows = 0;
    for (cursor.SeekFirst(); cursor.Valid(); cursor.Next()) ++rows;
    return rows;
  }
  // As the writer of rows does it.
  Status AddChecked(Transaction* transaction, uint32_t id, uint32_t value) {
    const std::string row = Key(id);
    const std::string entry = Key(value, kSecondary) + Key(id).substr(4);
    bool acquired = false;
    BASALT_RETURN_IF_ERROR(
        transaction->locks().AcquireForEntry(index(), row, LockWait::kNoWait, &acquired));
    const NewEntry added[] = {{index(), row}, {{reversed_->GetID(), kSecondary}, entry}};
    const NewEntry* held_up = nullptr;
    WriteGate gate;
    BASALT_RETURN_IF_ERROR(transaction->writes().OpenWrite(added, &gate, &held_up));
    transaction->writes().NoteLoaded(added);
    gate.Close();
    return Add(id, value);
  }
  // 1000 rows with even ids from 1000 on, and the values 50'000 and lower.
  void FillTable() {
    auto transaction = Begin();
    for (uint32_t i = 0; i < 1000; ++i) {
      ASSERT_TRUE(PutRow(transaction.get(), 1000 + 2 * i, 50'000 - i).ok());
    }
    ASSERT_TRUE(transaction->Commit(Durability::kSync).ok());
  }
};

TEST_F(CheckedLoadTest, AmongRowsAllOrNothing) {
  for (const uint32_t step : {1u, 7919u}) {
    StartAfresh();
    FillTable();
    auto older = Begin();
    const rocksdb::Snapshot* before = older->snapshot().ForReads();
    auto transaction = Begin();
    for (uint32_t i = 0; i < 200; ++i) ASSERT_TRUE(PutRow(transaction.get(), i, i).ok());
    ASSERT_TRUE(transaction->writes().logged().spilled());
    ASSERT_EQ(BeginChecked(transaction.get()).ToString(), "ok");
    for (uint32_t i = 0; i < 20'000; ++i) {
      const uint32_t id = 1001 + 2 * (static_cast<uint64_t>(i) * step % 30'011);
      ASSERT_EQ(AddChecked(transaction.get(), id, 60'000 + i).ToString(), "ok");
    }
    ASSERT_EQ(Finish().ToString(), "ok");
    EXPECT_EQ(Rows(), 1000u) << "nothing is seen before the commit";
    ASSERT_EQ(transaction->Commit(Durability::kSync).ToString(), "ok");
    EXPECT_EQ(Rows(), 21'200u);
    EXPECT_EQ(Entries(), 21'200u);
    EXPECT_EQ(Files(), 0u);
    EXPECT_EQ(RowsOf(before), 1000u) << "an older snapshot stays what it is";
    ASSERT_TRUE(older->Rollback().ok());
    older.reset();
    transaction.reset();
    Reopen();
    EXPECT_EQ(Rows(), 21'200u);
  }
}

TEST_F(CheckedLoadTest, OthersKeepTheirLocksAndRangesBesideIt) {
  FillTable();
  auto other = Begin();
  ASSERT_TRUE(
      other->locks().Acquire(index(), Key(1000), LockMode::kExclusive, LockWait::kNoWait).ok());
  ASSERT_TRUE(other->locks().AcquireRange(index(), Key(1), Key(500), LockWait::kNoWait).ok());
  auto loader = Begin();
  ASSERT_EQ(BeginChecked(loader.get()).ToString(), "ok");
  for (uint32_t i = 0; i < 2000; ++i) {
    ASSERT_TRUE(AddChecked(loader.get(), 5000 + i, 60'000 + i).ok());
  }
  // R1: in a range of another nothing is added.
  EXPECT_EQ(AddChecked(loader.get(), 499, 1).code(), Code::kLockBusy);
  // R2: a range with entries of the load is not granted; neither one between its first and last.
  for (const uint32_t start : {4000u, 5000u, 6999u}) {
    EXPECT_EQ(other->locks()
                  .AcquireRange(index(), Key(start), Key(start + 1500), LockWait::kNoWait)
                  .code(),
              Code::kLockBusy)
        << start;
  }
  const IndexId secondary{reversed_->GetID(), kSecondary};
  EXPECT_EQ(other->locks()
                .AcquireRange(secondary, Key(61'000, kSecondary), Key(61'001, kSecondary),
                              LockWait::kNoWait)
                .code(),
            Code::kLockBusy);
  EXPECT_TRUE(other->locks().AcquireRange(index(), Key(4000), Key(5000), LockWait::kNoWait).ok());
  EXPECT_TRUE(other->locks().AcquireRange(index(), Key(7000), Key(9000), LockWait::kNoWait).ok());
  EXPECT_EQ(other->locks().Acquire(index(), Key(5001), LockMode::kShared, LockWait::kNoWait).code(),
            Code::kLockBusy);
  ASSERT_TRUE(Finish().ok());
  ASSERT_TRUE(loader->Commit(Durability::kSync).ok());
  EXPECT_TRUE(other->locks().AcquireRange(index(), Key(4000), Key(7000), LockWait::kNoWait).ok());
  EXPECT_EQ(Rows(), 3000u);
}

TEST_F(CheckedLoadTest, ARollBackLeavesNothing) {
  FillTable();
  auto transaction = Begin();
  ASSERT_TRUE(BeginChecked(transaction.get()).ok());
  for (uint32_t i = 20'000; i > 0; --i) {
    ASSERT_TRUE(AddChecked(transaction.get(), 10'000 + i, 60'000 + i).ok());
  }
  EXPECT_GT(Files(), 0u);
  ASSERT_TRUE(Finish().ok());
  ASSERT_TRUE(transaction->Rollback().ok());
  EXPECT_EQ(Files(), 0u);
  EXPECT_EQ(Rows(), 1000u);
  EXPECT_EQ(Entries(), 1000u);
  auto other = Begin();
  EXPECT_TRUE(other->locks().AcquireRange(index(), Key(1), Key(90'000), LockWait::kNoWait).ok());
}

TEST_F(CheckedLoadTest, NotAfterDeletionsNorWhereConflictsAreDetected) {
  FillTable();
  auto transaction = Begin();
  ASSERT_TRUE(transaction->writes().Delete(family(), Key(1000)).ok());
  EXPECT_EQ(BeginChecked(transaction.get()).code(), Code::kLockBusy);
  ASSERT_TRUE(transaction->Rollback().ok());
  Transaction::Settings settings;
  settings.detect_conflicts = true;
  transaction->Begin(settings);
  EXPECT_EQ(BeginChecked(transaction.get()).code(), Code::kLockBusy);
  EXPECT_EQ(manager_->load_counts()->begun, 0u);
  ASSERT_TRUE(transaction->Rollback().ok());
  transaction->Begin({});
  EXPECT_TRUE(BeginChecked(transaction.get()).ok());
  EXPECT_EQ(manager_->load_counts()->of_checked_rows, 1u);
  ASSERT_TRUE(transaction->Rollback().ok());
}

}  // namespace
}  // namespace basalt::txn
