// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "server/handler/search_key.h"
#include "server/server_headers.h"

namespace basalt::server {

// What the rows of a search must be besides what their keys' bytes say: where bytes do not decide
// it, rows are compared with the server's search tuples.
//
// One thread. Tuples are the server's, borrowed as long as the search lasts.
class RowBounds {
 public:
  // Rows from here on are compared with nothing.
  void Clear() { low_.key = high_.key = nullptr; }
  // The scan has ended: its rows' columns are not needed for a comparison any more.
  void Reset() {
    Clear();
    compares_ = false;
  }
  // What a look-up finds, and what a range has. True when rows are compared from now on and were
  // not before: then the columns of the index must be read.
  [[nodiscard]] bool SetLookUp(const uchar* key, uint bytes, enum ha_rkey_function find,
                               SearchPrecision precision);
  [[nodiscard]] bool SetRange(const key_range* start, SearchPrecision start_precision,
                              const key_range* end, SearchPrecision end_precision);
  bool compares() const { return compares_; }
  bool Admit(TABLE* table, uint index, uchar* record) const {
    if (low_.key == nullptr && high_.key == nullptr) [[likely]]
      return true;
    return low_.Admits(table, index, record) && high_.Admits(table, index, record);
  }

 private:
  bool Set(const TupleBound& low, const TupleBound& high);

  TupleBound low_;
  TupleBound high_;
  bool compares_ = false;  // since the scan began there was a bound
};

}  // namespace basalt::server
