// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

#include "codec/column_set.h"
#include "engine/rows/row_access.h"
#include "server/search_key.h"
#include "server/server_headers.h"

namespace basalt::server {

// Entries a scan passes between two looks at the connection's kill flag.
inline constexpr uint64_t kStepsBetweenKillChecks = 1024;

// For scans whose order nobody has asked for: the direction in which the store reads fastest.
inline engine::Direction FastestDirection(const engine::Index& index) {
  return index.reverse ? engine::Direction::kBackward : engine::Direction::kForward;
}

// Rows of a multi-range read that were found in the index and are fetched from the table together.
struct RangeBatch {
  bool active = false;
  std::vector<std::string> row_keys;
  std::vector<range_id_t> range_ids;  // of the range each row belongs to
  size_t count = 0;                   // rows gathered
  size_t next = 0;                    // the one to return next
  size_t limit = 0;                   // how many to gather; grows while the caller keeps reading
  bool range_open = false;            // the cursor stands inside the present range
  bool ranges_ended = false;
  int deferred_error = 0;  // met while gathering: reported after the rows before it
};

// Where the reads of a handler stand. Grouped here, because several handler_*.cc files share it.
struct ReadState {
  codec::ColumnSet wanted;    // columns that reads fill in
  bool wanted_known = false;  // false: take them from the table's read set again
  bool may_write = false;     // the statement may write rows back that it reads: whole ones,
                              // by the key of the row and not of the entry
  bool scan_open = false;     // the engine's cursor is open on the active index
  bool key_only = false;      // entries of the index suffice
  bool first_row = true;      // of a full scan
  bool point_read = false;    // the last row came from a look-up by its whole primary key
  bool only_read = false;     // the running look-up is all that the transaction reads
  // Of a HANDLER, whose scan goes on in another statement, without the cursor:
  bool resumes = false;  // this is the next move after such a break
  std::string last_key;  // entry of the last row, or where one was looked for
  bool beyond = false;   // the scan has passed the end that lies in this direction:
  engine::Direction beyond_end = engine::Direction::kForward;
  bool position_from_entry = false;  // position() describes the cursor's entry, not the record
  uint64_t steps = 0;                // entries passed, to look for KILL now and then
  std::string search;                // encoded key of the last search; the rows of index_next_same
                                     // begin with it
  TupleBound low;                    // what rows must be besides, where key bytes do not decide it
  TupleBound high;
  bool compares_rows = false;  // such bounds came up: the columns of the index are wanted, too
  std::string limit;           // end of the range, exclusive; empty: none
  std::string unique_value;    // keys that a look-up for duplicates is about begin so; else empty
  RangeBatch batch;
};

}  // namespace basalt::server
