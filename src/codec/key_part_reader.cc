// SPDX-License-Identifier: GPL-2.0-only
#include "codec/key_part_reader.h"

#include <cstring>

#include "codec/chunk.h"
#include "codec/extent_key.h"
#include "codec/inverted.h"
#include "codec/number_key.h"
#include "codec/posting.h"
#include "codec/row_value.h"
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
  if (cursor->unpack_end - cursor->unpack < step.unpack.count_bytes) return false;
  const uint32_t count =
      step.unpack.count_bytes == 2 ? LoadBigEndian16(cursor->unpack) : *cursor->unpack;
  cursor->unpack += step.unpack.count_bytes;
  if (count <= kCountOffset) {
    spaces->filled = kCountOffset - count;
  } else {
    spaces->appended = count - kCountOffset;
  }
  return true;
}

// Walks the segments of one part. The weights it gives are valid until the next step.
class SegmentWalk {
 public:
  SegmentWalk(const SegmentShape& shape, uint8_t inverted, const TrailingSpaces& spaces)
      : payload_(shape.payload), filled_(spaces.filled * shape.space_bytes), inverted_(inverted) {}

  // Gives the next segment's weights. False when malformed.
  bool Next(KeyCursor* cursor, const uint8_t** weights, uint32_t* bytes) {
    if (cursor->key_end - cursor->key <= static_cast<ptrdiff_t>(payload_)) return false;
    const uint8_t marker = cursor->key[payload_] ^ inverted_;
    *weights = cursor->key;
    if (inverted_ != 0) {
      CopyInverted(cursor->key, payload_, segment_);
      *weights = segment_;
    }
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
  uint8_t inverted_;
  uint8_t segment_[9];
  bool done_ = false;
};

// A code point in UTF-8, at most 4 bytes; 0 when there is no room.
unsigned EncodeUtf8(unsigned code_point, uint8_t* to, size_t room) {
  if (code_point < 0x80) {
    if (room < 1) return 0;
    to[0] = static_cast<uint8_t>(code_point);
    return 1;
  }
  const unsigned bytes = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
  if (room < bytes) return 0;
  for (unsigned i = bytes; --i > 0; code_point >>= 6) {
    to[i] = static_cast<uint8_t>(0x80 | (code_point & 0x3F));
  }
  static constexpr uint8_t kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  to[0] = static_cast<uint8_t>(kLead[bytes] | code_point);
  return bytes;
}

// Weights that are code points, to characters at to[*length]. False when out of room or when there
// is no such character.
bool DecodeCodePoints(const Collation& collation, const uint8_t* weights, uint32_t bytes,
                      uint8_t* to, size_t room, size_t* length) {
  constexpr unsigned kLastCodePoint = 0x10FFFF;
  const unsigned width = collation.weight_code() == WeightCode::kCodePoint2 ? 2 : 3;
  const bool utf8 = collation.properties().bytes_per_character_min == 1;
  if (bytes % width != 0) return false;
  for (uint32_t i = 0; i < bytes; i += width) {
    unsigned code_point = LoadBigEndian16(weights + i);
    if (width == 3) code_point = code_point << 8 | weights[i + 2];
    if (code_point > kLastCodePoint) return false;
    const size_t left = room - *length;
    const size_t written = utf8 ? EncodeUtf8(code_point, to + *length, left)
                                : collation.EncodeCharacter(code_point, to + *length, left);
    if (written == 0) return false;
    *length += written;
  }
  return true;
}

// One segment's weights back to bytes of the value, by the kind of collation.
bool DecodeSegment(const KeyStep& step, const uint8_t* weights, uint32_t bytes, BitReader* bits,
                   uint8_t* to, size_t room, size_t* length) {
  if (step.op != KeyOp::kPaddedSimple &&
      step.string.collation->weight_code() != WeightCode::kBytes) {
    return DecodeCodePoints(*step.string.collation, weights, bytes, to, room, length);
  }
  if (bytes > room - *length) return false;
  if (step.op != KeyOp::kPaddedSimple) {
    std::memcpy(to + *length, weights, bytes);
  } else if (!ReadWeightBits(*step.string.collation->weight_classes(), weights, bytes, bits,
                             to + *length)) {
    return false;
  }
  *length += bytes;
  return true;
}

// Spaces of the character set. `bytes` is a multiple of theirs.
void FillWithSpaces(const Collation& collation, uint8_t* to, size_t bytes) {
  const std::string& space = collation.properties().space;
  if (space.size() == 1) {
    std::memset(to, ' ', bytes);
    return;
  }
  for (size_t i = 0; i < bytes; ++i) to[i] = static_cast<uint8_t>(space[i % space.size()]);
}

// What the trailing spaces of a VARCHAR and the end of a CHAR still need.
bool FinishString(const KeyStep& step, size_t appended, size_t length, uint8_t* column) {
  uint8_t* data = column + step.column.length_bytes;
  const size_t room = step.column.record_bytes - step.column.length_bytes;
  if (step.column.form == SourceForm::kFixed)
    appended = (room - length) / step.string.collation->space_bytes();
  if (appended > (room - length) / step.string.collation->space_bytes()) return false;
  const size_t bytes = appended * step.string.collation->space_bytes();
  FillWithSpaces(*step.string.collation, data + length, bytes);
  if (step.column.form == SourceForm::kVarying)
    StoreLength(column, step.column.length_bytes, length + bytes);
  return true;
}

const SegmentShape& ShapeOf(const KeyStep& step) {
  return step.op == KeyOp::kOrder ? step.string.collation->order_shape(0)
                                  : step.string.collation->shape();
}

bool DecodePadded(const KeyStep& step, KeyCursor* cursor, uint8_t* column) {
  TrailingSpaces spaces;
  if (step.unpack.count_bytes != 0 && !ReadCount(step, cursor, &spaces)) return false;
  BitReader bits(cursor->unpack, cursor->unpack_end);
  SegmentWalk walk(ShapeOf(step), step.inverted, spaces);
  uint8_t* data = column + step.column.length_bytes;
  const size_t room = step.column.record_bytes - step.column.length_bytes;
  size_t length = 0;
  while (!walk.done()) {
    const uint8_t* weights;
    uint32_t bytes;
    if (!walk.Next(cursor, &weights, &bytes)) return false;
    // CHAR has no count, and no room for the fillers of a segment.
    if (step.column.form == SourceForm::kFixed && walk.done()) {
      bytes = WithoutTrailingSpaces(ShapeOf(step), weights, bytes);
    }
    if (!DecodeSegment(step, weights, bytes, &bits, data, room, &length)) return false;
  }
  if (!FinishString(step, spaces.appended, length, column)) return false;
  if (step.unpack.has_bits) {
    // The writer also wrote bits for the spaces it cut off.
    const unsigned space_bits = step.string.collation->weight_classes()->bits_of_byte[' '];
    if (!bits.Skip(uint64_t{spaces.appended} * space_bits)) return false;
    cursor->unpack = bits.end();
  }
  return true;
}

bool SkipPadded(const KeyStep& step, KeyCursor* cursor) {
  TrailingSpaces spaces;
  if (!ReadCount(step, cursor, &spaces)) return false;
  if (!step.unpack.has_bits) {
    cursor->key = SkipSegments(ShapeOf(step), step.inverted, cursor->key, cursor->key_end);
    return cursor->key != nullptr;
  }
  const WeightClasses& classes = *step.string.collation->weight_classes();
  uint64_t bits = uint64_t{spaces.appended} * classes.bits_of_byte[' '];
  SegmentWalk walk(ShapeOf(step), step.inverted, spaces);
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
  if (!ReadWeightBits(*step.string.collation->weight_classes(), weights, step.key_bytes, &bits,
                      column)) {
    return false;
  }
  cursor->unpack = bits.end();
  return true;
}

// CHAR as an image of weights from which characters follow.
bool DecodeCharWeights(const KeyStep& step, const uint8_t* weights, uint8_t* column) {
  size_t length = 0;
  if (step.string.collation->weight_code() == WeightCode::kBytes) {
    if (step.key_bytes > step.column.record_bytes) return false;
    std::memcpy(column, weights, step.key_bytes);
    length = step.key_bytes;
  } else if (!DecodeCodePoints(*step.string.collation, weights, step.key_bytes, column,
                               step.column.record_bytes, &length)) {
    return false;
  }
  return FinishString(step, 0, length, column);
}

bool DecodeBytes(const KeyStep& step, KeyCursor* cursor, uint8_t* column) {
  size_t length;
  cursor->key = DecodeChunks(cursor->key, cursor->key_end, step.string.legacy_chunks, step.inverted,
                             column + step.column.length_bytes,
                             step.column.record_bytes - step.column.length_bytes, &length);
  if (cursor->key == nullptr) return false;
  if (step.column.form == SourceForm::kFixed) return FinishString(step, 0, length, column);
  StoreLength(column, step.column.length_bytes, length);
  return true;
}

// Takes the copy of a value from the unpack info.
bool TakeValue(const KeyStep& step, KeyCursor* cursor, const uint8_t** data, size_t* length) {
  const size_t left = static_cast<size_t>(cursor->unpack_end - cursor->unpack);
  if (left < step.unpack.value_bytes) return false;
  *length = LoadLength(cursor->unpack, step.unpack.value_bytes);
  if (left - step.unpack.value_bytes < *length) return false;
  *data = cursor->unpack + step.unpack.value_bytes;
  cursor->unpack = *data + *length;
  return true;
}

bool DecodeValue(const KeyStep& step, KeyCursor* cursor, uint8_t* column) {
  const uint8_t* data;
  size_t length;
  if (!TakeValue(step, cursor, &data, &length)) return false;
  if (length > step.column.record_bytes - step.column.length_bytes) return false;
  std::memcpy(column + step.column.length_bytes, data, length);
  return FinishString(step, 0, length, column);
}

// FLOAT: is it a zero, of whatever sign?
bool IsZeroKey(const KeyStep& step, const uint8_t* key) {
  const uint32_t zero = step.inverted == 0 ? 0x80000000 : 0x7fffffff;
  return LoadBigEndian32(key) == zero;
}

bool TakeZeroSign(KeyCursor* cursor, bool* negative) {
  if (cursor->unpack == cursor->unpack_end || *cursor->unpack > 1) return false;
  *negative = *cursor->unpack++ == 1;
  return true;
}

// The sign comes last in the record image, which is little-endian.
bool RestoreZeroSign(const KeyStep& step, const uint8_t* key, KeyCursor* cursor, uint8_t* column) {
  if (!step.unpack.has_zero_sign || !IsZeroKey(step, key)) return true;
  bool negative;
  if (!TakeZeroSign(cursor, &negative)) return false;
  if (negative) column[step.key_bytes - 1] = 0x80;
  return true;
}

bool SkipOrder(const KeyStep& step, KeyCursor* cursor) {
  const uint8_t* at = cursor->key;
  for (unsigned level = 0; at != nullptr && level < step.string.levels; ++level) {
    at = (step.string.chunked >> level & 1) != 0
             ? SkipChunks(at, cursor->key_end, /*legacy=*/false, step.inverted)
             : SkipSegments(step.string.collation->order_shape(level), step.inverted, at,
                            cursor->key_end);
  }
  if (at == nullptr) return false;
  cursor->key = at;
  return true;
}

bool SkipExtent(KeyCursor* cursor) {
  const Bytes rest = MakeBytes(cursor->key, static_cast<size_t>(cursor->key_end - cursor->key));
  const size_t bytes = ExtentKeyBytes(rest);
  cursor->key += bytes;
  return bytes != 0;
}

bool SkipWord(const KeyStep& step, KeyCursor* cursor) {
  const Bytes rest = MakeBytes(cursor->key, static_cast<size_t>(cursor->key_end - cursor->key));
  const size_t bytes = PostingPartBytes(rest, step.string.levels);
  cursor->key += bytes;
  return bytes != 0;
}

// Bits of a CHAR of a simple collation that starts at `key`.
uint64_t CharBits(const KeyStep& step, const uint8_t* key) {
  const WeightClasses& classes = *step.string.collation->weight_classes();
  if (step.inverted == 0) return CountWeightBits(classes, key, step.key_bytes);
  uint64_t bits = 0;
  for (uint32_t i = 0; i < step.key_bytes; ++i) {
    bits += classes.bits_of_weight[static_cast<uint8_t>(~key[i])];
  }
  return bits;
}

// Parts of fixed size, from their bytes as if ascending.
bool DecodeFixed(const KeyStep& step, const uint8_t* from, KeyCursor* cursor, uint8_t* column) {
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
    case KeyOp::kCharWeights:
      return DecodeCharWeights(step, from, column);
    default:
      return false;  // not decodable: a caller's mistake, harmless
  }
}

