// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "server/server_headers.h"

namespace basalt::server {

// What the comment on a table says of the life of its rows, for one partition or for a table
// without any.
struct TimeToLive {
  uint64_t seconds = 0;            // 0: rows live for ever
  std::optional<uint32_t> column;  // gives the time stamps; none: the time of insertion
};

// Reads the comment of a table that is to be made. `table_name` as in the dictionary, with the
// partition. Returns 0, or a handler error after it has told the client what is wrong: the
// duration, the column, or that the table has no primary key or is temporary.
int ReadTimeToLive(const TABLE& form, std::string_view table_name, TimeToLive* wanted);

// The column of an existing table that gives its rows their time stamps; none when its comment
// names none that could.
std::optional<uint32_t> TimeStampColumn(const TABLE& table, std::string_view table_name);

// Does an ALTER TABLE change what is said of the rows' life, or may it rename the column that is
// named there? Then rows have to be copied.
bool ChangesTimeToLive(const TABLE& table, const TABLE& altered, std::string_view table_name,
                       bool renames_columns);

// Do the rows of `table`, which has no partitions, live as long and by the same column as those of
// this partition of a table with that comment? For EXCHANGE PARTITION: rows keep the life they
// have.
bool LivesLikePartition(const TABLE& table, std::string_view comment, std::string_view partition);

}  // namespace basalt::server
