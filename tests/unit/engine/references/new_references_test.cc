// SPDX-License-Identifier: GPL-2.0-only
//
// Foreign keys that are added while others write the child and the parent.
#include "engine/references/new_references.h"

#include <atomic>
#include <map>
#include <random>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <thread>

#include "engine/indexes/index_build.h"
#include "unit/engine/damage_fixture.h"

namespace basalt::engine {
namespace {

using Lines = std::vector<std::string>;

const Lines kParent = {"column a int", "column b int null", "primary 100 a", "index 101 b"};
const Lines kChild = {"column id int", "column r int null", "primary 200 id", "index 201 r"};
const Lines kWideChild = {"column id bigint", "column r int null", "primary 200 id", "index 201 r"};
const Lines kPlainChild = {"column id int", "column r int null", "primary 200 id"};

class Stages final : public TaskProgress {
 public:
  void NextStage() override {}
  bool Report(uint64_t, uint64_t) override { return !stop; }
  bool stop = false;
};

// A table, and one connection's access to it.
struct Opened {
  std::shared_ptr<Table> table;
  std::shared_ptr<test::TestTable> described;
};

// One connection. Changes are words: c+ and c- insert and delete a row of the child, p+ and p- one
// of the parent; "c~ 1,2 1,3" updates. "commit", "rollback", "set" and "back" (to the savepoint).
class Writer {
 public:
  Writer(const Opened& child, const Opened& parent)
      : child_(child),
        parent_(parent),
        child_access_(child.table),
        parent_access_(parent.table),
        transaction_(child.table->database()->transactions()->NewTransaction()) {
    transaction_->Begin({});
  }
  ~Writer() { EXPECT_TRUE(transaction_->Rollback().ok()); }

  void Do(const std::string& steps) {
    std::istringstream words(steps);
    std::string word;
    std::string row;
    while (words >> word) {
      if (word == "commit") {
        ASSERT_EQ(transaction_->Commit(txn::Durability::kWrite).ToString(), "ok");
        transaction_->Begin({});
      } else if (word == "rollback") {
        ASSERT_TRUE(transaction_->Rollback().ok());
        transaction_->Begin({});
      } else if (word == "set") {
        ASSERT_TRUE(transaction_->SetSavepoint(&savepoint_).ok());
      } else if (word == "back") {
        ASSERT_TRUE(transaction_->RollbackToSavepoint(savepoint_).ok());
      } else {
        words >> row;
        const bool of_child = word[0] == 'c';
        std::string after;
        if (word[1] == '~') words >> after;
        Change(of_child ? child_ : parent_, of_child ? &child_access_ : &parent_access_, word[1],
               row, after);
      }
    }
  }

 private:
  void Change(const Opened& opened, RowAccess* access, char kind, const std::string& row,
              const std::string& after) {
    access->Bind(transaction_.get(), {.lock = true, .mode = txn::LockMode::kExclusive});
    access->SetWantedColumns(codec::ColumnSet::All(2));
    const std::vector<uint8_t> record = opened.described->Record(row);
    size_t duplicate = 0;
    bool changed = false;
    Status status;
    if (kind != '+') access->reader().SetKey(std::string(access->RowKeyOf(record.data())));
    if (kind == '+') status = access->writer().Insert(record.data(), &duplicate);
    if (kind == '-') status = access->writer().Delete(record.data());
    if (kind == '~') {
      status = access->writer().Update(record.data(), opened.described->Record(after).data(),
                                       &duplicate, &changed);
    }
    access->Unbind();
    ASSERT_EQ(status.ToString(), "ok") << kind << " " << row;
  }

  const Opened child_;
  const Opened parent_;
  RowAccess child_access_;
  RowAccess parent_access_;
  std::unique_ptr<txn::Transaction> transaction_;
  txn::Transaction::Savepoint savepoint_{};
};

// What is written before the statement, before its search, before a pass, and after the pass;
// `open` is a transaction that begins before the search and commits after the pass.
struct Course {
  std::string name;
  std::string before;
  std::string early;
  std::string late;
  std::string last;
  std::string open;
  bool orphan;
};

class NewReferencesTest : public DamageFixture {
 protected:
  // `builds`: the child's index is being built by the same statement. `column`: of the parent.
  void MakeTables(bool builds, bool reverse, uint32_t column) {
    builds_ = builds;
    column_ = column;
    reverse_ = reverse;
    Open();
    CreateTable("d.p", kParent, reverse);
    parent_ = Take();
    CreateTable("d.c", builds ? kPlainChild : child_lines_, reverse);
    child_ = Take();
    access_.reset();
    transaction_.reset();
  }
  // A table that refers to itself: its column r to its primary key.
  void MakeTable(bool builds, bool reverse) {
    builds_ = builds;
    column_ = 0;
    reverse_ = reverse;
    Open();
    CreateTable("d.c", builds ? kPlainChild : kChild, reverse);
    child_ = Take();
    parent_ = child_;
    access_.reset();
    transaction_.reset();
  }
  Opened Take() {
    Opened opened;
    opened.table = std::move(table_);
    opened.described = std::shared_ptr<test::TestTable>(std::move(described_));
    return opened;
  }
  std::unique_ptr<Writer> NewWriter() { return std::make_unique<Writer>(child_, parent_); }
  void CloseTables() {
    references_.reset();
    build_.reset();
    child_ = {};
    parent_ = {};
    CloseDatabase();
    std::filesystem::remove_all(directory_ / "store");
  }

