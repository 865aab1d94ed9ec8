// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace basalt::server {

// What a connection has done since it began, in sums that only grow.
struct WorkSums {
  uint64_t rows_read = 0;
  uint64_t rows_written = 0;   // inserted, updated, deleted
  uint64_t bytes_written = 0;  // keys and values of all indexes, before compression

  void Add(const WorkSums& other) {
    rows_read += other.rows_read;
    rows_written += other.rows_written;
    bytes_written += other.bytes_written;
  }
};

// Where a connection stood when its running statement first used the engine, so that others can
// tell what that statement has done. Set by the connection's thread. Any thread may read: who does
// while a statement begins may see numbers of two statements, for a moment.
class StatementWork {
 public:
  // The statement of this number uses the engine; later calls for the same one do nothing.
  void Begin(uint64_t query_id, const WorkSums& now) {
    if (IsOf(query_id)) return;
    rows_read_.store(now.rows_read, std::memory_order_relaxed);
    rows_written_.store(now.rows_written, std::memory_order_relaxed);
    bytes_written_.store(now.bytes_written, std::memory_order_relaxed);
    query_id_.store(query_id, std::memory_order_release);
  }

  bool IsOf(uint64_t query_id) const {
    return query_id_.load(std::memory_order_acquire) == query_id;
  }
  // What was done until the sums were these.
  WorkSums Until(const WorkSums& now) const {
    return {Between(rows_read_, now.rows_read), Between(rows_written_, now.rows_written),
            Between(bytes_written_, now.bytes_written)};
  }

 private:
  // 0 when the sum has begun anew: a connection that has prepared a transaction gets another one.
  static uint64_t Between(const std::atomic<uint64_t>& begin, uint64_t end) {
    return end - std::min(begin.load(std::memory_order_relaxed), end);
  }

  std::atomic<uint64_t> query_id_{0};  // the server's begin with 1
  std::atomic<uint64_t> rows_read_{0};
  std::atomic<uint64_t> rows_written_{0};
  std::atomic<uint64_t> bytes_written_{0};
};

}  // namespace basalt::server
