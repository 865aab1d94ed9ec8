// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/stop_words.h"

#include <memory>
#include <optional>
#include <utility>

#include "engine/rows/committed_rows.h"
#include "server/tables/engine_table.h"
#include "server/tables/file_names.h"
#include "server/tables/find_column.h"
#include "server/tables/stored_table.h"
#include "server/variables/full_text_variables.h"

namespace basalt::server {

namespace {

constexpr const char* kColumn = "value";

// As information_schema.INNODB_FT_DEFAULT_STOPWORD has them, each once.
constexpr const char* kBuiltIn[] = {
    "a",    "about", "an",  "are",  "as",   "at",    "be",  "by",   "com",  "de",  "en",   "for",
    "from", "how",   "i",   "in",   "is",   "it",    "la",  "of",   "on",   "or",  "that", "the",
    "this", "to",    "was", "what", "when", "where", "who", "will", "with", "und", "www"};

std::string Converted(const char* text, size_t bytes, CHARSET_INFO* from, CHARSET_INFO* to) {
  String converted;
  uint errors = 0;
  converted.copy(text, bytes, from, to, &errors);
  return std::string(converted.ptr(), converted.length());
}

Status Unusable(const std::string& table, const char* why) {
  return Status(Code::kInvalidArgument, "the table of stop words " + table + " " + why);
}

// For the statement.
Status LockTable(THD* thd, const DisplayNames& names) {
  MDL_request request;
  MDL_REQUEST_INIT(&request, MDL_key::TABLE, names.database.c_str(), names.table.c_str(),
                   MDL_SHARED_READ, MDL_TRANSACTION);
  const bool refused = thd->mdl_context.acquire_lock(
      &request, static_cast<double>(thd->variables.lock_wait_timeout));
  return refused ? Status(Code::kLockTimeout) : Status::Ok();
}

// A table without the column, or with another type of it, is not read.
Status ReadWords(engine::Database* database, const std::string& name, const StoredTable& stored,
                 CHARSET_INFO* charset, std::vector<std::string>* words) {
  const std::optional<uint32_t> position = FindColumn(stored.table(), kColumn);
  if (!position || stored.table().field[*position]->type() != MYSQL_TYPE_VARCHAR) {
    return Unusable(name, "has no column value of type VARCHAR");
  }
  CHARSET_INFO* own_charset = stored.table().field[*position]->charset();
  std::shared_ptr<engine::Table> table;
  BASALT_RETURN_IF_ERROR(OpenEngineTable(database, stored.table(), name, &table));
  engine::CommittedRows rows(table.get());
  Status status = rows.Next();
  for (; status.ok(); status = rows.Next()) {
    const std::optional<Bytes> word = rows.TextOf(*position);
    if (!word) continue;
    words->push_back(Converted(word->data(), word->size(), own_charset, charset));
  }
  return status.code() == Code::kEndOfRange ? Status::Ok() : std::move(status);
}

}  // namespace

Status ReadStopWords(THD* thd, engine::Database* database, CHARSET_INFO* charset,
                     std::vector<std::string>* words) {
  words->clear();
  if (!LeavesOutStopWords(thd)) return Status::Ok();
  const std::string given = StopWordTable(thd);
  if (given.empty()) {
    for (const char* word : kBuiltIn) {
      words->push_back(Converted(word, strlen(word), &my_charset_latin1, charset));
    }
    return Status::Ok();
  }
  const size_t slash = given.find('/');
  if (slash == std::string::npos) return Unusable(given, "is not named as database/table");
  const std::string name = std::string(given).replace(slash, 1, ".");
  BASALT_RETURN_IF_ERROR(LockTable(thd, DisplayNamesOf(name)));
  StoredTable stored(thd);
  Status opened = stored.Open(*database->catalog(), name);
  if (opened.code() == Code::kNotFound) return Unusable(given, "is no table of this engine");
  BASALT_RETURN_IF_ERROR(std::move(opened));
  return ReadWords(database, name, stored, charset, words);
}

}  // namespace basalt::server