  Status BeginChild() {
    target_ = std::make_unique<test::TestTable>(child_lines_, test::FakeCollationByName);
    codec::TableDescriptor target = target_->descriptor();
    target.name = "d.c";
    for (size_t i = 0; i < child_.table->index_count(); ++i) {
      target.indexes[i] = child_.table->descriptor().indexes[i];
    }
    NewReference reference;
    reference.parent = parent_.table;
    reference.parent_index = column_;  // each column has an index, in the same order
    reference.child_index = 1;
    reference.pairs = {{1, column_}};
    reference.refusal = "no parent";
    references_ =
        std::make_unique<NewReferences>(child_.table.get(), std::vector{reference}, &stages_);
    catalog::TableRecord record = *database_->catalog()->FindTable("d.c");
    if (builds_) {
      IndexBuild::Options options;
      options.log_changes = true;
      options.also = references_.get();
      build_ = std::make_unique<IndexBuild>(child_.table.get(), target, options, &stages_, nullptr);
      catalog::IndexRequest request;
      request.column_family = reverse_ ? "rev:new" : "new";
      BASALT_RETURN_IF_ERROR(build_->Begin({1}, {request}));
      record.indexes.push_back(build_->built()[0]);
    }
    return references_->BeginChild(target, record.indexes, /*log_changes=*/!builds_);
  }
  Status Search() {
    Status searched = references_->Search();
    return searched.ok() && builds_ ? build_->Fill() : std::move(searched);
  }
  Status Apply() {
    uint64_t applied = 0;
    Status status = builds_ ? build_->ApplyChanges(&applied) : Status::Ok();
    return status.ok() ? references_->ApplyChanges(&applied) : std::move(status);
  }
  Status Complete() {
    Status status = builds_ ? build_->Complete() : Status::Ok();
    uint64_t applied = 0;
    return status.ok() ? references_->ApplyChanges(&applied) : std::move(status);
  }
  void End() {
    EXPECT_EQ(references_->End().ToString(), "ok");
    if (builds_) {
      EXPECT_EQ(build_->Abort().ToString(), "ok");
    }
    EXPECT_EQ(references_->End().ToString(), "ok");
    EXPECT_FALSE(child_.table->counters().change_log().is_open());
    EXPECT_FALSE(parent_.table->counters().change_log().is_open());
  }
  // The values of a column of all rows that are committed.
  std::vector<std::string> Values(const Opened& opened, uint32_t column) {
    const auto reader = database_->transactions()->NewTransaction();
    reader->Begin({});
    IndexWalk walk(*opened.table, opened.table->primary_position(), reader.get());
    RowImage row(*opened.table, nullptr);
    std::vector<std::string> values;
    while (walk.Next().ok()) {
      EXPECT_TRUE(row.Decode(walk.key(), walk.value()));
      values.push_back(opened.described->Show(row.record(), column));
    }
    return values;
  }
  size_t Orphans() {
    const std::vector<std::string> parents = Values(parent_, column_);
    const std::set<std::string> there(parents.begin(), parents.end());
    size_t orphans = 0;
    for (const std::string& value : Values(child_, 1)) {
      orphans += value != "NULL" && !there.contains(value);
    }
    return orphans;
  }

