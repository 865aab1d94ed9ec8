// SPDX-License-Identifier: GPL-2.0-only

// Every operation that writes, with its 1st, 2nd, 3rd ... I/O failing until it succeeds. After each
// failure: reading goes on; a full disk heals in place; the store opens again after a power cut;
// acknowledged rows are there, what failed is there as a whole or not at all, the dictionary and
// the indexes agree.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "engine/checks/table_check.h"
#include "engine/indexes/index_rebuild.h"
#include "engine/loads/explicit_load.h"
#include "txn/ingestion.h"
#include "unit/engine/engine_fixture.h"
#include "unit/store/faulty_file_system.h"

namespace basalt::engine {
namespace {

using test::FaultyFileSystem;
using Fault = FaultyFileSystem::Fault;

// How the disk fails: what, which I/Os, once or from then on, and whether the power goes after it.
struct Mode {
  const char* name;
  Fault fault;
  unsigned kinds;
  bool stays;
  bool power_cut;
};

constexpr Mode kModes[] = {
    {"full disk", Fault::kNoSpace, FaultyFileSystem::kAppend | FaultyFileSystem::kOpen, true,
     false},
    {"full disk for a moment, power cut", Fault::kNoSpace,
     FaultyFileSystem::kAppend | FaultyFileSystem::kOpen, false, true},
    {"failed write", Fault::kIoError, FaultyFileSystem::kWrites, true, false},
    {"one failed write, power cut", Fault::kIoError, FaultyFileSystem::kWrites, false, true},
    {"failed read", Fault::kIoError, FaultyFileSystem::kRead, false, false},
};

constexpr int kMostIos = 400;
constexpr int kLoadedRows = 16'000;  // their entries are more than a load holds in memory

class NeverStops : public TaskProgress {
 public:
  void NextStage() override {}
  bool Report(uint64_t, uint64_t) override { return true; }
};

class IoLoop : public EngineFixture {
 protected:
  void SetUp() override {
    files_ = std::make_shared<FaultyFileSystem>();
    faulty_env_ = rocksdb::NewCompositeEnv(files_);
    env_ = faulty_env_.get();
    spill_bytes_ = 4096;
    Open();
    CreateTable(false);
  }
  void TearDown() override { CloseAll(); }

  void CloseAll() {
    access_.reset();
    table_.reset();
    transaction_.reset();
    database_.reset();
  }

  // --- Rows ---

  Row NewRow() {
    const int32_t id = next_id_++;
    return Row{id, id % 7 == 0, id % 7 == 0 ? 0 : id % 50, "name " + std::to_string(id)};
  }
  // Inserts `count` rows in one transaction; they are in rows_ when it was acknowledged, in
  // pending_ when it may have happened.
  Status InsertRows(int count, bool prepare = false) {
    pending_.clear();
    std::map<int32_t, Row> rows;
    Begin();
    Status status;
    for (int i = 0; i < count && status.ok(); ++i) {
      const Row row = NewRow();
      status = Insert(row);
      rows[row.id] = row;
    }
    access_->Unbind();
    if (status.ok() && prepare) {
      status = transaction_->Prepare("MySQLXid-loop", txn::Durability::kSync, false);
    }
    if (!status.ok()) {
      if (!transaction_->Rollback().ok()) pending_ = rows;
      return status;
    }
    status = transaction_->Commit(txn::Durability::kSync);
    if (status.ok()) {
      rows_.merge(rows);
    } else {
      pending_ = rows;
    }
    return status;
  }

  // A bulk load of `count` rows, which come in no order and in more pieces than memory holds.
  Status LoadRows(int count) {
    pending_.clear();
    std::vector<Row> rows;
    for (int i = 0; i < count; ++i) rows.push_back(NewRow());
    for (int i = 0; i + 3 < count; i += 4) std::swap(rows[i], rows[count - 1 - i / 2]);
    ExplicitLoad load(
        database_.get(), [](uint64_t, uint64_t) { return true; },
        [](const std::function<Status()>& commit) { return commit(); });
    const ExplicitLoad::Settings in_least_memory = {.sorted = false, .buffer_bytes = 1};
    for (const Row& row : rows) {
      BASALT_RETURN_IF_ERROR(load.Insert(table_, Record(row).data(), in_least_memory));
    }
    bool lost = false;
    Status finished = load.Finish(&lost);
    EXPECT_FALSE(lost) << "the table is there";
    for (const Row& row : rows) (finished.ok() ? rows_ : pending_)[row.id] = row;
    return finished;
  }
  Status EmptyTable() {
    BASALT_RETURN_IF_ERROR(database_->catalog()->TruncateTable("d.t", 0, nullptr));
    rows_.clear();
    OpenTable(false);
    return database_->reclaimer()->ReclaimAll();
  }
  size_t IngestFiles() const {
    size_t count = 0;
    for (const auto& file : std::filesystem::directory_iterator(directory_ / "store")) {
      count += file.path().string().ends_with(txn::kIngestFileSuffix);
    }
    return count;
  }

