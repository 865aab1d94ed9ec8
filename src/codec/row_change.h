// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/status.h"

namespace basalt::codec {

// One change of one row, as a change log keeps it (docs/format/change-log.md): the primary entry
// before it, unless the row was inserted, and the one after it, unless it was deleted. All bytes
// are borrowed.
struct RowChange {
  struct Row {
    bool exists = false;
    Bytes key;  // both empty when there is none
    Bytes value;
  };
  Row before;
  Row after;
};

// Pure functions. At least one of the two rows exists.
void EncodeRowChange(const RowChange& change, std::string* bytes);

// Takes any bytes; *change points into them. kCorruption, with what is wrong, unless they are those
// of a change; then *change has something undefined.
Status DecodeRowChange(Bytes bytes, RowChange* change);

}  // namespace basalt::codec
