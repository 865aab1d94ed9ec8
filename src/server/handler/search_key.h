// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>

#include "codec/key_codec.h"
#include "server/server_headers.h"

namespace basalt::server {

// How well key bytes stand for a search tuple.
enum class SearchPrecision : uint8_t {
  kExact,    // the keys that begin with the bytes are those of the rows equal to the tuple
  kWhole,    // the same, but for rows that the format cannot tell from these by the key
  kWidened,  // the bytes end early (KeyCodec::EncodeSearchTuple): many more rows may match
};

// Encodes the search tuple `key`, of which `parts` says the leading parts that are present, into
// key bytes of the index.
SearchPrecision EncodeSearchKey(const codec::KeyCodec& codec, const uchar* key, key_part_map parts,
                                std::string* out);

// The bounds of a range as key bytes: a key is inside when start <= key < end. An absent side is
// the end of the index. A side whose bytes end early is widened. The server does not always sort
// the extra rows out, and where it reads several ranges it would get a row twice, so such rows are
// compared with the tuple (TupleBound).
SearchPrecision EncodeRangeStart(const codec::KeyCodec& codec, const key_range* start,
                                 std::string* out);
SearchPrecision EncodeRangeEnd(const codec::KeyCodec& codec, const key_range* end,
                               std::string* out);

// What a row must be, compared with a search tuple as SQL compares the parts of the index.
struct TupleBound {
  const uchar* key = nullptr;  // the server's, valid as long as its search; null: any row will do
  uint bytes = 0;
  int lowest = 0;   // -1, 0 or 1: the row may be below the tuple, equal to it at least, above it
  int highest = 0;  // likewise from the other side

  // Looks at the columns of the index in `record`, one of the table's record buffers.
  bool Admits(TABLE* table, uint index, uchar* record) const;
};

}  // namespace basalt::server
