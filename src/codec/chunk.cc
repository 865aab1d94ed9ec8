// SPDX-License-Identifier: GPL-2.0-only
#include "codec/chunk.h"

#include <cstring>

#include "codec/inverted.h"

namespace basalt::codec {

namespace {

constexpr uint8_t kMoreFollows = 9;  // flag of a full chunk that is not the last

// Moves up to 8 bytes that may overlap, and fills the rest with zeros.
void MovePadded(const uint8_t* from, size_t bytes, uint8_t* to) {
  uint8_t piece[kChunkPayload] = {};
  if (bytes != 0) std::memcpy(piece, from, bytes);  // nothing may be nowhere
  std::memcpy(to, piece, sizeof(piece));
}

// What a flag says. False when no writer can have written it.
bool ReadFlag(uint8_t flag, bool legacy, unsigned* used, bool* last) {
  if (legacy) {
    const unsigned filling = 255u - flag;
    if (filling > kChunkPayload) return false;
    *used = kChunkPayload - filling;
    *last = filling != 0;
    return true;
  }
  if (flag > kMoreFollows) return false;
  *last = flag != kMoreFollows;
  *used = *last ? flag : kChunkPayload;
  return true;
}

}  // namespace

uint8_t* EncodeChunks(const uint8_t* source, size_t source_bytes, bool legacy, uint8_t* to) {
  for (;;) {
    const size_t used = source_bytes < kChunkPayload ? source_bytes : kChunkPayload;
    MovePadded(source, used, to);
    source += used;
    source_bytes -= used;
    bool last;
    if (legacy) {
      last = used < kChunkPayload;
      to[kChunkPayload] = static_cast<uint8_t>(255 - (kChunkPayload - used));
    } else {
      last = source_bytes == 0;
      to[kChunkPayload] = last ? static_cast<uint8_t>(used) : kMoreFollows;
    }
    to += kChunkBytes;
    if (last) return to;
  }
}

const uint8_t* SkipChunks(const uint8_t* from, const uint8_t* end, bool legacy, uint8_t inverted) {
  unsigned used;
  bool last = false;
  while (!last) {
    if (end - from < static_cast<ptrdiff_t>(kChunkBytes)) return nullptr;
    if (!ReadFlag(from[kChunkPayload] ^ inverted, legacy, &used, &last)) return nullptr;
    from += kChunkBytes;
  }
  return from;
}

const uint8_t* DecodeChunks(const uint8_t* from, const uint8_t* end, bool legacy, uint8_t inverted,
                            uint8_t* to, size_t room, size_t* length) {
  size_t done = 0;
  unsigned used;
  bool last = false;
  while (!last) {
    if (end - from < static_cast<ptrdiff_t>(kChunkBytes)) return nullptr;
    if (!ReadFlag(from[kChunkPayload] ^ inverted, legacy, &used, &last)) return nullptr;
    if (used > room - done) return nullptr;
    std::memcpy(to + done, from, used);
    done += used;
    from += kChunkBytes;
  }
  if (inverted != 0) Invert(to, done);
  *length = done;
  return from;
}

}  // namespace basalt::codec
