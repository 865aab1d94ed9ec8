// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>

#include "codec/window_search.h"
#include "engine/scans/direction.h"
#include "server/handler/open_table.h"
#include "server/handler/row_bounds.h"
#include "server/handler/row_key_batch.h"
#include "server/handler/search_key.h"
#include "server/handler/unique_look_up.h"
#include "server/handler/wanted_columns.h"
#include "server/server_headers.h"

namespace basalt::server {

using engine::Direction;

// Entries a scan passes between two looks at the connection's kill flag.
inline constexpr uint64_t kStepsBetweenKillChecks = 1024;

// For scans whose order nobody has asked for: the direction in which the store reads fastest.
inline Direction FastestDirection(const engine::Index& index) {
  return index.reverse ? Direction::kBackward : Direction::kForward;
}

// Reads the rows of one handler, one after the other: by a key, along an index, or all of the
// table. The server's conditions on entries (index condition, row-id filter) are applied before a
// row is read.
//
// Functions with an int result return 0 or a handler error. The index is the handler's
// active_index; MAX_KEY stands for the whole table. One thread. Borrows the table.
class IndexReader {
 public:
  // For "not this entry"; no handler error has this number.
  static constexpr int kEntryPassedOver = -1;

  explicit IndexReader(OpenTable* table) : table_(table), wanted_(table), unique_(table) {}

  // --- Frame of a scan ---
  // The handler's active index was set: the server will read along it, or, without one, the whole
  // table (`opens`) or rows by their position.
  int BeginTable(bool opens);
  int BeginIndex();
  // Has the statement's snapshot the entries of this index? 0, or HA_ERR_TABLE_DEF_CHANGED.
  int CheckReadable(uint index) const;
  void Close();
  // Opens the cursor, if it is not open. A scan that goes on keeps its place, whatever columns are
  // wanted from here on.
  int OpenScan();
  // The engine's scan was used for something else: it is not open any more.
  void NoteScanTaken() {
    wanted_.Forget();
    scan_open_ = false;
  }
  // The read set has changed, or a statement begins.
  void ForgetWantedColumns() { wanted_.Forget(); }
  const WantedColumns& LearnWantedColumns() {
    wanted_.Learn(bounds_.compares());
    return wanted_;
  }
  // The scan of a HANDLER ends with its statement, and goes on in the next one.
  void Suspend() { place_.resumes = true; }
  // The table has other indexes from now on; no scan is open.
  void Reset();

  // --- Reads ---
  int ReadByPosition(Bytes row_key, uchar* record);
  int NextOfTable(uchar* record);
  // `only_read`: it is all that the transaction reads.
  int Find(uchar* record, const uchar* key, key_part_map parts, enum ha_rkey_function find,
           bool only_read);
  // Rows by the extent of a geometry: `window` is the server's, four doubles. The first row that
  // may meet the condition; ReadNextSame goes to the others. The server looks at the geometries.
  int FindInWindow(uchar* record, const uchar* window, enum ha_rkey_function condition);
  int ReadNext(uchar* record);
  int ReadPrevious(uchar* record);
  int ReadNextSame(uchar* record, const uchar* key, uint key_bytes);
  int ReadEnd(uchar* record, Direction direction);  // the first row or the last one
  // A range forward: its end is compared as key bytes, before a row is read or decoded. Into the
  // server's first record.
  int BeginRange(const key_range* start, const key_range* end);
  int NextOfRange();

  // The primary key of the row in `record`, which was read last. Valid until the next read.
  Bytes RowKeyOf(const uchar* record);

  // --- Steps, for multi-range reads ---
  // Gives the key of the row of the cursor's entry, which is valid until the next read. 0: read
  // that row; kEntryPassedOver: go on, the entry has expired, or index condition or row-id filter
  // do not let it through; else the error to return.
  int TakeRowKey(Bytes* row_key);
  // Counts a range as the server does where it walks one itself.
  void CountRange(const key_range* start) const;
  // What the server's wrappers do after other reads; range reads are called without one.
  int EndRangeRead(int error) const;
  // Is the range one whole primary key? Then *search is that key.
  bool IsWholePrimaryKey(const key_range* start, bool equal, std::string* search) const;

 private:
  // Of a HANDLER, whose scan goes on in another statement, without the cursor.
  struct Place {
    bool resumes = false;  // this is the next move after such a break
    std::string last_key;  // entry of the last row, or where one was looked for
    bool beyond = false;   // the scan has passed the end that lies in this direction:
    Direction beyond_end = Direction::kForward;
  };

  TABLE* table() const { return table_->server_table(); }
  engine::IndexScan& scan() const { return table_->rows()->scan(); }
  uint active_index() const { return table_->handler()->active_index; }
  bool OnPrimary() const { return active_index() == table_->data()->primary_position(); }
  const engine::Index& index() const { return table_->data()->index(active_index()); }
  void SetLookUpBounds(const uchar* key, uint bytes, enum ha_rkey_function find,
                       SearchPrecision precision);
  int ReadByPrimaryKey(uchar* record, bool only_read);
  int SearchFrom(uchar* record, enum ha_rkey_function find, bool whole);
  int ReadFromHere(uchar* record, Direction direction, const std::string* prefix, int nothing);
  int ReadInWindow(Status moved, uchar* record);
  int MoveToCandidate(Status moved);
  bool MayReadAhead() const;
  void ReadAheadInWindow(Status moved);
  int GatherInWindow(Status moved);
  int NextReadAhead(uchar* record);
  int ReadIfAdmitted(uchar* record);
  bool IsKilled();
  bool IsBeyond(Direction direction, const std::string* prefix) const;
  Status ReadEntry(uchar* record);
  Status FillVirtualParts(uchar* record);
  int CountRow();
  int CheckEntry();
  int ApplyConditions(bool condition, bool filter);
  Status MoveOn(Direction direction);
  Status Advance(Direction direction);
  int ReadAfterMove(Status moved, uchar* record, Direction direction, const std::string* prefix);
  int NotePlace(int error, Direction direction);
  int ReadNeighbour(uchar* record, Direction direction, const std::string* prefix);
  void ForgetLastRow();

  OpenTable* table_;
  WantedColumns wanted_;
  RowBounds bounds_;
  UniqueLookUp unique_;
  Place place_;
  bool scan_open_ = false;            // the engine's cursor is open on the active index
  bool key_only_ = false;             // entries of the index suffice
  bool first_row_ = true;             // of a full scan
  bool point_read_ = false;           // the last row came from a look-up by its whole primary key
  bool position_from_entry_ = false;  // RowKeyOf is about the cursor's entry, not the record
  uint64_t steps_ = 0;                // entries passed, to look for KILL now and then
  std::string search_;  // encoded key of the last search; rows of ReadNextSame begin with it
  codec::WindowSearch window_;  // of the last search by extent
  bool reads_ahead_ = false;    // its rows are read many at once:
  RowKeyBatch ahead_;           // these ones now,
  int behind_ahead_ = 0;        // and then: 0, more of them; else the error behind them
  std::string limit_;           // end of the range, exclusive; empty: none
};

}  // namespace basalt::server
