// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>

#include "txn/change_log.h"

namespace basalt::engine {

// Numbers handed out for new rows of one table, when it was last changed, and where its writers
// record their changes while indexes are built. They outlive the open table, because a value given
// to a transaction that has not committed yet must not be given again.
//
// Thread-safety: any thread.
class TableCounters {
 public:
  // The next auto-increment value, at least 1. 0 before it was loaded. Above what the column can
  // hold once its largest value was used, so that this value is not given again.
  uint64_t auto_increment() const { return auto_increment_.load(std::memory_order_relaxed); }
  // Raises the next value to at least `next`.
  void RaiseAutoIncrement(uint64_t next) { Raise(&auto_increment_, next); }
  // Sets it, also downwards (ALTER TABLE ... AUTO_INCREMENT, TRUNCATE).
  void SetAutoIncrement(uint64_t next) { auto_increment_.store(next, std::memory_order_relaxed); }
  // Reserves `count` values of the sequence offset, offset + increment, ... that are not below the
  // counter, and returns the first. `maximum` is the largest value the column can hold. When the
  // sequence is exhausted the result is UINT64_MAX, and the counter stays as it is.
  uint64_t ReserveAutoIncrement(uint64_t offset, uint64_t increment, uint64_t count,
                                uint64_t maximum);

  // The counter after this value was used. UINT64_MAX itself is never generated.
  static uint64_t AutoIncrementAfter(uint64_t value) {
    return value == UINT64_MAX ? value : value + 1;
  }

  // Hidden primary key: a fresh id, from 1 on. 0 before it was loaded.
  uint64_t NextHiddenId() { return hidden_id_.fetch_add(1, std::memory_order_relaxed); }
  void RaiseHiddenId(uint64_t next) { Raise(&hidden_id_, next); }
  uint64_t hidden_id() const { return hidden_id_.load(std::memory_order_relaxed); }

  // When a transaction that had changed rows was last committed, in seconds since 1970. 0: not
  // since the store was opened, or since the table got another definition.
  int64_t last_change() const { return last_change_.load(std::memory_order_relaxed); }
  void ForgetChange() { last_change_.store(0, std::memory_order_relaxed); }
  void NoteCommit(int64_t seconds) {
    last_change_.store(seconds, std::memory_order_relaxed);
    if (load_begun_.load(std::memory_order_relaxed)) [[unlikely]]
      NoteLoaded();
  }

  // Open while indexes of the table are built. Whoever changes a row then says so there.
  txn::ChangeLog& change_log() { return change_log_; }

  // Bulk loads, whose rows are all there from one moment on: how many there were, as far as
  // estimates must know. The commit that follows BeginLoad is the load's, or, where others use the
  // table, may be taken for it; one that is committed by itself says so with NoteLoaded.
  uint64_t loads() const { return loads_.load(std::memory_order_relaxed); }
  void BeginLoad() { load_begun_.store(true, std::memory_order_relaxed); }
  void NoteLoaded() {
    load_begun_.store(false, std::memory_order_relaxed);
    loads_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  static void Raise(std::atomic<uint64_t>* counter, uint64_t next) {
    uint64_t now = counter->load(std::memory_order_relaxed);
    while (now < next && !counter->compare_exchange_weak(now, next, std::memory_order_relaxed)) {
    }
  }

  std::atomic<uint64_t> auto_increment_{0};
  std::atomic<uint64_t> hidden_id_{0};
  std::atomic<int64_t> last_change_{0};
  std::atomic<uint64_t> loads_{0};
  std::atomic<bool> load_begun_{false};
  txn::ChangeLog change_log_;
};

}  // namespace basalt::engine
