// SPDX-License-Identifier: GPL-2.0-only
#include "engine/opening_summary.h"

#include <rocksdb/version.h>

namespace basalt::engine {
namespace {

std::string Count(size_t number, const char* one, const char* many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

std::string LastWriter(const OpeningSummary& summary) {
  if (summary.made) return "new";
  if (!summary.options_file.known) return "last writer unknown";
  return std::string("last written by ") +
         (summary.options_file.by_myrocks ? "MyRocks" : "Basalt") + " with RocksDB " +
         summary.options_file.rocksdb_version;
}

std::string FormatVersions(const catalog::DictionarySummary& dictionary) {
  std::string versions;
  for (const auto& [version, indexes] : dictionary.indexes_by_format_version) {
    if (!versions.empty()) versions += ", ";
    versions += std::to_string(indexes) + " of format version " + std::to_string(version);
  }
  return versions.empty() ? versions : " (" + versions + ")";
}

}  // namespace

std::string Describe(const OpeningSummary& summary) {
  const catalog::DictionarySummary& dictionary = summary.dictionary;
  std::string text = "RocksDB " + std::to_string(ROCKSDB_MAJOR) + "." +
                     std::to_string(ROCKSDB_MINOR) + "." + std::to_string(ROCKSDB_PATCH) + ", " +
                     LastWriter(summary) + ": ";
  text += Count(dictionary.tables, "table", "tables") + ", ";
  text += Count(dictionary.indexes, "index", "indexes") + FormatVersions(dictionary) + ", ";
  text += Count(summary.column_families, "column family", "column families");
  const auto add = [&text](size_t number, const char* one, const char* many) {
    if (number != 0) text += "; " + Count(number, one, many);
  };
  add(dictionary.indexes_with_ttl, "index with a time to live", "indexes with a time to live");
  add(dictionary.dropped_indexes, "dropped index to reclaim", "dropped indexes to reclaim");
  add(dictionary.builds_cut_off, "cut off index build rolled back",
      "cut off index builds rolled back");
  add(dictionary.column_family_records_added, "missing column family record written",
      "missing column family records written");
  add(summary.prepared_transactions, "prepared transaction recovered",
      "prepared transactions recovered");
  add(summary.finished_commits, "large commit finished", "large commits finished");
  add(summary.removed_bulk_loads, "file of an unfinished bulk load removed",
      "files of unfinished bulk loads removed");
  return text;
}

}  // namespace basalt::engine
