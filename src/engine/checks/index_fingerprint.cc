// SPDX-License-Identifier: GPL-2.0-only
#include "engine/checks/index_fingerprint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace basalt::engine {

void IndexFingerprint::Add(Bytes key, Bytes content) {
  const XXH64_hash_t seed = content.empty() ? 0 : XXH3_64bits(content.data(), content.size());
  const XXH128_hash_t hash = XXH3_128bits_withSeed(key.data(), key.size(), seed);
  ++entries_;
  low_ += hash.low64;
  high_ += hash.high64;
}

}  // namespace basalt::engine