  // --- The loop ---

  using Operation = std::function<Status()>;
  using Check = std::function<void(bool acknowledged)>;

  // `again`: what must succeed as soon as a full disk has space, in the same process.
  void Loop(const char* name, const Operation& operation, const Check& check = {},
            const Operation& prepare = {}, const Operation& again = {}) {
    for (const Mode& mode : kModes) {
      int failures = 0;
      bool fired = true;
      for (int nth = 1; fired && nth <= kMostIos; nth += Step(nth)) {
        SCOPED_TRACE(std::string(name) + ", " + mode.name + ", I/O " + std::to_string(nth));
        if (prepare) {
          ASSERT_EQ(prepare().ToString(), "ok");
        }
        files_->FailFrom(nth, mode.kinds, mode.fault, mode.stays);
        const Status status = RunWhileFull(operation);
        fired = files_->fired();
        failures += fired && !status.ok();
        if (!fired) {
          ASSERT_EQ(status.ToString(), "ok");
        }
        ASSERT_NO_FATAL_FAILURE(AfterFault(mode, again));
        if (check) check(status.ok());
        CheckRows();
        if (HasFailure()) return;
      }
      ASSERT_FALSE(fired) << name << " with " << mode.name << " never succeeds";
      std::printf("   io: %s: %s: %d I/Os failed it, lost: 0\n", name, mode.name, failures);
    }
  }

  // Every I/O in the long form; in the short one the later ones with growing gaps.
  static int Step(int nth) {
    static const bool is_long = std::getenv("BASALT_LONG") != nullptr;
    return is_long || nth < 6 ? 1 : 1 + nth / 3;
  }

  // Some operations wait for space instead of failing: it comes after a while.
  Status RunWhileFull(const Operation& operation) {
    auto running = std::async(std::launch::async, operation);
    if (running.wait_for(std::chrono::seconds(1)) != std::future_status::ready) files_->Heal();
    return running.get();
  }

  void AfterFault(const Mode& mode, const Operation& again) {
    if (mode.fault != Fault::kIoError || (mode.kinds & FaultyFileSystem::kRead) == 0) {
      ReadOneRow();
    }
    AwaitBackgroundWork();
    files_->Heal();
    if (mode.fault == Fault::kNoSpace) {
      ExpectWritingResumes();
      if (again && database_ != nullptr) {
        EXPECT_EQ(again().ToString(), "ok") << "with space again";
      }
    }
    CloseAll();
    if (mode.power_cut) files_->CutPower(++cuts_);
    ASSERT_NO_FATAL_FAILURE(Open());
    // What came back prepared is nobody's; the server rolls it back.
    for (const std::string& name : database_->transactions()->DetachedNames()) {
      EXPECT_EQ(database_->transactions()->RollbackDetached(name).ToString(), "ok");
    }
    OpenTable(false);
  }

  void ReadOneRow() {
    if (database_ == nullptr || rows_.empty()) return;
    const catalog::IndexRecord* primary = database_->catalog()->FindTable("d.t")->Primary();
    ASSERT_NE(primary, nullptr);
    std::unique_ptr<rocksdb::Iterator> entry(database_->store()->base()->NewIterator(
        rocksdb::ReadOptions(), database_->store()->default_column_family()));
    entry->SeekToFirst();
    EXPECT_TRUE(entry->Valid()) << "reading goes on: " << entry->status().ToString();
  }

  // A flush or compaction beside the operation may have met the fault too and not have said so yet.
  // It does while the disk is still full, and not between its end and the next statement.
  void AwaitBackgroundWork() {
    if (database_ == nullptr) return;
    EXPECT_EQ(database_->store()->compactions().PauseBackgroundWork(true).ToString(), "ok");
    EXPECT_EQ(database_->store()->compactions().PauseBackgroundWork(false).ToString(), "ok");
  }

