// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "codec/key_codec.h"

namespace basalt::codec {

// Uniqueness where the bytes of a key do not decide it (KeyCodec::UniqueIsExact). Two rows conflict
// when SQL takes them for equal in what the declared parts *declare*: the first characters of a
// prefix, under the collation. The bytes of a key hold more than that for some parts
// (docs/format/key.md) and less for others. So a check looks through the keys that begin with the
// prefix below, and compares the images of their rows. A SPATIAL index is never unique: not for
// one.
//
// Any thread.

// The longest bytes that the keys of all conflicting rows begin with, the index number first.
// Writes at most codec.max_key_bytes() to `out` and returns how many. Does not allocate.
size_t EncodeUniquePrefix(const KeyCodec& codec, const uint8_t* record, uint8_t* out);

// The bytes that two rows share exactly when they conflict. Replaces what is in *image. Begins with
// the index number. Allocates. Only for rows without NULL in the declared parts: others conflict
// with none.
void EncodeUniqueImage(const KeyCodec& codec, const uint8_t* record, std::string* image);

}  // namespace basalt::codec
