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
  Bytes unpack;               // unpack info, borrowed from the value; empty when there is none
  bool has_checksum = false;  // the value ends with a checksum chunk
};

// Takes the value of a secondary entry apart. False when it holds what the format does not allow;
// *content is undefined then.
[[nodiscard]] bool ReadEntryContent(const codec::KeyCodec& codec, Bytes key, Bytes value,
                                    EntryContent* content);

// The same question for the value of a row: do its columns end where the value does, or where a
// checksum chunk begins? It says nothing of what is in the columns.
[[nodiscard]] bool RowEndsWell(const codec::RowCodec& codec, Bytes value, bool* has_checksum);

}  // namespace basalt::engine
