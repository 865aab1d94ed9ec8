// SPDX-License-Identifier: GPL-2.0-only
#include "codec/key_part_reader.h"

#include <cstring>

#include "codec/chunk.h"
#include "codec/number_key.h"
#include "codec/segment.h"
#include "codec/weight_bits.h"

namespace basalt::codec {

namespace {

void StoreLength(uint8_t* to, unsigned length_bytes, size_t length) {
  to[0] = static_cast<uint8_t>(length);
  if (length_bytes == 2) to[1] = static_cast<uint8_t>(length >> 8);
}

// What the count beside a padded part says about the end of the value.
struct TrailingSpaces {
  uint32_t filled = 0;    // spaces at the end of the last segment that are not in the value
  uint32_t appended = 0;  // spaces of the value that are not in the key
};

bool ReadCount(const KeyStep& step, KeyCursor* cursor, TrailingSpaces* spaces) {
  if (cursor->unpack_end - cursor->unpack < step.count_bytes) return false;
  const uint32_t count = step.count_bytes == 2 ? LoadBigEndian16(cursor->unpack) : *cursor->unpack;
  cursor->unpack += step.count_bytes;
  if (count <= kCountOffset) {
    spaces->filled = kCountOffset - count;
  } else {
    spaces->appended = count - kCountOffset;
  }
  return true;
}

// Walks the segments of one part.
class SegmentWalk {
 public:
  SegmentWalk(const Collation& collation, const TrailingSpaces& spaces)
      : payload_(collation.segment_payload()),
        filled_(spaces.filled * collation.space_weight_bytes()) {}

  // Gives the next segment's weights. False when malformed.
  bool Next(KeyCursor* cursor, const uint8_t** weights, uint32_t* bytes) {
    if (cursor->key_end - cursor->key <= static_cast<ptrdiff_t>(payload_)) return false;
    const uint8_t marker = cursor->key[payload_];
    *weights = cursor->key;
    *bytes = payload_;
    cursor->key += payload_ + 1;
    if (marker == kLastSegment) {
      if (filled_ > payload_) return false;
      *bytes -= filled_;
      done_ = true;
      return true;
    }
    return marker == kRestBelowSpaces || marker == kRestAboveSpaces;
  }

  bool done() const { return done_; }

