// SPDX-License-Identifier: GPL-2.0-only
#include "txn/cursor.h"

#include <iterator>
#include <random>

#include "unit/txn/txn_fixture.h"

namespace basalt::txn {
namespace {

class CursorTest : public TxnFixture {
 protected:
  using Model = std::map<std::string, std::string>;

  void Fill(rocksdb::ColumnFamilyHandle* family) {
    rocksdb::WriteBatch batch;
    for (uint32_t i = 0; i < 60; i += 3) {
      ASSERT_TRUE(batch.Put(family, Key(i), "base").ok());
      model_[Key(i)] = "base";
    }
    // Neighbours that must never be seen.
    ASSERT_TRUE(batch.Put(family, Key(1, 299), "below").ok());
    ASSERT_TRUE(batch.Put(family, Key(1, 301), "above").ok());
    ASSERT_TRUE(store_->Write(&batch, false).ok());
  }

  // Where a cursor must stand: an iterator into the model.
  void ExpectAt(const Cursor& cursor, Model::const_iterator expected) {
    if (expected == model_.end()) {
      EXPECT_FALSE(cursor.Valid());
      return;
    }
    ASSERT_TRUE(cursor.Valid());
    EXPECT_EQ(std::string(cursor.key()), expected->first);
    EXPECT_EQ(std::string(cursor.value()), expected->second);
  }

  Model::const_iterator AtOrBelow(const std::string& key) {
    auto above = model_.upper_bound(key);
    return above == model_.begin() ? model_.end() : std::prev(above);
  }
  Model::const_iterator Below(const std::string& key) {
    auto at = model_.lower_bound(key);
    return at == model_.begin() ? model_.end() : std::prev(at);
  }

  void Change(Transaction* transaction, rocksdb::ColumnFamilyHandle* family) {
    const std::string key = Key(random_() % 70);
    if (random_() % 3 == 0) {
      ASSERT_TRUE(transaction->writes().Delete(family, key).ok());
      model_.erase(key);
    } else {
      const std::string value(random_() % 40, static_cast<char>('a' + random_() % 26));
      ASSERT_TRUE(transaction->writes().Put(family, key, value).ok());
      model_[key] = value;
    }
  }

  using Savepoints = std::vector<std::pair<Transaction::Savepoint, Model>>;

  // Sets one, or releases or rolls back to one of those there are.
  void UseSavepoints(Transaction* transaction, Savepoints* savepoints) {
    if (savepoints->empty() || random_() % 2 == 0) {
      savepoints->emplace_back();
      ASSERT_TRUE(transaction->SetSavepoint(&savepoints->back().first).ok());
      savepoints->back().second = model_;
      return;
    }
    const size_t target = random_() % savepoints->size();
    if (random_() % 2 == 0) {
      transaction->ReleaseSavepoint((*savepoints)[target].first);
      savepoints->erase(savepoints->begin() + static_cast<ptrdiff_t>(target));
      return;
    }
    ASSERT_TRUE(transaction->RollbackToSavepoint((*savepoints)[target].first).ok());
    model_ = (*savepoints)[target].second;
    savepoints->resize(target + 1);
  }

