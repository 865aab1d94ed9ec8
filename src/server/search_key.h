// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "codec/key_codec.h"
#include "server/server_headers.h"

namespace basalt::server {

// Encodes the search tuple `key`, of which `parts` says the leading parts that are present, into
// key bytes of the index. *exact becomes false when the bytes end early (see
// KeyCodec::EncodeSearchTuple): they then match more rows than the tuple does.
void EncodeSearchKey(const codec::KeyCodec& codec, const uchar* key, key_part_map parts,
                     std::string* out, bool* exact);

// Turns the key bytes into the smallest bytes that are above all keys that begin with them.
void MakeSuccessor(std::string* key);

// The bounds of a range as key bytes: a key is inside when start <= key < end. An absent side is
// the end of the index; a side whose bytes end early is widened, and the server sorts the extra
// rows out.
void EncodeRangeStart(const codec::KeyCodec& codec, const key_range* start, std::string* out);
void EncodeRangeEnd(const codec::KeyCodec& codec, const key_range* end, std::string* out);

}  // namespace basalt::server