 private:
  uint32_t payload_;
  uint32_t filled_;
  bool done_ = false;
};

// A code point of the basic plane in UTF-8; 0 when there is no room.
unsigned EncodeUtf8mb3(unsigned code_point, uint8_t* to, size_t room) {
  if (code_point < 0x80) {
    if (room < 1) return 0;
    to[0] = static_cast<uint8_t>(code_point);
    return 1;
  }
  if (code_point < 0x800) {
    if (room < 2) return 0;
    to[0] = static_cast<uint8_t>(0xC0 | code_point >> 6);
    to[1] = static_cast<uint8_t>(0x80 | (code_point & 0x3F));
    return 2;
  }
  if (room < 3) return 0;
  to[0] = static_cast<uint8_t>(0xE0 | code_point >> 12);
  to[1] = static_cast<uint8_t>(0x80 | (code_point >> 6 & 0x3F));
  to[2] = static_cast<uint8_t>(0x80 | (code_point & 0x3F));
  return 3;
}

// Weights of 2 bytes that are code points, to UTF-8 at to[*length]. False when out of room.
bool DecodeCodePoints(const uint8_t* weights, uint32_t bytes, uint8_t* to, size_t room,
                      size_t* length) {
  if (bytes % 2 != 0) return false;
  for (uint32_t i = 0; i < bytes; i += 2) {
    const unsigned written =
        EncodeUtf8mb3(LoadBigEndian16(weights + i), to + *length, room - *length);
    if (written == 0) return false;
    *length += written;
  }
  return true;
}

// One segment's weights back to bytes of the value, by the kind of collation.
bool DecodeSegment(const KeyStep& step, const uint8_t* weights, uint32_t bytes, BitReader* bits,
                   uint8_t* to, size_t room, size_t* length) {
  if (step.op == KeyOp::kPaddedUtf8mb3) {
    return DecodeCodePoints(weights, bytes, to, room, length);
  }
  if (bytes > room - *length) return false;
  if (step.op == KeyOp::kPaddedRaw) {
    std::memcpy(to + *length, weights, bytes);
  } else if (!ReadWeightBits(*step.collation->weight_classes(), weights, bytes, bits,
                             to + *length)) {
    return false;
  }
  *length += bytes;
  return true;
}

bool DecodePadded(const KeyStep& step, KeyCursor* cursor, uint8_t* column) {
  TrailingSpaces spaces;
  if (!ReadCount(step, cursor, &spaces)) return false;
  BitReader bits(cursor->unpack, cursor->unpack_end);
  SegmentWalk walk(*step.collation, spaces);
  uint8_t* data = column + step.length_bytes;
  const size_t room = step.record_bytes - step.length_bytes;
  size_t length = 0;
  while (!walk.done()) {
    const uint8_t* weights;
    uint32_t bytes;
    if (!walk.Next(cursor, &weights, &bytes)) return false;
    if (!DecodeSegment(step, weights, bytes, &bits, data, room, &length)) return false;
  }
  if (spaces.appended > room - length) return false;
  std::memset(data + length, ' ', spaces.appended);
  length += spaces.appended;
  StoreLength(column, step.length_bytes, length);
  if (step.has_bits) {
    // The writer also wrote bits for the spaces it cut off.
    const unsigned space_bits = step.collation->weight_classes()->bits_of_byte[' '];
    if (!bits.Skip(uint64_t{spaces.appended} * space_bits)) return false;
    cursor->unpack = bits.end();
  }
  return true;
}

bool SkipPadded(const KeyStep& step, KeyCursor* cursor) {
  TrailingSpaces spaces;
  if (!ReadCount(step, cursor, &spaces)) return false;
  if (!step.has_bits) {
    cursor->key = SkipSegments(*step.collation, cursor->key, cursor->key_end);
    return cursor->key != nullptr;
  }
  const WeightClasses& classes = *step.collation->weight_classes();
  uint64_t bits = uint64_t{spaces.appended} * classes.bits_of_byte[' '];
  SegmentWalk walk(*step.collation, spaces);
  while (!walk.done()) {
    const uint8_t* weights;
    uint32_t bytes;
    if (!walk.Next(cursor, &weights, &bytes)) return false;
    bits += CountWeightBits(classes, weights, bytes);
  }
  const uint64_t bytes = (bits + 7) / 8;
  if (bytes > static_cast<uint64_t>(cursor->unpack_end - cursor->unpack)) return false;
  cursor->unpack += bytes;
  return true;
}

bool DecodeCharSimple(const KeyStep& step, const uint8_t* weights, KeyCursor* cursor,
                      uint8_t* column) {
  BitReader bits(cursor->unpack, cursor->unpack_end);
  if (!ReadWeightBits(*step.collation->weight_classes(), weights, step.key_bytes, &bits, column)) {
    return false;
  }
  cursor->unpack = bits.end();
  return true;
}

bool DecodeCharUtf8mb3(const KeyStep& step, const uint8_t* weights, uint8_t* column) {
  size_t length = 0;
  if (!DecodeCodePoints(weights, step.key_bytes, column, step.record_bytes, &length)) return false;
  std::memset(column + length, ' ', step.record_bytes - length);
  return true;
}

bool DecodeVarbinary(const KeyStep& step, KeyCursor* cursor, uint8_t* column) {
  size_t length;
  cursor->key =
      DecodeChunks(cursor->key, cursor->key_end, step.legacy_chunks, column + step.length_bytes,
                   step.record_bytes - step.length_bytes, &length);
  if (cursor->key == nullptr) return false;
  StoreLength(column, step.length_bytes, length);
  return true;
}

}  // namespace

bool SkipPart(const KeyStep& step, KeyCursor* cursor) {
  switch (step.op) {
    case KeyOp::kChunks:
    case KeyOp::kWeightChunks:
      cursor->key = SkipChunks(cursor->key, cursor->key_end, step.legacy_chunks);
      return cursor->key != nullptr;
    case KeyOp::kPaddedRaw:
    case KeyOp::kPaddedSimple:
    case KeyOp::kPaddedUtf8mb3:
    case KeyOp::kPaddedWeights:
      cursor->key = SkipSegments(*step.collation, cursor->key, cursor->key_end);
      return cursor->key != nullptr;
    default:
      if (static_cast<size_t>(cursor->key_end - cursor->key) < step.key_bytes) return false;
      cursor->key += step.key_bytes;
      return true;
  }
}

bool SkipPartAndUnpack(const KeyStep& step, KeyCursor* cursor) {
  if (step.count_bytes != 0) return SkipPadded(step, cursor);
  const uint8_t* weights = cursor->key;
  if (!SkipPart(step, cursor)) return false;
  if (!step.has_bits) return true;
  const uint64_t bits = CountWeightBits(*step.collation->weight_classes(), weights, step.key_bytes);
  if ((bits + 7) / 8 > static_cast<uint64_t>(cursor->unpack_end - cursor->unpack)) return false;
  cursor->unpack += (bits + 7) / 8;
  return true;
}

bool DecodePart(const KeyStep& step, KeyCursor* cursor, uint8_t* record) {
  uint8_t* column = record + step.record_offset;
  if (step.key_bytes == 0) {
    return step.op == KeyOp::kChunks ? DecodeVarbinary(step, cursor, column)
                                     : DecodePadded(step, cursor, column);
  }
  if (static_cast<size_t>(cursor->key_end - cursor->key) < step.key_bytes) return false;
  const uint8_t* from = cursor->key;
  cursor->key += step.key_bytes;
  switch (step.op) {
    case KeyOp::kInteger8:
      *column = *from ^ step.flip;
      return true;
    case KeyOp::kInteger16:
      DecodeInteger<uint16_t>(from, step.flip, column);
      return true;
    case KeyOp::kInteger24:
      DecodeInteger24(from, step.flip, column);
      return true;
    case KeyOp::kInteger32:
      DecodeInteger<uint32_t>(from, step.flip, column);
      return true;
    case KeyOp::kInteger64:
      DecodeInteger<uint64_t>(from, step.flip, column);
      return true;
    case KeyOp::kFloat:
      FloatingPoint<uint32_t>::Decode(from, column);
      return true;
    case KeyOp::kDouble:
      FloatingPoint<uint64_t>::Decode(from, column);
      return true;
    case KeyOp::kCopy:
      std::memcpy(column, from, step.key_bytes);
      *column ^= step.flip;
      return true;
    case KeyOp::kCharRaw:
      std::memcpy(column, from, step.key_bytes);
      return true;
    case KeyOp::kCharSimple:
      return DecodeCharSimple(step, from, cursor, column);
    case KeyOp::kCharUtf8mb3:
      return DecodeCharUtf8mb3(step, from, column);
    default:
      return false;  // not decodable: a caller's mistake, harmless
  }
}

}  // namespace basalt::codec