  // Random moves, with changes, savepoints and spills in between, compared with a std::map.
  void RunAgainstModel(rocksdb::ColumnFamilyHandle* family, unsigned seed) {
    random_.seed(seed);
    model_.clear();
    Fill(family);
    auto transaction = Begin();
    Cursor cursor(store_->base(), family, store::IsReverse(family), IndexId{family->GetID(), 300},
                  manager_->idle_cursors());
    ASSERT_TRUE(
        cursor.Bind(transaction->snapshot().ForReads(), &transaction->writes().logged()).ok());
    Savepoints savepoints;
    for (int step = 0; step < 600; ++step) {
      switch (random_() % 12) {
        case 0:
        case 1: {
          const std::string key = Key(random_() % 70);
          cursor.SeekForward(key);
          ExpectAt(cursor, model_.lower_bound(key));
          break;
        }
        case 2: {
          const std::string key = Key(random_() % 70);
          cursor.SeekBackward(key);
          ExpectAt(cursor, AtOrBelow(key));
          break;
        }
        case 3:
          cursor.SeekFirst();
          ExpectAt(cursor, model_.begin());
          break;
        case 4:
          cursor.SeekLast();
          ExpectAt(cursor, model_.empty() ? model_.end() : std::prev(model_.end()));
          break;
        case 5:
        case 6:
        case 7:
          if (cursor.Valid()) {
            const std::string key(cursor.key());
            cursor.Next();
            ExpectAt(cursor, model_.upper_bound(key));
          }
          break;
        case 8:
          if (cursor.Valid()) {
            const std::string key(cursor.key());
            cursor.Prev();
            ExpectAt(cursor, Below(key));
          }
          break;
        case 9:
        case 10:
          UseSavepoints(transaction.get(), &savepoints);
          break;
        default:
          for (int i = 0; i < 6; ++i) Change(transaction.get(), family);
      }
      if (HasFailure()) {
        FAIL() << "seed " << seed << ", step " << step;
      }
    }
    EXPECT_EQ(Contents(family, transaction.get()), model_);
    cursor.Park();
    ASSERT_TRUE(transaction->Commit(Durability::kWrite).ok());
    EXPECT_EQ(Contents(family, nullptr), model_);
  }

  std::mt19937 random_;
  Model model_;
};

TEST_F(CursorTest, W1W2W3AgreesWithAModel) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    RunAgainstModel(family(), seed);
    if (HasFatalFailure()) return;
    StartAfresh();
  }
}

TEST_F(CursorTest, W1W2W3AgreesWithAModelInReverse) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    RunAgainstModel(reversed_, seed);
    if (HasFatalFailure()) return;
    StartAfresh();
  }
}

TEST_F(CursorTest, KeepsItsSnapshotAndRefreshes) {
  Fill(family());
  Cursor cursor(store_->base(), family(), false, index(), manager_->idle_cursors());
  const rocksdb::Snapshot* snapshot = store_->base()->GetSnapshot();
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(batch.Delete(family(), Key(0)).ok());
  ASSERT_TRUE(store_->Write(&batch, false).ok());
  ASSERT_TRUE(cursor.Bind(snapshot, nullptr).ok());
  cursor.SeekFirst();
  EXPECT_EQ(std::string(cursor.key()), Key(0));
  cursor.Unbind();
  store_->base()->ReleaseSnapshot(snapshot);
  ASSERT_TRUE(cursor.Bind(nullptr, nullptr).ok());
  cursor.SeekFirst();
  EXPECT_EQ(std::string(cursor.key()), Key(3));
}

TEST_F(CursorTest, ALimitedCursorGivesUpAmongDeletionsUntilItIsBoundAnew) {
  Fill(family());
  rocksdb::WriteBatch batch;
  for (uint32_t i = 3; i < 57; i += 3) ASSERT_TRUE(batch.Delete(family(), Key(i)).ok());
  ASSERT_TRUE(store_->Write(&batch, false).ok());
  Cursor limited(store_->base(), family(), false, index(), manager_->idle_cursors(), 10);
  ASSERT_TRUE(limited.Bind(nullptr, nullptr).ok());
  limited.SeekForward(Key(0));
  ASSERT_TRUE(limited.Valid());
  limited.Next();
  EXPECT_FALSE(limited.Valid());
  EXPECT_EQ(limited.status().code(), Code::kInterrupted);
  ASSERT_TRUE(limited.Bind(nullptr, nullptr).ok());
  limited.SeekForward(Key(57));
  ASSERT_TRUE(limited.Valid());
  EXPECT_EQ(std::string(limited.key()), Key(57));
  Cursor cursor(store_->base(), family(), false, index(), manager_->idle_cursors());
  ASSERT_TRUE(cursor.Bind(nullptr, nullptr).ok());
  cursor.SeekForward(Key(3));
  ASSERT_TRUE(cursor.Valid());
  EXPECT_EQ(std::string(cursor.key()), Key(57));
}

}  // namespace
}  // namespace basalt::txn
