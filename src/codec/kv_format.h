// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/table_descriptor.h"

namespace basalt::codec {

// What each version of the layout can express and give back (docs/format/key.md). All functions are
// pure; `version` is the kv_format_version of an index.

// The oldest version of kKvFormatShared and kKvFormatNewest in which table.indexes[index] is right.
// Looks at no version in the descriptor.
uint16_t NeededKvFormat(const TableDescriptor& table, size_t index);

// Gives every index of a new table the version it needs.
void ChooseKvFormats(TableDescriptor* table);

// The version that says how this part of a key is laid out: a part that a row's key has too is laid
// out as there, because its bytes are copied.
uint16_t LayoutVersionOf(const TableDescriptor& table, const IndexDescriptor& index,
                         const KeyPart& part);

// True when the part covers the whole column, so that a reader could get the value back.
bool CoversWholeColumn(const Column& column, const KeyPart& part);

// True when rows leave the column out because this part of their primary key gives it back. A rule
// of the format.
bool IsDecodable(const Column& column, const KeyPart& part, uint16_t version);

// True when a reader of a secondary entry can get the column back from this part.
bool IsReadable(const Column& column, const KeyPart& part, uint16_t version);

// True when the unpack info of this part of a secondary key does not say where it ends: nothing
// that comes from unpack info at or behind it can be read from the entry.
bool HidesUnpackInfo(const Column& column, const KeyPart& part, uint16_t version);

// IsReadable for the last of `count` leading parts of a secondary key; columns[i] is that of
// parts[i]. KeyCodec comes to the same result; this is for an index that is not open yet.
bool IsLastReadable(const Column* columns, const KeyPart* parts, size_t count, uint16_t version);

// True when the part of a primary key writes unpack info that is needed to decode it. A primary key
// with one such part has an unpack block in every value.
bool NeedsUnpackInfo(const Column& column, const KeyPart& part, uint16_t version);

}  // namespace basalt::codec
