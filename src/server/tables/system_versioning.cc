// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/system_versioning.h"

#include <string>

#include "base/bytes.h"

namespace basalt::server {

namespace {

// The bytes of the latest TIMESTAMP(6), four of seconds and three of a fraction: the end of rows
// that are no history.
std::string EndOfTime() {
  std::string seconds;
  std::string fraction;
  AppendBigEndian32(&seconds, TIMESTAMP_MAX_VALUE);
  AppendBigEndian32(&fraction, TIME_MAX_SECOND_PART);
  return seconds + fraction.substr(1);
}

// As long as a row lives, the column has these bytes; by transaction those of the highest id.
const std::string& AliveOf(const TABLE& table) {
  static const std::string by_time = EndOfTime();
  static const std::string by_transaction(sizeof(ulonglong), '\xff');
  return table.versioned(VERS_TRX_ID) ? by_transaction : by_time;
}

}  // namespace

std::optional<engine::RowEnd> RowEndOf(const TABLE& table) {
  if (!table.versioned()) return std::nullopt;
  return engine::RowEnd{table.s->vers.end_fieldno, AliveOf(table)};
}

bool IsHistory(const TABLE& table, const uchar* record) {
  if (!table.versioned()) return false;
  const std::string& alive = AliveOf(table);
  return memcmp(table.vers_end_field()->ptr_in_record(record), alive.data(), alive.size()) != 0;
}

}  // namespace basalt::server
