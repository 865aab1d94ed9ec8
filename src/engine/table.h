// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "catalog/catalog.h"
#include "codec/key_codec.h"
#include "codec/row_codec.h"
#include "codec/table_descriptor.h"
#include "engine/counted_texts.h"
#include "engine/row_end.h"
#include "engine/table_counters.h"
#include "engine/table_statistics.h"

namespace basalt::engine {

class Database;

// What sets a table apart from others; told at Open.
struct TableTraits {
  // Of one connection: see catalog::TemporaryTables. Its rows need no locks and no log.
  bool temporary = false;
  // The column that rows with a time to live take their time stamps from: BIGINT UNSIGNED NOT NULL,
  // seconds since 1970. None: the time of their insertion.
  std::optional<uint32_t> ttl_column;
  // Its one row is written in transactions of their own, and everybody reads the latest state. The
  // server keeps writers apart.
  bool sequence = false;
  // How rows of today are told from history; none in a table without system versioning.
  std::optional<RowEnd> row_end;
};

// One index of an open table.
struct Index {
  IndexId id;
  rocksdb::ColumnFamilyHandle* family = nullptr;  // the store's
  bool reverse = false;                           // the column family stores keys backwards
  bool unique = false;                            // declared unique; a primary key always is
  bool has_virtual_parts = false;                 // see VirtualColumns
  uint64_t ttl_seconds = 0;                       // entries expire after so long; 0: never
  uint64_t readable_from = 0;                     // older snapshots do not hold its entries
  std::shared_ptr<const codec::KeyCodec> codec;
  std::shared_ptr<CountedTexts> texts;  // of a FULLTEXT index
};

// A table as all its handlers share it: descriptors, codecs, where its indexes live. Immutable
// after Open except for the counters. A DDL statement makes the server open a new one.
//
// Thread-safety: any thread.
class Table {
 public:
  // Finds the table `descriptor.name` in the dictionary, checks that it has the same indexes, fills
  // in their numbers and format versions and compiles the codecs. kNotFound when the dictionary
  // does not know it, kCorruption when definition and dictionary disagree.
  static Status Open(Database* database, codec::TableDescriptor descriptor, TableTraits traits,
                     std::shared_ptr<Table>* table);

  const std::string& name() const { return descriptor_.name; }
  const codec::TableDescriptor& descriptor() const { return descriptor_; }
  const TableTraits& traits() const { return traits_; }
  // True when rows need no locks and the latest state is the one to read, for all statements.
  bool lockless() const { return traits_.temporary || traits_.sequence; }
  Database* database() const { return database_; }

  // In the order of the server's keys; a hidden primary key comes last.
  size_t index_count() const { return indexes_.size(); }
  const Index& index(size_t position) const { return indexes_[position]; }
  const Index& primary() const { return indexes_[descriptor_.primary]; }
  size_t primary_position() const { return descriptor_.primary; }
  bool hidden_primary() const { return descriptor_.hidden_primary; }
  const codec::RowCodec& row_codec() const { return row_codec_; }
  // True when every column is a part of the primary key, and always was. Stock MyRocks removes such
  // rows with single deletes, so two puts of one key must never follow each other without a
  // deletion in between.
  bool rows_are_keys() const { return rows_are_keys_; }
  // True when an index has a virtual generated column.
  bool has_virtual_parts() const { return has_virtual_parts_; }
  // True when a column of a record image is a pointer into the value it was decoded from.
  bool has_blobs() const { return has_blobs_; }
  // True when there is a SPATIAL index.
  bool has_spatial_index() const { return has_spatial_index_; }
  // True when there is a FULLTEXT index.
  bool has_full_text_index() const { return has_full_text_index_; }
  // Room for the longest key and unpack info of any index, in bytes.
  size_t max_key_bytes() const { return max_key_bytes_; }
  size_t max_unpack_bytes() const { return max_unpack_bytes_; }

  // Older snapshots do not hold this table's rows; see TableVisibility.
  uint64_t readable_from() const { return readable_from_; }

  // Auto-increment and hidden ids: shared by every open of the table since the store opened.
  TableCounters& counters() const { return *counters_; }
  const std::shared_ptr<TableCounters>& shared_counters() const { return counters_; }

  // Estimates for the optimizer; see TableStatistics.
  TableStatistics& statistics() const { return *statistics_; }

 private:
  Table() = default;

  Status Resolve();
  Status ReadRowLayout(Bytes record);
  Status CompileCodecs();
  void RegisterTimeToLive() const;
  Status LoadCounters();

  Database* database_ = nullptr;
  codec::TableDescriptor descriptor_;
  TableTraits traits_;
  std::vector<Index> indexes_;
  codec::RowCodec row_codec_;
  std::shared_ptr<TableCounters> counters_;
  std::unique_ptr<TableStatistics> statistics_;
  uint64_t readable_from_ = 0;
  bool rows_are_keys_ = false;
  bool has_virtual_parts_ = false;
  bool has_blobs_ = false;
  bool has_spatial_index_ = false;
  bool has_full_text_index_ = false;
  size_t max_key_bytes_ = 0;
  size_t max_unpack_bytes_ = 0;
};

}  // namespace basalt::engine
