// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// The lock managers that `./dev bench locks` compares, behind one face: Basalt's own, as its
// transactions use it, and those that RocksDB offers, as RocksDB's transactions use them.

namespace basalt::bench {

// One connection: one transaction after the other. Used by one thread.
class LockSession {
 public:
  virtual ~LockSession() = default;
  virtual void Begin() = 0;
  // False when the wait timed out, or a deadlock or a limit made the request fail.
  virtual bool LockRow(std::string_view key) = 0;
  // Locks [start, end); false also when the contender has no range locks.
  virtual bool LockRange(std::string_view start, std::string_view end) = 0;
  // Rolls back: all locks go.
  virtual void End() = 0;
};

class LockContender {
 public:
  virtual ~LockContender() = default;
  // Any thread. The contender outlives its sessions.
  virtual std::unique_ptr<LockSession> Connect() = 0;
};

// The names that MakeContender knows.
const std::vector<std::string>& ContenderNames();
// Opens a store in `directory`, which must exist, and the lock manager over it. Null, with the
// reason on stderr, when the name is unknown or the store does not open.
std::unique_ptr<LockContender> MakeContender(std::string_view name, const std::string& directory);

}  // namespace basalt::bench
