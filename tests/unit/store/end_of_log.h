// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace basalt::test {

// Where the records of a log end, in bytes: behind them may be space made ready, zeros
// (store/wal/wal_preallocation.h). For logs whose last record does not end in zeros itself.
inline size_t EndOfLog(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  return content.find_last_not_of('\0') + 1;
}

}  // namespace basalt::test
