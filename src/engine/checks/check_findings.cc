// SPDX-License-Identifier: GPL-2.0-only
#include "engine/checks/check_findings.h"

#include "engine/entry_name.h"
#include "engine/table.h"

namespace basalt::engine {
namespace {

constexpr size_t kKeysNamed = 3;

const char* TextOf(Finding finding) {
  switch (finding) {
    case Finding::kUndecodable:
      return "rows that cannot be decoded";
    case Finding::kMisplaced:
      return "rows that lie under another key than their own";
    case Finding::kNotFoundByKey:
      return "rows that a look-up by key does not find";
    case Finding::kMalformed:
      return "entries that contradict the format";
    case Finding::kNoRow:
      return "entries without a row";
    case Finding::kUnreadableRow:
      return "entries whose row cannot be read";
    case Finding::kForeign:
      return "entries that do not belong to their row";
    case Finding::kWrongContent:
      return "entries that give other values than their row";
    case Finding::kMissing:
      return "rows without an entry";
    case Finding::kOutOfOrder:
      return "entries out of order";
    case Finding::kDuplicate:
      return "values that are there twice";
    case Finding::kWrongChecksum:
      return "values that contradict their checksum";
  }
  return "";
}

}  // namespace

CheckFindings::CheckFindings(const Table& table) : table_(table), damaged_(table.index_count()) {}

void CheckFindings::Add(size_t index, Finding finding, Bytes key) {
  Kind& kind = kinds_[{index, finding}];
  if (++kind.count <= kKeysNamed) kind.keys.push_back(HexOf(key));
  damaged_[index] = true;
}

void CheckFindings::AddText(size_t index, std::string text) {
  lines_.push_back("index " + table_.descriptor().indexes[index].name + " " + std::move(text));
  damaged_[index] = true;
}

uint64_t CheckFindings::count(size_t index, Finding finding) const {
  const auto found = kinds_.find({index, finding});
  return found == kinds_.end() ? 0 : found->second.count;
}

std::vector<std::string> CheckFindings::Lines() const {
  std::vector<std::string> lines = lines_;
  for (const auto& [which, kind] : kinds_) {
    lines.push_back("index " + table_.descriptor().indexes[which.first].name + ": " +
                    std::to_string(kind.count) + " " + TextOf(which.second) + ", " +
                    ListOfKeys(kind.count, kind.keys));
  }
  return lines;
}

}  // namespace basalt::engine
