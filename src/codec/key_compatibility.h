// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "codec/key_codec.h"

namespace basalt::codec {

// Whether all entries that an index has stay right when `after` takes the place of `before`: each
// row has the same key and unpack info, and readers get as much from them. Both are codecs of one
// index over one table, of which columns have got wider types or can be NULL. For a primary key it
// says that keys of rows stay, and what rows leave out because of them.
bool KeepsEntries(const KeyCodec& before, const KeyCodec& after);

}  // namespace basalt::codec