bool DecodeDescendingFixed(const KeyStep& step, const uint8_t* from, KeyCursor* cursor,
                           uint8_t* column) {
  // The longest that is ever decoded: CHAR(255) with 3 bytes a character.
  uint8_t upright[3 * 255];
  if (step.key_bytes > sizeof(upright)) return false;
  CopyInverted(from, step.key_bytes, upright);
  return DecodeFixed(step, upright, cursor, column);
}

}  // namespace

bool SkipPart(const KeyStep& step, KeyCursor* cursor) {
  switch (step.op) {
    case KeyOp::kExtent:
      return SkipExtent(cursor);
    case KeyOp::kWord:
      return SkipWord(step, cursor);
    case KeyOp::kChunks:
    case KeyOp::kWeightChunks:
      cursor->key =
          SkipChunks(cursor->key, cursor->key_end, step.string.legacy_chunks, step.inverted);
      return cursor->key != nullptr;
    case KeyOp::kPaddedRaw:
    case KeyOp::kPaddedSimple:
    case KeyOp::kPaddedUtf8mb3:
    case KeyOp::kPaddedWeights:
      cursor->key =
          SkipSegments(step.string.collation->shape(), step.inverted, cursor->key, cursor->key_end);
      return cursor->key != nullptr;
    case KeyOp::kOrder:
      return SkipOrder(step, cursor);
    default:
      if (static_cast<size_t>(cursor->key_end - cursor->key) < step.key_bytes) return false;
      cursor->key += step.key_bytes;
      return true;
  }
}

