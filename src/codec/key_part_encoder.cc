// SPDX-License-Identifier: GPL-2.0-only
#include "codec/key_part_encoder.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "codec/chunk.h"
#include "codec/column.h"
#include "codec/extent_key.h"
#include "codec/inverted.h"
#include "codec/number_key.h"
#include "codec/posting.h"
#include "codec/segment.h"
#include "codec/weight_bits.h"

namespace basalt::codec {

namespace {

uint32_t LoadLittleEndian(const uint8_t* from, unsigned bytes) {
  uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= uint32_t{from[i]} << (8 * i);
  return value;
}

void CopyBytes(const uint8_t* from, size_t bytes, uint8_t* to) {
  if (bytes != 0) std::memcpy(to, from, bytes);  // an empty BLOB may have a null pointer
}

PartSource FirstCharacters(const KeyStep& step, PartSource source) {
  source.length = static_cast<uint32_t>(step.string.collation->LengthOfCharacters(
      source.data, source.length, step.string.characters));
  return source;
}

uint8_t* WriteCount(unsigned count_bytes, uint32_t count, uint8_t* to) {
  if (count_bytes == 2) {
    StoreBigEndian16(to, static_cast<uint16_t>(count));
  } else {
    *to = static_cast<uint8_t>(count);
  }
  return to + count_bytes;
}

// The weights of a VARCHAR before they are cut into segments. For latin1_bin they are the data
// itself; else they are written into the room behind `out` from which EncodeSegments can read.
struct Weights {
  const uint8_t* data;
  size_t bytes;
};

Weights WeightsOf(const KeyStep& step, PartSource source, size_t trimmed, uint8_t* out) {
  const Collation& collation = *step.string.collation;
  if (step.op == KeyOp::kPaddedRaw)
    return {source.data, std::min<size_t>(trimmed, step.string.weights)};
  uint8_t* scratch = out + step.string.transform_room / collation.shape().payload + 1;
  if (step.op == KeyOp::kPaddedSimple) {
    const size_t bytes = std::min<size_t>(trimmed, step.string.weights);
    const uint8_t* sort_order = collation.properties().sort_order;
    for (size_t i = 0; i < bytes; ++i) scratch[i] = sort_order[source.data[i]];
    return {scratch, bytes};
  }
  return {scratch, collation.Transform(scratch, step.string.transform_room, step.string.weights,
                                       source.data, trimmed, kNoPadding)};
}

uint8_t* EncodePadded(const KeyStep& step, PartSource source, uint8_t* out, uint8_t** unpack) {
  const Collation& collation = *step.string.collation;
  const size_t trimmed = TrimmedLength(collation, source);
  const Weights weights = WeightsOf(step, source, trimmed, out);
  uint32_t filled;
  uint8_t* end = EncodeSegments(collation.shape(), weights.data, weights.bytes, out, &filled);
  if (unpack == nullptr || step.unpack.count_bytes == 0) return end;

  const uint32_t cut = static_cast<uint32_t>(source.length - trimmed) / collation.space_bytes();
  const uint32_t count = kCountOffset + cut - filled / collation.shape().space_bytes;
  *unpack = WriteCount(step.unpack.count_bytes, count, *unpack);
  if (step.unpack.has_bits) {
    *unpack = WriteWeightBits(*collation.weight_classes(), source.data,
                              std::min(source.length, step.string.weights), *unpack);
  }
  return end;
}

// The value of a column as it is, CHAR without the spaces at its end.
uint8_t* WriteValue(const KeyStep& step, PartSource source, uint8_t* to) {
  if (step.column.form == SourceForm::kFixed) {
    source.length = static_cast<uint32_t>(TrimmedLength(*step.string.collation, source));
  }
  to[0] = static_cast<uint8_t>(source.length);
  if (step.unpack.value_bytes == 2) to[1] = static_cast<uint8_t>(source.length >> 8);
  CopyBytes(source.data, source.length, to + step.unpack.value_bytes);
  return to + step.unpack.value_bytes + source.length;
}

// All weights of the characters that take part, level after level.
uint8_t* EncodeOrder(const KeyStep& step, PartSource source, uint8_t* out, uint8_t** unpack) {
  const Collation& collation = *step.string.collation;
  const PartSource whole = source;
  if (step.string.characters != 0) source = FirstCharacters(step, source);
  if (step.string.cuts_spaces)
    source.length = static_cast<uint32_t>(TrimmedLength(collation, source));
  uint32_t filled = 0;
  for (unsigned level = 0; level < step.string.levels; ++level) {
    const bool chunked = (step.string.chunked >> level & 1) != 0;
    const size_t payload = chunked ? kChunkPayload : collation.order_shape(level).payload;
    uint8_t* scratch = out + step.string.transform_room / payload + 1;
    size_t bytes = collation.OrderWeights(level, scratch, step.string.transform_room, source.data,
                                          source.length);
    if (collation.ends_at_zero() && step.column.form != SourceForm::kFixed) {
      bytes = strnlen(reinterpret_cast<const char*>(scratch), bytes);
    }
    if (chunked) {
      out = EncodeChunks(scratch, bytes, /*legacy=*/false, out);
    } else {
      out = EncodeSegments(collation.order_shape(level), scratch, bytes, out, &filled);
    }
  }
  if (unpack == nullptr) return out;
  if (step.unpack.count_bytes != 0) {
    const uint32_t cut = (whole.length - source.length) / collation.space_bytes();
    const uint32_t count = kCountOffset + cut - filled / collation.order_shape(0).space_bytes;
    *unpack = WriteCount(step.unpack.count_bytes, count, *unpack);
  }
  return out;
}

// Keys do not tell the zeros of a FLOAT apart.
void WriteZeroSign(const KeyStep& step, const uint8_t* number, uint8_t** unpack) {
  if (unpack == nullptr || !step.unpack.has_zero_sign) return;
  constexpr uint32_t kMinusZero = 0x80000000;
  uint32_t bits;
  std::memcpy(&bits, number, sizeof(bits));
  if ((bits & ~kMinusZero) == 0) *(*unpack)++ = bits == kMinusZero ? 1 : 0;
}

uint8_t* EncodeCharSimple(const KeyStep& step, PartSource source, uint8_t* out, uint8_t** unpack) {
  const uint8_t* sort_order = step.string.collation->properties().sort_order;
  for (uint32_t i = 0; i < source.length; ++i) out[i] = sort_order[source.data[i]];
  if (unpack != nullptr && step.unpack.has_bits) {
    *unpack = WriteWeightBits(*step.string.collation->weight_classes(), source.data, source.length,
                              *unpack);
  }
  return out + source.length;
}

uint8_t* EncodeWeightChunks(const KeyStep& step, PartSource source, uint8_t* out) {
  uint8_t* scratch = out + step.string.transform_room / kChunkPayload + 1;
  const size_t bytes =
      step.string.collation->Transform(scratch, step.string.transform_room, step.string.weights,
                                       source.data, source.length, kNoPadding);
  return EncodeChunks(scratch, bytes, step.string.legacy_chunks, out);
}

// The bytes without the length that follows them; returns behind them.
uint8_t* EncodeBlobBytes(const KeyStep& step, PartSource source, uint8_t* out) {
  const uint32_t bytes = std::min(source.length, step.source_bytes);
  CopyBytes(source.data, bytes, out);
  std::memset(out + bytes, 0, step.source_bytes - bytes);
  return out + step.source_bytes;
}

uint8_t* EncodeBlobPrefix(const KeyStep& step, PartSource source, uint8_t* out) {
  out = EncodeBlobBytes(step, source, out);
  for (unsigned i = step.column.length_bytes; i-- > 0;) {
    *out++ = static_cast<uint8_t>(source.length >> (8 * i));
  }
  return out;
}

uint8_t* EncodeFilledWeights(const KeyStep& step, PartSource source, uint8_t* out) {
  step.string.collation->Transform(out, step.key_bytes, step.string.weights, source.data,
                                   source.length, kPadToEnd);
  return out + step.key_bytes;
}

// The weights of a search value, as far as later characters cannot change them.
uint8_t* EncodeSearchWeights(const KeyStep& step, PartSource source, uint8_t* out) {
  const Collation& collation = *step.string.collation;
  const bool segments = step.op == KeyOp::kPaddedWeights;
  uint8_t* to = segments ? out + step.string.transform_room / collation.shape().payload + 1 : out;
  const size_t room = segments ? step.string.transform_room : step.key_bytes;
  // Spaces may be the tuple's own padding, with which the value need not go on.
  source.length = static_cast<uint32_t>(TrimmedLength(collation, source));
  size_t bytes =
      collation.Transform(to, room, step.string.weights, source.data, source.length, kNoPadding);
  if (step.scope == SearchScope::kFewWeights) {
    bytes -= std::min<size_t>(bytes, size_t{2} * collation.shape().space_bytes);
  }
  return segments ? EncodeSegmentsPrefix(collation.shape(), to, bytes, out) : out + bytes;
}

}  // namespace

size_t TrimmedLength(const Collation& collation, PartSource source) {
  if (collation.space_bytes() != 1) {
    return collation.LengthWithoutTrailingSpaces(source.data, source.length);
  }
  size_t length = source.length;
  while (length > 0 && source.data[length - 1] == ' ') --length;
  return length;
}

PartSource SourceInRecord(const KeyStep& step, const uint8_t* record) {
  const uint8_t* at = record + step.column.record_offset;
  if (step.column.form == SourceForm::kFixed) return {at, step.source_bytes};
  const uint32_t length = LoadLittleEndian(at, step.column.length_bytes);
  if (step.column.form == SourceForm::kVarying) {
    return {at + step.column.length_bytes,
            std::min(length, step.column.record_bytes - step.column.length_bytes)};
  }
  PartSource source{nullptr, length};
  std::memcpy(&source.data, at + step.column.length_bytes, sizeof(source.data));
  return source;
}

PartSource SourceInTuple(const KeyStep& step, const uint8_t* tuple) {
  if (step.column.form == SourceForm::kFixed) return {tuple, step.source_bytes};
  const uint32_t room = step.tuple_bytes - 2 - (step.column.nullable ? 1 : 0);
  return {tuple + 2, std::min(LoadLittleEndian(tuple, 2), room)};
}

uint8_t* EncodePart(const KeyStep& step, PartSource source, uint8_t* out, uint8_t** unpack) {
  if (step.unpack.value_bytes != 0 && unpack != nullptr)
    *unpack = WriteValue(step, source, *unpack);
  switch (step.op) {
    case KeyOp::kInteger8:
      *out = *source.data ^ step.flip;
      return out + 1;
    case KeyOp::kInteger16:
      EncodeInteger<uint16_t>(source.data, step.flip, out);
      return out + 2;
    case KeyOp::kInteger24:
      EncodeInteger24(source.data, step.flip, out);
      return out + 3;
    case KeyOp::kInteger32:
      EncodeInteger<uint32_t>(source.data, step.flip, out);
      return out + 4;
    case KeyOp::kInteger64:
      EncodeInteger<uint64_t>(source.data, step.flip, out);
      return out + 8;
    case KeyOp::kFloat:
      FloatingPoint<uint32_t>::Encode(source.data, out);
      WriteZeroSign(step, source.data, unpack);
      return out + 4;
    case KeyOp::kDouble:
      FloatingPoint<uint64_t>::Encode(source.data, out);
      return out + 8;
    case KeyOp::kCopy:
      std::memcpy(out, source.data, step.key_bytes);
      *out ^= step.flip;
      return out + step.key_bytes;
    case KeyOp::kCharRaw:
      std::memcpy(out, source.data, step.key_bytes);
      return out + step.key_bytes;
    case KeyOp::kCharSimple:
      return EncodeCharSimple(step, source, out, unpack);
    case KeyOp::kCharUtf8mb3:
    case KeyOp::kCharWeights:
    case KeyOp::kTextPrefix:
      return EncodeFilledWeights(step, source, out);
    case KeyOp::kChunks:
      if (step.string.characters != 0) source = FirstCharacters(step, source);
      return EncodeChunks(source.data, std::min(source.length, step.source_bytes),
                          step.string.legacy_chunks, out);
    case KeyOp::kWeightChunks:
      return EncodeWeightChunks(step, source, out);
    case KeyOp::kPaddedRaw:
    case KeyOp::kPaddedSimple:
    case KeyOp::kPaddedUtf8mb3:
    case KeyOp::kPaddedWeights:
      return EncodePadded(step, source, out, unpack);
    case KeyOp::kOrder:
      return EncodeOrder(step, source, out, unpack);
    case KeyOp::kBlobPrefix:
      return EncodeBlobPrefix(step, source, out);
    case KeyOp::kExtent:
      return out + EncodeExtentKey(MakeBytes(source.data, source.length), out);
    case KeyOp::kWord:
      *out = static_cast<uint8_t>(PostingKind::kDocument);
      return out + 1;
    case KeyOp::kHiddenId:
      break;  // written by the caller, who has the id
  }
  return out;
}

uint8_t* EncodeNullablePart(const KeyStep& step, const uint8_t* record, uint8_t* out,
                            uint8_t** unpack) {
  uint8_t* at = out;
  const bool is_null = step.column.IsNull(record);
  if (step.column.nullable) *at++ = is_null ? 0 : 1;
  if (!is_null) at = EncodePart(step, SourceInRecord(step, record), at, unpack);
  if (step.inverted != 0) Invert(out, static_cast<size_t>(at - out));
  return at;
}

uint8_t* EncodeSearchPart(const KeyStep& step, PartSource source, uint8_t* out, bool* whole) {
  *whole = step.scope == SearchScope::kAll;
  switch (step.scope) {
    case SearchScope::kAll:
      return EncodePart(step, source, out, nullptr);
    case SearchScope::kWeights:
    case SearchScope::kFewWeights:
      if (step.op == KeyOp::kBlobPrefix) return EncodeBlobBytes(step, source, out);
      return EncodeSearchWeights(step, source, out);
    case SearchScope::kNothing:
      break;
  }
  return out;
}

}  // namespace basalt::codec