  // With the tables that were made, which it closes.
  void Run(const Course& course) {
    {
      auto writer = NewWriter();
      auto open = NewWriter();
      writer->Do(course.before + " commit");
      ASSERT_EQ(BeginChild().ToString(), "ok");
      ASSERT_EQ(references_->BeginParents().ToString(), "ok");
      open->Do(course.open);
      writer->Do(course.early + " commit");
      Status status = Search();
      writer->Do(course.late + " commit");
      if (status.ok()) status = Apply();
      open->Do("commit");
      writer->Do(course.last + " commit");
      if (status.ok()) status = Complete();
      EXPECT_EQ(status.code(), course.orphan ? Code::kNoReferencedRow : Code::kOk)
          << status.ToString();
      EXPECT_EQ(status.message(), course.orphan ? "no parent" : "");
      EXPECT_EQ(Orphans() != 0, course.orphan);
    }
    End();
    CloseTables();
  }

  Lines child_lines_ = kChild;
  bool builds_ = false;
  bool reverse_ = false;
  uint32_t column_ = 0;
  Opened parent_;
  Opened child_;
  std::unique_ptr<test::TestTable> target_;
  std::unique_ptr<IndexBuild> build_;
  std::unique_ptr<NewReferences> references_;
  Stages stages_;
};

const std::vector<Course> kCourses = {
    {"parents", "p+ 1,1 p+ 2,2 c+ 1,1 c+ 2,2 c+ 3,1 c+ 4,NULL", "", "", "", "", false},
    {"an orphan from before", "p+ 1,1 c+ 1,1 c+ 2,9", "", "", "", "", true},
    {"no parents at all", "c+ 1,5", "", "", "", "", true},
    {"nothing", "", "", "", "", "", false},
    {"inserted before the search", "p+ 1,1", "c+ 1,9", "", "", "", true},
    {"inserted after the search", "p+ 1,1", "", "c+ 1,9", "", "", true},
    {"inserted at last", "p+ 1,1", "", "", "c+ 1,9", "", true},
    {"inserted with its parent", "p+ 1,1", "c+ 1,9 p+ 9,9", "c+ 2,8 p+ 8,8", "p+ 7,7 c+ 3,7", "",
     false},
    {"updated", "p+ 1,1 c+ 1,1", "", "c~ 1,1 1,2", "", "", true},
    {"updated to NULL", "p+ 1,1 c+ 1,1", "", "c~ 1,1 1,NULL p- 1,1", "", "", false},
    {"another key of the row", "p+ 1,1 c+ 1,1", "", "c~ 1,1 5,1", "p- 1,1", "", true},
    {"deleted parent before the search", "p+ 1,1 c+ 1,1", "p- 1,1", "", "", "", true},
    {"deleted parent after the search", "p+ 1,1 c+ 1,1", "", "p- 1,1", "", "", true},
    {"deleted parent at last", "p+ 1,1 c+ 1,1", "", "", "p- 1,1", "", true},
    {"deleted parent of nobody", "p+ 1,1 p+ 2,2 c+ 1,1", "p- 2,2", "", "", "", false},
    {"both deleted", "p+ 1,1 p+ 2,2 c+ 1,1 c+ 2,2", "c- 1,1 p- 1,1", "", "p- 2,2 c- 2,2", "",
     false},
    {"parent away and back", "p+ 1,1 c+ 1,1", "p~ 1,1 3,3 p~ 3,3 1,1", "p- 1,1 p+ 1,1", "", "",
     false},
    {"parent away", "p+ 1,1 c+ 1,1", "", "p~ 1,1 3,3", "", "", true},
    {"new child, then its parent goes", "p+ 1,1", "c+ 1,1", "p- 1,1", "", "", true},
    {"new child of the last moment", "p+ 1,1", "c+ 1,1", "", "p- 1,1", "", true},
    {"child commits late", "p+ 1,1", "p- 1,1", "", "", "c+ 1,1", true},
    {"parent commits late", "p+ 1,1 c+ 1,1", "", "", "", "p- 1,1", true},
    {"late, and in order", "p+ 1,1 c+ 1,1", "", "", "", "c- 1,1 p- 1,1 p+ 2,2 c+ 2,2", false},
    {"rolled back", "p+ 1,1 c+ 1,1", "c+ 2,9 p- 1,1 rollback", "p- 1,1 c+ 3,8 rollback", "", "",
     false},
    {"to a savepoint", "p+ 1,1 c+ 1,1", "set c+ 2,9 p- 1,1 back", "", "set p- 1,1 back", "", false},
    {"in part", "p+ 1,1 c+ 1,1", "set c+ 2,9 back c+ 3,8", "", "", "", true},
};

TEST_F(NewReferencesTest, EachCourse) {
  unsigned turn = 0;
  for (const Course& course : kCourses) {
    turn = (turn + 1) % 4;
    // with the index that is there, and with one that is built; of the others each in turn
    for (const unsigned how : {0u + 2 * turn, 1u + 2 * (3 - turn)}) {
      SCOPED_TRACE(course.name + " " + std::to_string(how));
      MakeTables(how & 1, how & 2, how & 4 ? 1 : 0);
      Run(course);
    }
  }
}

// Rows of a table that refers to itself. `open` and `early` are as above.
const std::vector<Course> kOwnCourses = {
    {"in any order", "c+ 1,2 c+ 2,NULL c+ 3,3", "c+ 4,5 c+ 5,1", "c+ 6,7 c+ 7,6", "", "", false},
    {"an orphan from before", "c+ 1,9", "", "", "", "", true},
    {"an orphan by an insert", "c+ 1,NULL", "", "c+ 2,9", "", "", true},
    {"an orphan by an update", "c+ 1,1", "", "c~ 1,1 1,9", "", "", true},
    {"parent goes before the search", "c+ 1,NULL c+ 2,1", "c- 1,NULL", "", "", "", true},
    {"parent goes after the search", "c+ 1,NULL c+ 2,1", "", "c- 1,NULL", "", "", true},
    {"parent goes at last", "c+ 1,NULL c+ 2,1", "", "", "c- 1,NULL", "", true},
    {"parent gets another key", "c+ 1,NULL c+ 2,1", "", "c~ 1,NULL 5,NULL", "", "", true},
    {"its child follows", "c+ 1,NULL c+ 2,1", "", "c+ 9,NULL c~ 2,1 2,9 c- 1,NULL", "", "", false},
    {"a row that is its own parent goes", "c+ 1,1", "", "c- 1,1", "", "", false},
    {"it gets another key, and follows", "c+ 1,1", "", "c~ 1,1 7,7", "", "", false},
    {"it gets another key, and does not", "c+ 1,1", "", "c~ 1,1 7,1", "", "", true},
    {"a new child, then its parent goes", "c+ 1,NULL", "", "c+ 2,1 commit c- 1,NULL", "", "", true},
    {"a new child of the last moment", "c+ 1,NULL", "", "", "c+ 2,1 commit c- 1,NULL", "", true},
    {"a child that commits late", "c+ 1,NULL", "", "c- 1,NULL", "", "c+ 2,1", true},
    {"a parent that goes late", "c+ 1,NULL", "", "c+ 2,1", "", "c- 1,NULL", true},
    {"rolled back", "c+ 1,NULL c+ 2,1", "c- 1,NULL rollback", "set c+ 3,9 back c+ 3,2", "", "",
     false},
};

TEST_F(NewReferencesTest, EachCourseOfATableThatRefersToItself) {
  for (const Course& course : kOwnCourses) {
    for (const unsigned how : {0u, 1u, 2u, 3u}) {
      SCOPED_TRACE(course.name + " " + std::to_string(how));
      MakeTable(how & 1, how & 2);
      Run(course);
    }
  }
}

// An entry that ends within the primary key, among those of a value whose parent has gone.
TEST_F(NewReferencesTest, NamesTheIndexOfAMalformedEntry) {
  child_lines_ = kWideChild;
  MakeTables(false, false, 0);
  NewWriter()->Do("p+ 1,1 commit");
  ASSERT_EQ(BeginChild().ToString(), "ok");
  ASSERT_EQ(references_->BeginParents().ToString(), "ok");
  ASSERT_EQ(Search().ToString(), "ok");
  const Table& child = *child_.table;
  std::vector<uint8_t> key(child.max_key_bytes());
  const std::vector<uint8_t> record = child_.described->Record("1,1");
  const size_t bytes = child.index(1).codec->EncodePrefix(record.data(), 1, key.data());
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(batch.Put(child.index(1).family, std::string(MakeBytes(key.data(), bytes)), "").ok());
  ASSERT_TRUE(database_->store()->Write(&batch, false).ok());
  NewWriter()->Do("p- 1,1 commit");
  const Status status = Apply();
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_TRUE(status.message().find("table d.c, index k1, key ") != std::string::npos)
      << status.ToString();
  End();
  CloseTables();
}

TEST_F(NewReferencesTest, StopsWhenTold) {
  MakeTables(false, false, 0);
  {
    auto writer = NewWriter();
    writer->Do("p+ 1,1 ");
    for (int id = 1; id <= 3000; ++id) writer->Do("c+ " + std::to_string(id) + ",1");
    writer->Do("commit");
  }
  ASSERT_EQ(BeginChild().ToString(), "ok");
  ASSERT_EQ(references_->BeginParents().ToString(), "ok");
  stages_.stop = true;
  EXPECT_EQ(Search().code(), Code::kInterrupted);
  End();
  CloseTables();
}

// Writers as a server has them: a metadata lock that each transaction holds to its end.
class Load {
 public:
  static constexpr int kThreads = 3;
  static constexpr int kValues = 40;  // of each thread

