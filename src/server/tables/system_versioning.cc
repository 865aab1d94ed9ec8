// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/system_versioning.h"

#include <string>

namespace basalt::server {

namespace {

// The bytes of the latest TIMESTAMP(6): the end of rows that are no history.
std::string EndOfTime() {
  constexpr size_t kSecondBytes = 4;
  constexpr size_t kFractionBytes = 3;
  uchar bytes[kSecondBytes + kFractionBytes];
  mi_int4store(bytes, TIMESTAMP_MAX_VALUE);
  mi_int3store(bytes + kSecondBytes, TIME_MAX_SECOND_PART);
  return std::string(reinterpret_cast<const char*>(bytes), sizeof(bytes));
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
