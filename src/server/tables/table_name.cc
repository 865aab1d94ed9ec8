// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/table_name.h"

#include <cstring>

#include "catalog/temporary_tables.h"

namespace basalt::server {

namespace {

// How the server's paths of temporary tables begin (tmp_file_prefix in its headers, which this file
// does without, so that it can be fuzzed alone).
constexpr std::string_view kTemporaryPrefix = "#sql-temptable-";
constexpr std::string_view kPartitionMark = "#P#";
constexpr std::string_view kColumnFamilyWord = "cfname=";
constexpr std::string_view kTtlDurationWord = "ttl_duration=";
constexpr std::string_view kTtlColumnWord = "ttl_col=";
// What the server appends to the names of partitions that an ALTER TABLE is making or replacing.
constexpr std::string_view kMadeMark = "#TMP#";
constexpr std::string_view kReplacedMark = "#REN#";

// The text after `word` in the part of the comment that begins with it; false when none does.
bool FindQualifier(std::string_view comment, std::string_view word, std::string_view* value) {
  while (!comment.empty()) {
    const size_t end = comment.find(';');
    std::string_view part = comment.substr(0, end);
    if (part.starts_with(word)) {
      *value = part.substr(word.size());
      return true;
    }
    if (end == std::string_view::npos) break;
    comment.remove_prefix(end + 1);
  }
  return false;
}

// The text after `word`, for the partition or else for the table.
std::string_view QualifierOf(std::string_view comment, std::string_view partition,
                             std::string_view word) {
  std::string_view value;
  if (!partition.empty()) {
    std::string own(partition);
    own.append("_").append(word);
    if (FindQualifier(comment, own, &value) && !value.empty()) return value;
  }
  return FindQualifier(comment, word, &value) ? value : std::string_view();
}

}  // namespace

TimeToLiveWords FindTimeToLive(std::string_view comment, std::string_view partition) {
  return {QualifierOf(comment, partition, kTtlDurationWord),
          QualifierOf(comment, partition, kTtlColumnWord)};
}

bool IsTemporaryTable(std::string_view path) {
  // No table that users name begins like this: the server encodes the '#'.
  return path.substr(path.rfind('/') + 1).starts_with(kTemporaryPrefix);
}

Status TableNameOf(const char* path, std::string* name) {
  if (IsTemporaryTable(path)) {
    name->assign(path);
    return Status::Ok();
  }
  return catalog::TableNameOfPath(Bytes(path, std::strlen(path)), name);
}

std::string_view PartitionOf(std::string_view table_name) {
  const size_t mark = table_name.find(kPartitionMark);
  if (mark == std::string_view::npos) return {};
  std::string_view partition = table_name.substr(mark + kPartitionMark.size());
  for (const std::string_view passing : {kMadeMark, kReplacedMark}) {
    if (partition.ends_with(passing)) partition.remove_suffix(passing.size());
  }
  return partition;
}

std::string TablePrefixOfDatabase(const char* path) {
  std::string_view rest(path);
  while (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
  const size_t slash = rest.rfind('/');
  if (slash != std::string_view::npos) rest.remove_prefix(slash + 1);
  return std::string(rest) + ".";
}

Status ChooseColumnFamily(std::string_view comment, std::string_view partition,
                          catalog::IndexRequest* request) {
  std::string_view family;
  if (!partition.empty()) {
    const std::string word = std::string(partition) + "_" + std::string(kColumnFamilyWord);
    if (FindQualifier(comment, word, &family)) request->per_partition_column_family = true;
  } else if (!FindQualifier(comment, kColumnFamilyWord, &family)) {
    family = comment;
  }
  if (family.empty()) family = "default";
  if (family == "__system__" || family == "$per_index_cf" || family == "__spill__" ||
      family == catalog::TemporaryTables::kColumnFamilyName) {
    return Status(Code::kInvalidArgument,
                  "the column family '" + std::string(family) + "' is reserved");
  }
  request->column_family = family;
  return Status::Ok();
}

}  // namespace basalt::server
