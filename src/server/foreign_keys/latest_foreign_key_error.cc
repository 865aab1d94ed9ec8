// SPDX-License-Identifier: GPL-2.0-only
#include "server/foreign_keys/latest_foreign_key_error.h"

#include <ctime>
#include <utility>

#include "base/mutex.h"

namespace basalt::server {

namespace {

constexpr size_t kStatementBytes = 1024;

struct ForeignKeyError {
  std::time_t when = 0;
  my_thread_id connection = 0;
  std::string statement;  // empty: none, as for row events of a replica
  std::string text;       // empty: there was no error yet
};

Mutex g_mutex;
ForeignKeyError g_latest BASALT_GUARDED_BY(g_mutex);

// In UTF-8, whatever the connection speaks.
std::string StatementOf(THD* thd) {
  if (thd->query() == nullptr) return {};
  String converted;
  uint errors = 0;
  if (converted.copy(thd->query(), std::min<size_t>(thd->query_length(), kStatementBytes),
                     thd->query_charset(), system_charset_info, &errors)) {
    return {};
  }
  return std::string(converted.ptr(), std::min<size_t>(converted.length(), kStatementBytes));
}

std::string TimeText(std::time_t when) {
  std::tm local{};
  localtime_r(&when, &local);
  char text[32];
  return std::string(text, std::strftime(text, sizeof(text), "%F %T", &local));
}

}  // namespace

void NoteForeignKeyError(THD* thd, std::string text) {
  ForeignKeyError error{std::time(nullptr), thd->thread_id, StatementOf(thd), std::move(text)};
  MutexLock lock(g_mutex);
  g_latest = std::move(error);
}

std::string LatestForeignKeyError() {
  MutexLock lock(g_mutex);
  if (g_latest.text.empty()) return {};
  const std::string statement = g_latest.statement.empty() ? "none" : g_latest.statement;
  return "At " + TimeText(g_latest.when) + ", connection " + std::to_string(g_latest.connection) +
         "\nStatement: " + statement + "\n" + g_latest.text + "\n";
}

}  // namespace basalt::server
