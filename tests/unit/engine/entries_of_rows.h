// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/checks/entry_walk.h"
#include "engine/indexes/entry_content.h"

namespace basalt::test {

// What an index says of single rows, whether in entries of their own or in blocks: keys without the
// number of the index, and contents. In ascending order.
inline std::vector<std::pair<std::string, std::string>> EntriesOfRows(
    const engine::Table& table, size_t index, txn::Transaction* transaction) {
  std::vector<std::pair<std::string, std::string>> entries;
  engine::EntryWalk walk(table, index, transaction);
  Status status = walk.Next();
  for (; status.ok(); status = walk.Next()) {
    engine::EntryContent content;
    EXPECT_TRUE(
        engine::ReadEntryContent(*table.index(index).codec, walk.key(), walk.value(), &content));
    entries.emplace_back(walk.key().substr(sizeof(uint32_t)), content.unpack);
  }
  EXPECT_EQ(status.code(), Code::kEndOfRange) << status.ToString();
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace basalt::test
