// SPDX-License-Identifier: GPL-2.0-only
#include "codec/unique_image.h"

#include <algorithm>

#include "base/bytes.h"
#include "codec/collation.h"
#include "codec/inverted.h"
#include "codec/key_part_encoder.h"
#include "codec/segment.h"

namespace basalt::codec {

namespace {

// In front of a part, and of a level of weights.
constexpr size_t kPartLengthBytes = sizeof(uint32_t);

// True when weights of this level compare as if spaces followed them.
bool PadsLevel(const Collation& collation, size_t level) {
  switch (collation.order_layout()) {
    case OrderLayout::kAsBefore:
    case OrderLayout::kSegments:
      return true;
    case OrderLayout::kChunkThenSegments:
      return level > 0;
    default:
      return false;
  }
}

// Of the data of a column, what the part declares: of a prefix part the first characters (bytes).
PartSource DeclaredPart(const KeyStep& step, PartSource source) {
  if (step.op == KeyOp::kBlobPrefix) {
    source.length = std::min(source.length, step.source_bytes);
  } else if (step.is_prefix && step.string.collation != nullptr) {
    const size_t characters =
        step.part_bytes / step.string.collation->properties().bytes_per_character_max;
    source.length = static_cast<uint32_t>(
        step.string.collation->LengthOfCharacters(source.data, source.length, characters));
  }
  return source;
}

// The weights of a whole value without the spaces at its end, where these do not count. Equal for
// values that SQL takes for equal, and only for them.
void AppendWeights(const KeyStep& step, PartSource source, std::string* image) {
  const Collation& collation = *step.string.collation;
  if (collation.cuts_spaces()) {
    source.length = static_cast<uint32_t>(TrimmedLength(collation, source));
  }
  const size_t room =
      collation.OrderRoom(size_t{source.length} * collation.properties().bytes_per_character_max);
  for (size_t level = 0; level < collation.levels().size(); ++level) {
    const size_t start = image->size();
    image->resize(start + kPartLengthBytes + room);
    uint8_t* weights = reinterpret_cast<uint8_t*>(image->data()) + start + kPartLengthBytes;
    size_t bytes = collation.OrderWeights(level, weights, room, source.data, source.length);
    if (PadsLevel(collation, level)) {
      bytes = WithoutTrailingSpaces(collation.order_shape(level), weights,
                                    static_cast<uint32_t>(bytes));
    }
    StoreBigEndian32(image->data() + start, static_cast<uint32_t>(bytes));
    image->resize(start + kPartLengthBytes + bytes);
  }
}

// Appends bytes that are the same for two values exactly when SQL takes them for equal in what the
// part declares, whatever the format puts into keys.
void AppendPartImage(const KeyStep& step, PartSource source, std::string* image) {
  const size_t start = image->size();
  AppendBigEndian32(image, 0);  // the length comes last: images of parts must not run together
  if (step.op == KeyOp::kBlobPrefix) {
    source = DeclaredPart(step, source);
    if (source.length != 0)
      image->append(reinterpret_cast<const char*>(source.data), source.length);
  } else if (step.scope == SearchScope::kAll && step.equal_bytes_are_equal) {
    image->resize(start + kPartLengthBytes + step.max_key_bytes);
    uint8_t* out = reinterpret_cast<uint8_t*>(image->data()) + start + kPartLengthBytes;
    const uint8_t* end = EncodePart(step, source, out, nullptr);
    image->resize(start + kPartLengthBytes + static_cast<size_t>(end - out));
  } else {
    AppendWeights(step, DeclaredPart(step, source), image);
  }
  StoreBigEndian32(image->data() + start,
                   static_cast<uint32_t>(image->size() - start - kPartLengthBytes));
}

}  // namespace

size_t EncodeUniquePrefix(const KeyCodec& codec, const uint8_t* record, uint8_t* out) {
  uint8_t* at = out + codec.EncodeIndexNumber(out);
  for (unsigned i = 0; i < codec.user_parts(); ++i) {
    const KeyStep& step = codec.steps()[i];
    uint8_t* const start = at;
    const bool is_null = step.column.IsNull(record);
    if (step.column.nullable) *at++ = is_null ? 0 : 1;
    bool whole = true;
    if (!is_null) {
      PartSource source = SourceInRecord(step, record);
      if (step.scope != SearchScope::kAll) source = DeclaredPart(step, source);
      at = EncodeSearchPart(step, source, at, &whole);
    }
    if (step.inverted != 0) Invert(start, static_cast<size_t>(at - start));
    if (!whole) break;
  }
  return static_cast<size_t>(at - out);
}

void EncodeUniqueImage(const KeyCodec& codec, const uint8_t* record, std::string* image) {
  image->clear();
  AppendBigEndian32(image, codec.index_number());
  for (unsigned i = 0; i < codec.user_parts(); ++i) {
    const KeyStep& step = codec.steps()[i];
    AppendPartImage(step, SourceInRecord(step, record), image);
  }
}

}  // namespace basalt::codec
