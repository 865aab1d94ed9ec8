// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/bytes.h"
#include "codec/posting.h"
#include "engine/table.h"

namespace basalt::engine {

// Takes a key of a FULLTEXT index apart, as codec::DecodePostingKey does. The parts are borrowed
// from `key`.
[[nodiscard]] inline bool DecodePostingKey(const Index& index, Bytes key,
                                           codec::PostingKey* posting) {
  // The collation says where the word's image ends.
  return codec::DecodePostingKey(key, index.codec->steps()[0].string.levels, posting);
}

}  // namespace basalt::engine
