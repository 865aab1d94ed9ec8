// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "engine/table.h"
#include "store/compaction/ttl_compaction_filter.h"
#include "txn/transaction.h"

namespace basalt::engine {

// The time stamps of a row before and after an update; 0 in a table without any.
struct UpdateStamps {
  uint64_t before = 0;
  uint64_t after = 0;
};

// The TTL clock of one statement: the time at which it judges whether rows have expired, and the
// time stamps of the rows that it writes.
//
// The time is that of the transaction's snapshot, so that a transaction sees the same rows again
// and again. A statement that reads without a snapshot (a locking one, a single look-up) has the
// time of its first read. The time is never earlier than that of a compaction, which may have
// dropped what had expired then. For tables without a time to live all of this is one branch.
//
// One thread. The table must outlive the object.
class TtlClock {
 public:
  explicit TtlClock(const Table& table);

  // A statement begins: the time of the one before is forgotten.
  void Begin() { now_ = 0; }
  // Settles the time. Before rows are looked at, and again after the transaction has taken a
  // snapshot.
  void Observe(txn::Transaction* transaction) {
    if (expires_) [[unlikely]]
      TakeTime(transaction);
  }

  // Is this value of the primary key, or of index `position`, to be passed over? Counted then.
  [[nodiscard]] bool Hides(Bytes value) {
    return expires_ && hides_ && Passes(value, rows_seconds_);
  }
  [[nodiscard]] bool HidesEntry(size_t position, Bytes value) {
    return expires_ && hides_ && Passes(value, table_.index(position).ttl_seconds);
  }
  // May an entry's row be missing without being lost? Compactions drop rows and entries apart. A
  // statement that does not hide what has expired meets the ones without the others.
  [[nodiscard]] bool EntriesMayStandAlone() const;

  // Do rows of the table expire at all?
  bool expires() const { return expires_; }
  // Does the table have time stamps, and do they come from a column?
  bool has_stamps() const { return has_stamps_; }
  bool stamps_come_from_column() const { return has_column_; }
  // The time stamp for a row to be written: of its column, else the present.
  uint64_t StampOf(const uint8_t* record) const;
  // The time stamp for a row that has lost its own to a compaction while it was being changed: it
  // has expired.
  uint64_t ExpiredStamp() const;

 private:
  void TakeTime(txn::Transaction* transaction);
  bool Passes(Bytes value, uint64_t seconds);

  const Table& table_;
  store::TimeToLive* const shared_;
  const uint64_t rows_seconds_;
  const bool expires_;
  const bool has_stamps_;
  const bool has_column_;
  bool hides_ = false;
  uint64_t now_ = 0;        // of the statement; 0 = not asked yet
  uint64_t read_time_ = 0;  // what values are compared with
};

// The time of a transaction's snapshot, which is taken if there is none; for whoever reads whole
// tables in it.
uint64_t SnapshotSeconds(const Table& table, txn::Transaction* transaction);

}  // namespace basalt::engine