  void ExpectWritingResumes() {
    if (database_ == nullptr) return;
    for (int i = 0; i < 200; ++i) {
      if (database_->store()->ResumeWriting().ok()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ADD_FAILURE() << "writing does not resume after a full disk: "
                  << database_->store()->CheckWritingAllowed().ToString();
  }

  // The rows as each index has them, against the model.
  void CheckRows() {
    Begin();
    const std::vector<Row> found = Scan(0);
    const size_t by_k_count = Scan(by_k()).size();
    const size_t by_name_count = Scan(by_name()).size();
    access_->Unbind();
    EXPECT_TRUE(transaction_->Rollback().ok());
    EXPECT_EQ(by_k_count, found.size());
    EXPECT_EQ(by_name_count, found.size());
    std::map<int32_t, Row> actual;
    for (const Row& row : found) actual[row.id] = row;
    if (actual != rows_) {
      std::map<int32_t, Row> with_pending = rows_;
      with_pending.insert(pending_.begin(), pending_.end());
      EXPECT_TRUE(actual == with_pending)
          << actual.size() << " rows instead of " << rows_.size() << " or " << with_pending.size();
      rows_ = actual;
    }
    pending_.clear();
  }

  // A table of the dictionary: there and empty and usable, or not there and its name free.
  void CheckTable(const std::string& name, bool must, bool must_not) {
    const auto table = database_->catalog()->FindTable(name);
    if (must) {
      EXPECT_NE(table, nullptr) << name << " was acknowledged";
    }
    if (must_not) {
      EXPECT_EQ(table, nullptr) << name << " was dropped";
    }
    if (table == nullptr) {
      ASSERT_EQ(CreateSimple(name).ToString(), "ok");
    }
    ASSERT_EQ(database_->catalog()->DropTable(name).ToString(), "ok");
    ASSERT_EQ(database_->reclaimer()->ReclaimAll().ToString(), "ok");
    EXPECT_TRUE(database_->catalog()->dropped_indexes().All().empty());
  }

  Status CreateSimple(const std::string& name, const std::string& family = "default") {
    std::vector<catalog::IndexRequest> requests(2);
    requests[0].kind = catalog::IndexKind::kPrimary;
    requests[0].column_family = family;
    requests[1].kind = catalog::IndexKind::kSecondary;
    return database_->catalog()->CreateTable(name, requests, 5, nullptr);
  }

  std::shared_ptr<FaultyFileSystem> files_;
  std::unique_ptr<rocksdb::Env> faulty_env_;
  std::map<int32_t, Row> rows_;     // acknowledged
  std::map<int32_t, Row> pending_;  // may be there
  int32_t next_id_ = 1;
  uint32_t cuts_ = 0;
  int made_ = 0;
  bool truncated_ = false;
};

TEST_F(IoLoop, Commit) {
  Loop("commit", [this] { return InsertRows(3); });
}

TEST_F(IoLoop, PreparedCommit) {
  Loop("prepare and commit", [this] { return InsertRows(3, true); });
}

TEST_F(IoLoop, LargeCommit) {
  Loop("commit by ingestion", [this] { return InsertRows(150); });
}

TEST_F(IoLoop, LargePreparedCommit) {
  Loop("prepare and commit by ingestion", [this] { return InsertRows(150, true); });
}

TEST_F(IoLoop, BulkLoad) {
  Loop(
      "bulk load", [this] { return LoadRows(kLoadedRows); },
      [this](bool) { EXPECT_EQ(IngestFiles(), 0u) << "files of a load that is over"; },
      [this] { return EmptyTable(); });
}

TEST_F(IoLoop, Rollback) {
  Loop("rollback", [this] {
    Begin();
    Status status;
    for (int i = 0; i < 150 && status.ok(); ++i) status = Insert(NewRow());
    access_->Unbind();
    if (status.ok()) status = transaction_->Prepare("MySQLXid-back", txn::Durability::kSync, false);
    Status back = transaction_->Rollback();
    return status.ok() ? std::move(back) : std::move(status);
  });
}

TEST_F(IoLoop, Flush) {
  Loop(
      "flush", [this] { return database_->store()->flushes().Flush(); }, {},
      [this] { return InsertRows(3); });
}

TEST_F(IoLoop, Compaction) {
  Loop(
      "compaction",
      [this] {
        return database_->store()->compactions().Compact(
            database_->store()->default_column_family());
      },
      {},
      [this] {
        for (int i = 0; i < 2; ++i) {
          Status status = InsertRows(3);
          if (status.ok()) status = database_->store()->flushes().Flush();
          if (!status.ok()) return status;
        }
        return Status::Ok();
      });
}

TEST_F(IoLoop, Checkpoint) {
  Loop(
      "checkpoint",
      [this] {
        const std::string path = directory_ / ("checkpoint" + std::to_string(++made_));
        Status made = database_->store()->checkpoints().Create(path);
        EXPECT_TRUE(made.ok() || !std::filesystem::exists(path)) << "a checkpoint in part";
        return made;
      },
      {}, [this] { return InsertRows(3); });
}

TEST_F(IoLoop, CreateTable) {
  const auto family = [this] { return "family" + std::to_string(made_); };
  Loop(
      "create table",
      [&] {
        ++made_;
        return CreateSimple("d.new", family());
      },
      [this](bool acknowledged) { CheckTable("d.new", acknowledged, false); }, {},
      [&] { return CreateSimple("d.again" + std::to_string(made_), family()); });
}

TEST_F(IoLoop, DropTable) {
  Loop(
      "drop table", [this] { return database_->catalog()->DropTable("d.old"); },
      [this](bool acknowledged) { CheckTable("d.old", false, acknowledged); },
      [this] {
        return database_->catalog()->FindTable("d.old") ? Status() : CreateSimple("d.old");
      });
}

TEST_F(IoLoop, RenameTable) {
  Loop(
      "rename table", [this] { return database_->catalog()->RenameTable("d.a", "d.b"); },
      [this](bool acknowledged) {
        const bool a = database_->catalog()->FindTable("d.a") != nullptr;
        const bool b = database_->catalog()->FindTable("d.b") != nullptr;
        EXPECT_NE(a, b) << "neither or both names";
        if (acknowledged) {
          EXPECT_TRUE(b);
        }
        EXPECT_EQ(database_->catalog()->DropTable(a ? "d.a" : "d.b").ToString(), "ok");
        EXPECT_EQ(database_->reclaimer()->ReclaimAll().ToString(), "ok");
      },
      [this] { return CreateSimple("d.a"); });
}

// Truncates, which is a drop for the old rows, and reclaims them.
TEST_F(IoLoop, TruncateAndReclaim) {
  Loop(
      "truncate and reclaim",
      [this] {
        pending_ = rows_;
        Status status = database_->catalog()->TruncateTable("d.t", 0, nullptr);
        rows_.clear();
        truncated_ = status.ok();
        if (status.ok()) status = database_->reclaimer()->ReclaimAll();
        return status;
      },
      [this](bool) {
        if (truncated_) pending_.clear();
        EXPECT_EQ(database_->reclaimer()->ReclaimAll().ToString(), "ok");
        EXPECT_TRUE(database_->catalog()->dropped_indexes().All().empty());
      },
      [this] { return InsertRows(20); });
}

TEST_F(IoLoop, IndexBuild) {
  Loop(
      "index build",
      [this] {
        NeverStops progress;
        IndexRebuild rebuild(table_.get(), &progress, nullptr);
        return rebuild.Run({by_k(), by_name()});
      },
      [this](bool) {
        EXPECT_EQ(database_->reclaimer()->ReclaimAll().ToString(), "ok");
        EXPECT_TRUE(database_->catalog()->dropped_indexes().All().empty());
      },
      [this] { return InsertRows(40); });
}

TEST_F(IoLoop, Open) {
  Loop(
      "open",
      [this] {
        Database::Options options;
        options.store.directory = directory_ / "store";
        options.store.block_cache_bytes = 8u << 20;
        options.store.env = env_;
        options.transactions.writes.spill_bytes = spill_bytes_;
        return Database::Open(std::move(options), &database_);
      },
      {},
      [this] {
        Status status = InsertRows(3);
        if (status.ok()) status = database_->store()->flushes().Flush();
        if (status.ok()) status = InsertRows(3);
        CloseAll();
        return status;
      });
}

}  // namespace
}  // namespace basalt::engine
