// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace basalt::engine {

class Table;

// What can be wrong with a table.
enum class Finding : uint8_t {
  // Of rows, that is, entries of the primary index.
  kUndecodable,    // the columns cannot be computed from the bytes
  kMisplaced,      // the columns give another key than the one the row lies under
  kNotFoundByKey,  // a scan meets it, a look-up does not
  // Of secondary entries.
  kMalformed,      // the bytes contradict the format
  kNoRow,          // the row it leads to is not there
  kUnreadableRow,  // the row it leads to cannot be read or decoded
  kForeign,        // its row has another entry in its place
  kWrongContent,   // its row is right, but the unpack info gives other values
  kMissing,        // a row has no entry; named by the row's key
  // Of either.
  kOutOfOrder,
  kDuplicate,      // a unique index holds a value twice
  kWrongChecksum,  // the value contradicts the checksum it carries
};

// Collects what a check finds: counts all, remembers a few keys of each kind. Memory does not
// depend on the number of findings. One thread.
class CheckFindings {
 public:
  explicit CheckFindings(const Table& table);

  void Add(size_t index, Finding finding, Bytes key);
  // Anything else that is wrong with an index, as a whole sentence's end: "index k " + text.
  void AddText(size_t index, std::string text);

  bool empty() const { return lines_.empty() && kinds_.empty(); }
  // By position in Table: is anything wrong with the index? Rows count for the primary one.
  const std::vector<bool>& damaged() const { return damaged_; }
  uint64_t count(size_t index, Finding finding) const;

  // One line for each kind of each index, ready for the client.
  std::vector<std::string> Lines() const;

 private:
  struct Kind {
    uint64_t count = 0;
    std::vector<std::string> keys;
  };

  const Table& table_;
  std::vector<bool> damaged_;
  std::vector<std::string> lines_;
  std::map<std::pair<size_t, Finding>, Kind> kinds_;
};

}  // namespace basalt::engine
