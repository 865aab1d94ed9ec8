// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/time_to_live.h"

#include <cerrno>
#include <cstdlib>
#include <string>

#include "server/tables/find_column.h"
#include "server/tables/table_name.h"

namespace basalt::server {
namespace {

TimeToLiveWords WordsOf(const TABLE& table, std::string_view table_name) {
  const LEX_CSTRING& comment = table.s->comment;
  return FindTimeToLive(std::string_view(comment.str, comment.length), PartitionOf(table_name));
}

// Decimal, octal or hexadecimal as in C. False for 0 and whatever is no number of seconds.
bool ReadDuration(std::string_view text, uint64_t* seconds) {
  const std::string copy(text);
  if (copy.find('-') != std::string::npos) return false;
  char* end = nullptr;
  errno = 0;
  *seconds = std::strtoull(copy.c_str(), &end, 0);
  while (*end == ' ') ++end;
  return errno == 0 && end == copy.c_str() + copy.size() && *seconds != 0;
}

// The column, if it can hold the time of a row.
std::optional<uint32_t> FindTimeColumn(const TABLE& table, std::string_view name) {
  const std::optional<uint32_t> column = FindColumn(table, std::string(name));
  if (!column) return std::nullopt;
  const Field& field = *table.field[*column];
  const bool fits = field.type() == MYSQL_TYPE_LONGLONG && field.is_unsigned() &&
                    !field.real_maybe_null() && field.stored_in_db();
  return fits ? column : std::nullopt;
}

int Refuse(uint error, std::string_view word) {
  my_error(error, MYF(0), std::string(word).c_str());
  return HA_ERR_UNSUPPORTED;
}

}  // namespace

int ReadTimeToLive(const TABLE& form, std::string_view table_name, TimeToLive* wanted) {
  const TimeToLiveWords words = WordsOf(form, table_name);
  if (words.duration.empty()) {
    return words.column.empty() ? 0 : Refuse(ER_RDB_TTL_COL_FORMAT, words.column);
  }
  if (!ReadDuration(words.duration, &wanted->seconds)) {
    return Refuse(ER_RDB_TTL_DURATION_FORMAT, words.duration);
  }
  if (form.s->primary_key == MAX_KEY) return Refuse(ER_RDB_TTL_UNSUPPORTED, "");
  if (IsTemporaryTable(table_name)) {
    return Refuse(ER_NOT_SUPPORTED_YET, "ROCKSDB: time to live of rows in a temporary table");
  }
  if (words.column.empty()) return 0;
  wanted->column = FindTimeColumn(form, words.column);
  return wanted->column ? 0 : Refuse(ER_RDB_TTL_COL_FORMAT, words.column);
}

std::optional<uint32_t> TimeStampColumn(const TABLE& table, std::string_view table_name) {
  const TimeToLiveWords words = WordsOf(table, table_name);
  if (words.column.empty()) return std::nullopt;
  return FindTimeColumn(table, words.column);
}

bool ChangesTimeToLive(const TABLE& table, const TABLE& altered, std::string_view table_name,
                       bool renames_columns) {
  const TimeToLiveWords before = WordsOf(table, table_name);
  const TimeToLiveWords after = WordsOf(altered, table_name);
  return before != after || (renames_columns && !after.column.empty());
}

bool LivesLikePartition(const TABLE& table, std::string_view comment, std::string_view partition) {
  return WordsOf(table, "") == FindTimeToLive(comment, partition);
}

}  // namespace basalt::server
