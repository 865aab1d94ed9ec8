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

}  // namespace

std::optional<engine::RowEnd> RowEndOf(const TABLE& table) {
  if (!table.versioned(VERS_TIMESTAMP)) return std::nullopt;
  return engine::RowEnd{table.s->vers.end_fieldno, EndOfTime()};
}

bool IsHistory(const TABLE& table, const uchar* record) {
  if (!table.versioned(VERS_TIMESTAMP)) return false;
  static const std::string kAlive = EndOfTime();
  return memcmp(table.vers_end_field()->ptr_in_record(record), kAlive.data(), kAlive.size()) != 0;
}

}  // namespace basalt::server
