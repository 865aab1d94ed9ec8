// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/compaction_filter.h>
#include <rocksdb/db.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/mutex.h"

namespace basalt::store {

// What may be changed while the store runs; each is read and written alone. The offsets, in
// seconds, are for tests: they move clocks instead of waiting. 0 = the clock as it is.
struct TimeToLiveSettings {
  std::atomic<bool> drop_expired{true};   // compactions drop entries that have expired
  std::atomic<bool> hide_expired{true};   // reads pass over them
  std::atomic<int> stamp_offset{0};       // added to the time stamps of rows that are written
  std::atomic<int> reading_offset{0};     // added to the time stamps of rows that are read
  std::atomic<int> compaction_offset{0};  // compactions take now + this for the time
  std::atomic<bool> spare_rows{false};    // compactions drop entries of secondary indexes only
};

// How long the entries of one index live, counted from their time stamps.
struct EntryLife {
  uint64_t seconds = 0;  // never 0 in an index that is registered
  bool rows = false;     // the index is a primary key
  // Entries of the index are removed with single deletes: those of secondary indexes, and rows that
  // are all key.
  bool single_deletes = false;
};

// Has an entry with this time stamp expired at `now`? All in seconds since 1970; no sum overflows.
[[nodiscard]] inline bool HasExpired(uint64_t stamp, uint64_t seconds, uint64_t now) {
  return seconds != 0 && stamp <= now && now - stamp >= seconds;
}

// True when a value has expired; it begins with its time stamp, big-endian. A value too short for
// that has not expired: whoever decodes it says what is wrong.
inline constexpr size_t kTimeStampBytes = 8;
[[nodiscard]] inline bool ValueHasExpired(Bytes value, uint64_t seconds, uint64_t now) {
  return value.size() >= kTimeStampBytes && HasExpired(LoadBigEndian64(value.data()), seconds, now);
}

// The indexes whose entries expire, and the compaction filter that drops these.
//
// A compaction takes for its time that of the oldest open snapshot, or the present when there is
// none, so no snapshot loses an entry that had not expired when it was taken. Reads must hide what
// has expired at their snapshot's time: RocksDB's filters do not spare snapshots. An entry whose
// index is not registered stays, and so does one that is damaged.
//
// Thread-safety: any thread. Outlives the RocksDB that it was attached to.
class TimeToLive {
 public:
  // `settings` null: the defaults.
  explicit TimeToLive(std::shared_ptr<TimeToLiveSettings> settings);

  // From here on compactions drop what has expired in this store; until Detach, which must come
  // before the store is closed and after its background work has ended.
  void Attach(rocksdb::DB* db) { db_.store(db, std::memory_order_release); }
  void Detach() { db_.store(nullptr, std::memory_order_release); }

  void Register(IndexId index, const EntryLife& life);
  void Unregister(IndexId index);
  std::optional<EntryLife> Find(IndexId index) const;
  // Has any index of the column family entries that expire?
  bool Knows(uint32_t column_family) const;

  const TimeToLiveSettings& settings() const { return *settings_; }

  // The time for a compaction that begins now; nothing while no store is attached, or when it
  // cannot tell. What expires up to then may be dropped; the time is remembered.
  std::optional<uint64_t> CompactionTime();
  // The latest that CompactionTime has returned: reads must not look from an earlier time, whatever
  // the clock has done meanwhile.
  uint64_t latest_compaction_time() const {
    return latest_compaction_time_.load(std::memory_order_acquire);
  }
  // False once a test has moved the clock of compactions: then an index may have entries whose rows
  // are gone before their time.
  bool entries_have_rows() const { return entries_have_rows_.load(std::memory_order_relaxed); }

  // Entries that compactions have dropped, and that reads have passed over, since the start.
  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  uint64_t hidden() const { return hidden_.load(std::memory_order_relaxed); }
  void CountDropped(uint64_t entries) { dropped_.fetch_add(entries, std::memory_order_relaxed); }
  void CountHidden() { hidden_.fetch_add(1, std::memory_order_relaxed); }

 private:
  const std::shared_ptr<TimeToLiveSettings> settings_;
  std::atomic<rocksdb::DB*> db_{nullptr};
  mutable SharedMutex mutex_;
  std::unordered_map<IndexId, EntryLife> lives_ BASALT_GUARDED_BY(mutex_);
  std::atomic<uint64_t> latest_compaction_time_{0};
  std::atomic<bool> entries_have_rows_{true};
  std::atomic<uint64_t> dropped_{0};
  std::atomic<uint64_t> hidden_{0};
};

// Makes the filters of a column family's compactions; none for one that has no such index.
std::shared_ptr<rocksdb::CompactionFilterFactory> NewExpiryFilterFactory(
    std::shared_ptr<TimeToLive> time_to_live);

}  // namespace basalt::store