  // `faults`: of how many transactions one may leave an orphan; 0: of none. Where child and parent
  // are one table, rows with high keys are parents.
  Load(const Opened& child, const Opened& parent, unsigned seed, unsigned faults)
      : is_one_table_(child.table == parent.table) {
    for (int i = 0; i < kThreads; ++i) {
      threads_.emplace_back([=, this] { Run(child, parent, i, seed * 10 + i, faults); });
    }
  }
  ~Load() { Stop(); }
  void Stop() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  // While nobody writes. The mutex alone would let the writers overtake for ever.
  template <typename Work>
  auto Alone(const Work& work) {
    wanted_ = true;
    const std::unique_lock<std::shared_mutex> lock(metadata_);
    wanted_ = false;
    return work();
  }

 private:
  int KeyOfParent(int value) const { return is_one_table_ ? value + 1000 : value; }

  void Run(const Opened& child, const Opened& parent, int number, unsigned seed, unsigned faults) {
    Writer writer(child, parent);
    std::mt19937 random(seed);
    std::map<int, int> rows;  // of the child, by id
    std::set<int> parents;
    const auto row = [this](int id, int value) {
      return std::to_string(id) + "," + std::to_string(KeyOfParent(value)) + " ";
    };
    const auto parent_row = [this](int value) {
      const std::string key = std::to_string(KeyOfParent(value));
      return key + "," + (is_one_table_ ? "NULL" : key) + " ";
    };
    const std::string of_parent = is_one_table_ ? "c" : "p";
    while (!stop_) {
      while (wanted_) std::this_thread::yield();
      const std::shared_lock<std::shared_mutex> lock(metadata_);
      auto new_rows = rows;
      auto new_parents = parents;
      std::string steps;
      for (unsigned i = 0; i <= random() % 4; ++i) {
        const int value = static_cast<int>(random() % kValues) * kThreads + number;
        const int id = static_cast<int>(random() % 100) * kThreads + number;
        const bool careless = faults != 0 && random() % faults == 0;
        if (random() % 2 == 0) {  // the child
          const auto known = new_rows.find(id);
          if (!careless && new_parents.insert(value).second)
            steps += of_parent + "+ " + parent_row(value);
          if (known == new_rows.end()) {
            steps += "c+ " + row(id, value);
            new_rows[id] = value;
          } else if (random() % 2 == 0) {
            steps += "c- " + row(id, known->second);
            new_rows.erase(known);
          } else {
            steps += "c~ " + row(id, known->second) + row(id, value);
            known->second = value;
          }
        } else if (new_parents.erase(value) != 0) {
          steps += of_parent + "- " + parent_row(value);
          for (auto child = new_rows.begin(); !careless && child != new_rows.end();) {
            if (child->second != value) {
              ++child;
              continue;
            }
            steps += "c- " + row(child->first, value);
            child = new_rows.erase(child);
          }
        }
      }
      if (random() % 5 == 0) {
        writer.Do(steps + "rollback");
        continue;
      }
      writer.Do(steps + "commit");
      rows = new_rows;
      parents = new_parents;
    }
  }

