// SPDX-License-Identifier: GPL-2.0-only
//
// Statistics and costs for the optimizer, error texts for the client.
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/database.h"
#include "server/error_map.h"
#include "server/handler/handler.h"
#include "server/handler/search_key.h"
#include "server/handler/window_key.h"
#include "server/tables/definition_files.h"
#include "server/variables/system_variables.h"

namespace basalt::server {

namespace {

// The optimizer of this server counts in reads of a page. This is the page that stands for so much
// sequential work as one random read costs: decoding 16 KiB of rows and one look-up of a row that
// is not where the scan is take about the same time.
constexpr double kPageBytes = 16384;

// Parts of an entry of the index. The server, too, adds the primary key's parts to a key, but not
// to one over a prefix of a column.
uint StoredParts(const TABLE& table, uint index) {
  const KEY& key = table.key_info[index];
  const uint primary = table.s->primary_key;
  const auto is_prefix = [](const KEY_PART_INFO& part) {
    return (part.key_part_flag & HA_PART_KEY_SEG) != 0;
  };
  const KEY_PART_INFO* const begin = key.key_part;
  const KEY_PART_INFO* const end = key.key_part + key.user_defined_key_parts;
  if (primary == MAX_KEY || index == primary || std::none_of(begin, end, is_prefix)) {
    return key.ext_key_parts;
  }
  return key.user_defined_key_parts + table.key_info[primary].user_defined_key_parts;
}

uint64_t EstimateWindow(OpenTable& open, uint index, const key_range& window) {
  codec::WindowSearch search;
  BeginWindow(*open.data()->index(index).codec, window.key, window.flag, &search);
  return server::Measured(open, index, Direction::kForward,
                          [&] { return open.rows()->EstimateWindow(index, search); });
}

}  // namespace

int Handler::info(uint flag) {
  engine::TableStatistics& statistics = table_data()->statistics();
  if (flag & HA_STATUS_TIME) {  // SHOW TABLE STATUS
    statistics.RefreshIfChanged();
    stats.update_time = static_cast<ulong>(table_data()->counters().last_change());
  }
  if (flag & HA_STATUS_VARIABLE) {
    const engine::TableStatistics::Sizes sizes = statistics.AllSizes();
    stats.records = sizes.rows;
    // The optimizer would take a table without rows for a constant. Who is no optimizer says so;
    // history partitions with a limit are filled by this number.
    if (stats.records == 0 && !(flag & (HA_STATUS_TIME | HA_STATUS_OPEN))) stats.records = 1;
    if (const uint64_t told = RowsToldToOptimizer()) stats.records = told;
    stats.deleted = 0;
    stats.data_file_length = sizes.stored_rows;
    stats.index_file_length = sizes.stored_entries;
    stats.mean_rec_length =
        static_cast<ulong>(sizes.row_data / std::max<uint64_t>(1, stats.records));
    stats.delete_length = 0;
  }
  if (flag & HA_STATUS_CONST) {
    stats.block_size = static_cast<uint>(kPageBytes);
    FillRowsPerKey();
    stats.create_time = static_cast<ulong>(TimeOfFrmFile(table_share->normalized_path.str));
  }
  if (flag & HA_STATUS_ERRKEY) {
    const Session* session = Session::IfAny(table->in_use);
    errkey = session == nullptr ? MAX_KEY : session->duplicate_index();
  }
  if ((flag & HA_STATUS_AUTO) && table->found_next_number_field != nullptr) {
    if (int error = counter_.Learn()) return error;
    // A counter that nobody knows yet belongs to a table without positive values, as a rule; and
    // partitioning takes 0 for exhausted.
    stats.auto_increment_value = std::max<uint64_t>(1, table_data()->counters().auto_increment());
  }
  return 0;
}

void Handler::FillRowsPerKey() {
  engine::TableStatistics& statistics = table_data()->statistics();
  for (uint i = 0; i < table->s->keys; ++i) {
    KEY& key = table->key_info[i];
    if (key.rec_per_key == nullptr) continue;
    if (key.flags & HA_FULLTEXT) {
      std::fill_n(key.rec_per_key, key.user_defined_key_parts, 1);
      continue;
    }
    const bool unique = (key.flags & HA_NOSAME) != 0;
    for (uint part = 0; part < key.ext_key_parts; ++part) {
      double rows = 1;
      if (part < key.user_defined_key_parts) {
        const bool whole = part + 1 == key.user_defined_key_parts;
        rows = whole && unique && !(key.flags & HA_NULL_PART_KEY)
                   ? 1
                   : statistics.RowsPerKey(i, part + 1);
      }
      // Who is told how many rows there are is told the rest, too: each further part halves.
      if (rows == 0 && RowsToldToOptimizer() != 0) {
        rows = static_cast<double>(1ull << (StoredParts(*table, i) - part - 1));
      }
      if (rows == 0 && statistics.Rows() == 0) rows = 1;  // shown as 0, as InnoDB's empty tables
      // 0 says "unknown": the optimizer then guesses.
      key.rec_per_key[part] = static_cast<ulong>(std::llround(rows));
      if (rows > 0 && key.rec_per_key[part] == 0) key.rec_per_key[part] = 1;
    }
  }
}

ha_rows Handler::records_in_range(uint index, const key_range* min_key, const key_range* max_key,
                                  page_range*) {
  if (const uint64_t wanted = RecordsInRange(table->in_use, table->force_index)) return wanted;
  const codec::KeyCodec& codec = *table_data()->index(index).codec;
  if (IsFullText(codec)) return HA_POS_ERROR;  // its entries are words, which no range is of
  if (codec.IsSpatial()) {
    return std::max<uint64_t>(1, EstimateWindow(open_, index, *min_key));
  }
  std::string start;
  std::string end;
  open_.like_bounds()->Widen(index, &min_key, &max_key);
  EncodeRangeStart(codec, min_key, &start);
  EncodeRangeEnd(codec, max_key, &end);
  if (start >= end) return 1;
  const uint64_t entries = server::Measured(
      open_, index, Direction::kForward, [&] { return rows()->EstimateRange(index, start, end); });
  // 0 would say that there is certainly nothing.
  return std::max<uint64_t>(1, entries);
}

double Handler::scan_time() {
  const double bytes =
      static_cast<double>(table_data()->statistics().DataBytes(table_data()->primary_position()));
  return bytes / kPageBytes + 1;
}

// Rows through an index: in the primary one they lie together, from a secondary one each is a
// look-up of its own.
double Handler::read_time(uint index, uint ranges, ha_rows rows) {
  if (index != table->s->primary_key) return static_cast<double>(ranges + rows);
  if (rows <= 2) return static_cast<double>(rows);
  const double total = static_cast<double>(std::max<ha_rows>(1, stats.records));
  const double part = std::min(1.0, static_cast<double>(rows) / total);
  return ranges + part * scan_time();
}

uint Handler::EntryBytes(uint index) const {
  uint bytes = table->key_info[index].key_length;
  if (table->s->primary_key == MAX_KEY) return bytes + 8;
  if (index != table->s->primary_key) bytes += table->key_info[table->s->primary_key].key_length;
  return bytes;
}

double Handler::keyread_time(uint index, uint ranges, ha_rows rows) {
  if (index == table->s->primary_key) return read_time(index, ranges, rows);
  return ranges + static_cast<double>(rows) * EntryBytes(index) / kPageBytes;
}

// Sizes sort buffers. Statistics lag behind, so twice as many and some.
ha_rows Handler::estimate_rows_upper_bound() {
  return table_data()->statistics().Rows() * 2 + 1000;
}

ulonglong Handler::table_version() const {
  if (table_data()->traits().temporary) return 0;  // nothing to recover
  uint64_t version = 0;
  const Status status =
      table_data()->database()->catalog()->TableVersion(table_data()->name(), &version);
  if (!status.ok()) {
    sql_print_warning("ROCKSDB: version of table %s: %s", table_data()->name().c_str(),
                      status.ToString().c_str());
  }
  return version;
}

// The result says whether trying again may help.
bool Handler::get_error_message(int error, String* text) {
  // The server appends this to its own text, which says all there is of a deadlock and a timeout.
  if (error == HA_ERR_LOCK_DEADLOCK) {
    text->append(open_.error_text().data(), open_.error_text().size());  // what else it may be
    return true;
  }
  if (error == HA_ERR_LOCK_WAIT_TIMEOUT) return true;
  if (!open_.error_text().empty()) {
    text->append(open_.error_text().data(), open_.error_text().size());
  } else {
    const std::string_view known = DefaultErrorText(error);
    text->append(known.data(), known.size());
  }
  return false;
}

}  // namespace basalt::server
