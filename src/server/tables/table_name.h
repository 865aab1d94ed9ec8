// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "catalog/table_record.h"

namespace basalt::server {

// A table's name as the dictionary has it, from the path the server calls it by: "./db/table",
// with partitions "./db/table#P#p0#SP#p0sp0". kInvalidArgument for a path of another shape. The
// name of a temporary table is its whole path, which no other process has.
Status TableNameOf(const char* path, std::string* name);

// Is this the path or name of a table made by CREATE TEMPORARY TABLE (or by altering such a one)?
bool IsTemporaryTable(std::string_view path);

// The partition in a table's name ("p0#SP#p0sp0" in "db.table#P#p0#SP#p0sp0"); empty when it names
// a whole table.
std::string_view PartitionOf(std::string_view table_name);

// The words of a table's comment on the life of its rows; empty where it has none. The rows of
// partition p have those after "p_ttl_duration=" and "p_ttl_col=", else those after "ttl_duration="
// and "ttl_col=". The first of several counts. They point into the comment.
struct TimeToLiveWords {
  std::string_view duration;
  std::string_view column;
  bool operator==(const TimeToLiveWords&) const = default;
};
TimeToLiveWords FindTimeToLive(std::string_view comment, std::string_view partition);

// What every table of the database in this path begins with: "./db/" -> "db.".
std::string TablePrefixOfDatabase(const char* path);

// Where an index of a new table goes, by the comment on the index: the column family after
// "cfname=" among parts separated by ";", or else the whole comment. In a partition only
// "PARTITION_cfname=" counts. Sets request->column_family and the per-partition flag.
// kInvalidArgument for names the engine keeps for itself.
Status ChooseColumnFamily(std::string_view comment, std::string_view partition,
                          catalog::IndexRequest* request);

}  // namespace basalt::server