  const bool is_one_table_;
  std::shared_mutex metadata_;
  std::atomic<bool> wanted_{false};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

TEST_F(NewReferencesTest, UnderWriters) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u}) {
    const unsigned faults = seed % 2 == 0 ? 0 : 2000;
    SCOPED_TRACE(seed);
    if (seed > 8) {
      MakeTable(seed & 4, seed & 2);
    } else {
      MakeTables(seed & 4, false, seed & 2 ? 1 : 0);
    }
    Load load(child_, parent_, seed, faults);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ASSERT_EQ(load.Alone([&] { return BeginChild(); }).ToString(), "ok");
    ASSERT_EQ(load.Alone([&] { return references_->BeginParents(); }).ToString(), "ok");
    Status status = Search();
    for (int pass = 0; pass < 10 && status.ok(); ++pass) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      status = Apply();
    }
    load.Alone([&] {
      if (status.ok()) status = Complete();
      EXPECT_TRUE(!status.ok() || Orphans() == 0);
      return 0;
    });
    EXPECT_TRUE(status.ok() || faults != 0) << status.ToString();
    EXPECT_TRUE(status.ok() || status.code() == Code::kNoReferencedRow) << status.ToString();
    load.Stop();
    End();
    CloseTables();
  }
}

}  // namespace
}  // namespace basalt::engine
