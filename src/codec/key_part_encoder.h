// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/key_step.h"

namespace basalt::codec {

// The data of one column: of fixed size, as in the record image; else the data without length
// bytes and pointer. Borrowed.
struct PartSource {
  const uint8_t* data = nullptr;
  uint32_t length = 0;
};

// Finds the data of a step's column in a record image. A length that exceeds the column is cut, so
// that a damaged image cannot make the encoder overrun its buffers.
PartSource SourceInRecord(const KeyStep& step, const uint8_t* record);

// Finds the part in the server's search tuple; `tuple` points behind the NULL byte.
PartSource SourceInTuple(const KeyStep& step, const uint8_t* tuple);

// Bytes of a value without the spaces at its end, as its collation's character set writes them.
size_t TrimmedLength(const Collation& collation, PartSource source);

// Writes a whole part that is in a record image, its NULL byte included, inverted if descending;
// returns behind it. Else like EncodePart.
uint8_t* EncodeNullablePart(const KeyStep& step, const uint8_t* record, uint8_t* out,
                            uint8_t** unpack);

// Writes the key bytes of a value that is not NULL, as if the part were ascending; returns behind
// them. `out` has room for step.max_key_bytes, all of which may be used as scratch space. With
// `unpack` not null, what the part contributes to the unpack info is written to *unpack, which
// moves on.
uint8_t* EncodePart(const KeyStep& step, PartSource source, uint8_t* out, uint8_t** unpack);

// For a search value: writes the bytes that every key with this value in the part begins with.
// *whole says whether they are the whole part. (They are not where a key holds more than a search
// value can tell: lengths of BLOBs, characters behind a prefix.)
uint8_t* EncodeSearchPart(const KeyStep& step, PartSource source, uint8_t* out, bool* whole);

}  // namespace basalt::codec
