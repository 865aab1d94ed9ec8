// SPDX-License-Identifier: GPL-2.0-only
//
// Starts with a write-ahead log whose end a crash has torn off.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "unit/engine/engine_fixture.h"
#include "unit/store/end_of_log.h"

namespace basalt::engine {
namespace {

constexpr int kPointInTime = 2, kTolerateTornEnd = 0;

class TornLogTest : public EngineFixture {
 protected:
  void SetUp() override {
    Open();
    CreateTable(false);
  }

  void InsertRows(int32_t first, int32_t last) {
    for (int32_t id = first; id <= last; ++id) {
      Begin();
      ASSERT_EQ(Insert({id, false, id, "row " + std::to_string(id)}).ToString(), "ok");
      Commit();
    }
  }
  size_t Rows() {
    Begin();
    const size_t rows = Scan(0).size();
    access_->Unbind();
    EXPECT_TRUE(transaction_->Rollback().ok());
    return rows;
  }

  // What is in the store's directory now is all that is left.
  void Crash() {
    namespace fs = std::filesystem;
    fs::remove_all(directory_ / "copy");
    // A copy takes a while, a crash does not: nothing may come or go meanwhile.
    rocksdb::DB* db = database_->store()->base();
    ASSERT_TRUE(db->PauseBackgroundWork().ok());
    ASSERT_TRUE(database_->store()->checkpoints().DisableFileDeletions().ok());
    fs::copy(directory_ / "store", directory_ / "copy", fs::copy_options::recursive);
    ASSERT_TRUE(database_->store()->checkpoints().EnableFileDeletions().ok());
    ASSERT_TRUE(db->ContinueBackgroundWork().ok());
    access_.reset();
    table_.reset();
    transaction_.reset();
    database_.reset();
    fs::remove_all(directory_ / "store");
    fs::rename(directory_ / "copy", directory_ / "store");
  }
  void TearLastLog() {
    std::vector<std::filesystem::path> logs;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / "store")) {
      if (entry.path().extension() == ".log" && entry.file_size() > 0) logs.push_back(entry.path());
    }
    ASSERT_FALSE(logs.empty());
    const auto last = *std::max_element(logs.begin(), logs.end());
    std::filesystem::resize_file(last, test::EndOfLog(last) - 3);
  }
  Status Start(int mode) {
    Database::Options options;
    options.store.directory = directory_ / "store";
    options.store.block_cache_bytes = 8u << 20;
    options.store.wal_recovery_mode = mode;
    Status opened = Database::Open(std::move(options), &database_);
    if (opened.ok()) OpenTable(false);
    return opened;
  }
};

TEST_F(TornLogTest, ACrashRightAfterTheNextStartDoesNoHarm) {
  InsertRows(1, 10);
  Crash();
  TearLastLog();
  ASSERT_EQ(Start(kPointInTime).ToString(), "ok");
  EXPECT_EQ(Rows(), 9u);
  Crash();
  ASSERT_EQ(Start(kPointInTime).ToString(), "ok");
  EXPECT_EQ(Rows(), 9u);
}

TEST_F(TornLogTest, ACrashLaterOnDoesNoHarm) {
  InsertRows(1, 10);
  Crash();
  TearLastLog();
  ASSERT_EQ(Start(kPointInTime).ToString(), "ok");
  InsertRows(11, 20);
  Crash();
  ASSERT_EQ(Start(kPointInTime).ToString(), "ok");
  EXPECT_EQ(Rows(), 19u);
  InsertRows(21, 30);
  Crash();
  TearLastLog();
  ASSERT_EQ(Start(kPointInTime).ToString(), "ok");
  EXPECT_EQ(Rows(), 28u);
}

// As an earlier version, or the old plugin, has left it.
TEST_F(TornLogTest, AnOldTornEndThatNobodyHasCutOff) {
  InsertRows(1, 10);
  Crash();
  TearLastLog();
  ASSERT_EQ(Start(kTolerateTornEnd).ToString(), "ok");
  Crash();
  ASSERT_EQ(Start(kPointInTime).ToString(), "ok");
  EXPECT_EQ(Rows(), 9u);
}

TEST_F(TornLogTest, AnOldTornEndAndNewRowsBehindIt) {
  InsertRows(1, 10);
  Crash();
  TearLastLog();
  ASSERT_EQ(Start(kTolerateTornEnd).ToString(), "ok");
  InsertRows(11, 20);
  Crash();
  ASSERT_EQ(Start(kPointInTime).ToString(), "ok");
  EXPECT_EQ(Rows(), 19u);
}

}  // namespace
}  // namespace basalt::engine
