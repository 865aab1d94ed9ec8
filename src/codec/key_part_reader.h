// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "codec/key_step.h"

namespace basalt::codec {

// A position in an encoded key and one in its unpack info. Reading moves both on; neither ever
// passes its end.
struct KeyCursor {
  const uint8_t* key = nullptr;
  const uint8_t* key_end = nullptr;
  const uint8_t* unpack = nullptr;
  const uint8_t* unpack_end = nullptr;
};

// What a part is after its NULL byte was read.
enum class PartPresence : uint8_t { kValue, kNull, kMalformed };

// Reads the NULL byte, if the part has one: 00 is NULL, 01 a value, nothing else is written (ff and
// fe in a descending part). After
// kMalformed the cursor must not be used further.
inline PartPresence ReadPresence(const KeyStep& step, KeyCursor* cursor) {
  if (!step.column.nullable) return PartPresence::kValue;
  if (cursor->key == cursor->key_end) return PartPresence::kMalformed;
  const uint8_t presence = *cursor->key++ ^ step.inverted;
  if (presence > 1) return PartPresence::kMalformed;
  return presence == 0 ? PartPresence::kNull : PartPresence::kValue;
}

// Steps over the key bytes of a value that is not NULL. False when malformed.
[[nodiscard]] bool SkipPart(const KeyStep& step, KeyCursor* cursor);

// Steps over the key bytes and over what the part contributed to the unpack info.
[[nodiscard]] bool SkipPartAndUnpack(const KeyStep& step, KeyCursor* cursor);

// Decodes a value that is not NULL to its place in the record image. Only for decodable steps.
// False when malformed; never writes outside the column.
[[nodiscard]] bool DecodePart(const KeyStep& step, KeyCursor* cursor, uint8_t* record);

// Steps over a whole part, NULL byte included, where unpack info does not matter. False when
// malformed.
[[nodiscard]] inline bool SkipNullablePart(const KeyStep& step, KeyCursor* cursor) {
  switch (ReadPresence(step, cursor)) {
    case PartPresence::kValue:
      return SkipPart(step, cursor);
    case PartPresence::kNull:
      return true;
    case PartPresence::kMalformed:
      break;
  }
  return false;
}

}  // namespace basalt::codec