bool SkipPartAndUnpack(const KeyStep& step, KeyCursor* cursor) {
  if (step.unpack.count_bytes != 0) return SkipPadded(step, cursor);
  const uint8_t* key = cursor->key;
  if (!SkipPart(step, cursor)) return false;
  if (step.unpack.value_bytes != 0) {
    const uint8_t* data;
    size_t length;
    return TakeValue(step, cursor, &data, &length);
  }
  if (step.unpack.has_zero_sign) {
    bool negative;
    return !IsZeroKey(step, key) || TakeZeroSign(cursor, &negative);
  }
  if (!step.unpack.has_bits) return true;
  const uint64_t bytes = (CharBits(step, key) + 7) / 8;
  if (bytes > static_cast<uint64_t>(cursor->unpack_end - cursor->unpack)) return false;
  cursor->unpack += bytes;
  return true;
}

bool DecodePart(const KeyStep& step, KeyCursor* cursor, uint8_t* record) {
  uint8_t* column = record + step.column.record_offset;
  if (step.restore != RestoreFrom::kKey) {
    if (step.restore == RestoreFrom::kNothing) return false;
    return SkipPart(step, cursor) && DecodeValue(step, cursor, column);
  }
  if (step.key_bytes == 0) {
    return step.op == KeyOp::kChunks ? DecodeBytes(step, cursor, column)
                                     : DecodePadded(step, cursor, column);
  }
  if (static_cast<size_t>(cursor->key_end - cursor->key) < step.key_bytes) return false;
  const uint8_t* from = cursor->key;
  cursor->key += step.key_bytes;
  const bool decoded = step.inverted == 0 ? DecodeFixed(step, from, cursor, column)
                                          : DecodeDescendingFixed(step, from, cursor, column);
  return decoded && RestoreZeroSign(step, from, cursor, column);
}

}  // namespace basalt::codec
