// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace basalt::test {

// All files below a directory: name -> time of the last change and contents. Two that are equal
// mean that nothing was written in between.
inline std::map<std::string, std::string> Fingerprint(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string contents((std::istreambuf_iterator<char>(file)), {});
    const auto changed = entry.last_write_time().time_since_epoch().count();
    files[entry.path().string()] = std::to_string(changed) + " " + contents;
  }
  return files;
}

}  // namespace basalt::test
