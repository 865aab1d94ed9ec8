// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"

namespace basalt::catalog {

// What an index is for. The numbers are on disk (docs/format/dictionary.md).
enum class IndexKind : uint8_t { kPrimary = 1, kSecondary = 2, kHiddenPrimary = 3 };

// The version of keys and values of an index: what MyRocks writes, and the newest, which readers
// refuse to go beyond.
inline constexpr uint16_t kKeyValueFormatVersion = 13;
inline constexpr uint16_t kNewestKeyValueFormatVersion = 16;
// From this one on a secondary index may have rules for words.
inline constexpr uint16_t kFullTextFormatVersion = 16;

// Bits of IndexRecord::flags. A value with any other bit set is refused.
inline constexpr uint32_t kIndexHasTtl = 1;  // every value begins with an 8-byte time stamp

// One index as the dictionary knows it.
struct IndexRecord {
  IndexId id;
  IndexKind kind = IndexKind::kSecondary;
  uint16_t key_value_format_version = kKeyValueFormatVersion;
  uint32_t flags = 0;
  uint64_t ttl_seconds = 0;  // 0: rows live for ever
  // Of a primary or hidden primary key: how rows lie that the table's definition has changed over
  // (docs/format/row-versions.md), bytes that the catalog does not look into. Empty: as the columns
  // do.
  std::string row_layout;
  // Of a FULLTEXT index: which words it has (docs/format/full-text.md, "Rules"), bytes that the
  // catalog does not look into; codec/word_rules_record.h does. Empty in all other indexes.
  std::string word_rules;

  bool operator==(const IndexRecord&) const = default;
};

// One table, or one partition of a partitioned table: each partition is a table of its own here.
struct TableRecord {
  // "database.table", both in the server's file name encoding, for example "d.t@002dodd" or
  // "d.t#P#p0". TableNameOfPath makes it.
  std::string name;
  // In the order of the server's key_info array; the hidden primary key, if any, comes last.
  std::vector<IndexRecord> indexes;

  // The primary or hidden primary key; null only for a record that came from a damaged dictionary,
  // which Catalog::Load refuses.
  const IndexRecord* Primary() const;
  bool operator==(const TableRecord&) const = default;
};

// An index to be made.
struct IndexRequest {
  std::string column_family = "default";  // made when missing; "rev:" in front = reverse order
  IndexKind kind = IndexKind::kSecondary;
  uint32_t flags = 0;
  uint64_t ttl_seconds = 0;
  // The column family was named for this partition only; noted in the dictionary, nothing more.
  bool per_partition_column_family = false;
  uint16_t key_value_format_version = kKeyValueFormatVersion;
  // As IndexRecord::word_rules. Only a secondary index from kFullTextFormatVersion on has any. They
  // stay with the index from now on: TRUNCATE and REPAIR take them over, a drop removes them.
  std::string word_rules = {};
};

// "./database/table" -> "database.table". kInvalidArgument when the path has not that shape.
Status TableNameOfPath(Bytes path, std::string* name);

// "database.table#P#p0" -> "./database/table": the path under which the version of a table is
// kept, without its partition.
std::string VersionPathOfTable(Bytes name);

// "database.table#P#p0" -> "database.table": the table a partition is of; another name as it is.
Bytes TableOfPartition(Bytes name);

// Is this the name of one partition or subpartition, or of all together as by WholeOf?
bool IsPartitionName(Bytes name);

// Is this a name that a statement works with: of a copy that an ALTER makes before it gets its
// name, of the table that the copy has replaced, of a partition in the making? After a crash a
// table of such a name is a leftover. Tables of CREATE TEMPORARY TABLE have no name of this form.
bool IsTemporaryName(Bytes name);

// "database.table#P#p0" -> "database.table#P#": all partitions of a table together; another name as
// it is. A crash can leave a table and another one's partitions under one name: these differ.
std::string WholeOf(Bytes name);
// "database.table" -> "database.table#P#", as WholeOf says of each partition of the table. The
// names of its partitions, and no others, begin with it.
std::string PartitionsOf(Bytes table);

}  // namespace basalt::catalog
