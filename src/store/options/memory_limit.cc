// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace basalt::store {
namespace {

// Where version 1 has its groups of memory, and version 2 all groups, with the file of the limit.
struct Hierarchy {
  const char* folder;
  const char* file;
};
constexpr Hierarchy kVersion1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes"};
constexpr Hierarchy kVersion2 = {"/sys/fs/cgroup", "memory.max"};

// The number in a file; UINT64_MAX when there is none: version 2 writes "max" for no limit.
uint64_t NumberIn(const std::filesystem::path& file) {
  std::ifstream in(file);
  uint64_t number = 0;
  return in >> number ? number : UINT64_MAX;
}

// A limit holds for all groups below. In a container the group's own folder may be mounted as the
// outermost one, so what does not exist is passed over.
uint64_t LeastLimit(const std::string& root, const Hierarchy& hierarchy, std::string group) {
  uint64_t least = UINT64_MAX;
  for (;;) {
    least = std::min(least, NumberIn(root + hierarchy.folder + group + "/" + hierarchy.file));
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos) return least;
    group.resize(slash);
  }
}

// Does a line of /proc/self/cgroup, `number:controllers:group`, name this controller?
bool Controls(std::string_view controllers, std::string_view name) {
  while (!controllers.empty()) {
    const size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == name) return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

uint64_t LimitOfLine(const std::string& root, const std::string& line) {
  const size_t first = line.find(':');
  const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
  if (second == std::string::npos) return UINT64_MAX;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  const std::string group = line.substr(second + 1);
  if (controllers.empty()) return LeastLimit(root, kVersion2, group);
  return Controls(controllers, "memory") ? LeastLimit(root, kVersion1, group) : UINT64_MAX;
}

}  // namespace

uint64_t MemoryLimitBelow(const std::string& root, uint64_t machine_bytes) {
  uint64_t limit = machine_bytes;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    limit = std::min(limit, LimitOfLine(root, line));
  }
  return limit;
}

uint64_t MemoryLimit() {
  const auto pages = static_cast<uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  return MemoryLimitBelow("", pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)));
}

}  // namespace basalt::store
