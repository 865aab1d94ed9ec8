// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace basalt::store {

// The bytes of memory that this process may use: those of the machine, or fewer where its control
// groups set a limit. That may be a container's, or systemd's MemoryMax=; see cgroups(7), versions
// 1 and 2. Reads a few small files; what cannot be read sets no limit. Any thread.
uint64_t MemoryLimit();

// For tests: as MemoryLimit on a machine with so many bytes, with `root` as the root directory.
uint64_t MemoryLimitBelow(const std::string& root, uint64_t machine_bytes);

// What the block cache takes by default, of so much memory: an eighth, from 16 to 512 MiB. The rest
// is for the server, which takes some 110 MiB by itself, for InnoDB's buffer pool of 128 MiB, for
// connections, and for the page cache. docs/operate/size.md has the table.
constexpr uint64_t DefaultCacheBytes(uint64_t memory_bytes) {
  constexpr uint64_t kMebibyte = 1 << 20;
  return std::clamp(memory_bytes / 8 / kMebibyte, uint64_t{16}, uint64_t{512}) * kMebibyte;
}

}  // namespace basalt::store
