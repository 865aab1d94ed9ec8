// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/status.h"
#include "engine/loads/bulk_insert.h"
#include "engine/table.h"
#include "txn/transaction.h"

namespace basalt::engine {

// A bulk load that a connection has asked for (rocksdb_bulk_load): rows of many statements, in a
// transaction of its own, for one table at a time, which may have rows already if their primary
// keys lie apart from those of the load. Nobody sees the rows before Finish; what statements and
// transactions give back meanwhile does not concern them. Until then no other transaction adds to
// the table or locks its rows.
//
// One thread.
class ExplicitLoad {
 public:
  struct Settings {
    bool sorted = true;  // rows come in the order of the primary key, up or down
    size_t buffer_bytes = 64u << 20;
  };
  // Why Insert or Finish has failed, where the status alone does not say.
  enum class Problem : uint8_t {
    kOther,
    kOutOfOrder,   // the row was not taken; the load goes on
    kOverlapping,  // with rows of the table: the load is over, and nothing was loaded
    kDuplicate,    // in a unique index: likewise
    kKnownKey,     // the load has a row with this primary key: it was not taken, the load goes on
    kInUse,        // others have rows or locks in the table: the load of it does not begin
  };

  // Calls the commit it is given and returns what that returns, or an error without calling it: a
  // backup may hold commits up.
  using Committer = std::function<Status(const std::function<Status()>& commit)>;

  // `progress` is asked while Finish and the change to another table merge rows; false stops them,
  // with kInterrupted, and nothing is loaded. The rows become visible within `committer`.
  ExplicitLoad(Database* database, txn::BulkLoad::Progress progress, Committer committer);
  ~ExplicitLoad();  // without Finish nothing is loaded
  ExplicitLoad(const ExplicitLoad&) = delete;
  ExplicitLoad& operator=(const ExplicitLoad&) = delete;

  // Adds a row. That of another table than the last one finishes the load of that one first. Of a
  // partitioned table all partitions are loaded together. After an error that no Problem says to be
  // survived the load is over, and nothing was loaded.
  Status Insert(const std::shared_ptr<Table>& table, const uint8_t* record,
                const Settings& settings);
  // Makes the rows visible. A table that is gone, or has been emptied or copied by a statement
  // meanwhile, is passed over: `*lost` tells. In any case the load is over.
  Status Finish(bool* lost);
  bool empty() const { return parts_.empty(); }
  // The load is over, and nothing was loaded.
  void Drop() { Abort(); }
  // What the load writes and locks with; active from its first row on.
  txn::Transaction* transaction() { return transaction_.get(); }
  Problem problem() const { return problem_; }

 private:
  struct Part {
    std::shared_ptr<Table> table;
    std::unique_ptr<BulkInsert> insert;
    std::string last;   // the last primary key, when rows are to be sorted
    int direction = 0;  // from the first to the second one
    // Of rows in any order the first primary keys: a row that comes twice is then refused at once.
    std::unordered_set<std::string> keys;
  };
  static constexpr size_t kKnownKeys = 65536;

  Status BeginPart(const std::shared_ptr<Table>& table, const Settings& settings);
  Status PartOf(const std::shared_ptr<Table>& table, const Settings& settings, Part** part);
  static bool ComesInOrder(Part* part, Bytes key);
  // Whether the key may be added, else the reason.
  static Problem CheckKey(Part* part, Bytes key, bool sorted);
  bool IsPresent(const Table& table) const;
  Status FinishParts(bool* lost);
  void Abort();

  Database* const database_;
  const txn::BulkLoad::Progress progress_;
  const Committer committer_;
  const std::unique_ptr<txn::Transaction> transaction_;
  std::vector<Part> parts_;
  Problem problem_ = Problem::kOther;
};

}  // namespace basalt::engine
