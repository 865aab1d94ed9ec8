// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/bytes.h"
#include "codec/key_codec.h"
#include "codec/row_codec.h"

namespace basalt::engine {

// What the value of an index entry holds once everything that wraps it is taken off: timestamp,
// head of the unpack block, checksum chunk (docs/format/value.md). Two entries with the same key
// and content say the same, even if one was written with a checksum and the other without.
struct EntryContent {
  // Unpack info that counts, or the positions of a posting; borrowed from the value; may be empty.
  Bytes unpack;
  bool has_checksum = false;  // the value ends with a checksum chunk
};

// What of an entry's unpack info counts. None where the format hides it: rows of such a table may
// have lost a character that their entries still know of, and nobody reads it there.
inline Bytes UnpackThatCounts(const codec::KeyCodec& codec, Bytes unpack) {
  return codec.hides_unpack_info() ? Bytes() : unpack;
}

// Takes the value of a secondary entry apart, whose key is whole. Where unpack info is hidden its
// end is not known, so a checksum behind it is not seen. False when it holds what the format does
// not allow; *content is undefined then.
[[nodiscard]] bool ReadEntryContent(const codec::KeyCodec& codec, Bytes key, Bytes value,
                                    EntryContent* content);

// True when the columns of a row end where its value does, or where a checksum chunk begins. It
// says nothing of what is in the columns.
[[nodiscard]] bool RowEndsWell(const codec::RowCodec& codec, Bytes value, bool* has_checksum);

}  // namespace basalt::engine
