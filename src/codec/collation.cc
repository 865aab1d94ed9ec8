// SPDX-License-Identifier: GPL-2.0-only
#include "codec/collation.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace basalt::codec {

namespace {

bool HasThreeByteWeights(uint32_t id) {
  return id == kCollationUtf8mb4Bin || id == kCollationUtf16Bin || id == kCollationUtf32Bin ||
         id == kCollationUtf16leBin;
}

// Lists the bytes of each weight in ascending order and numbers them.
std::unique_ptr<WeightClasses> MakeWeightClasses(const uint8_t* sort_order) {
  auto classes = std::make_unique<WeightClasses>();
  for (int byte = 0; byte < 256; ++byte) ++classes->members_of_weight[sort_order[byte]];
  uint16_t next = 0;
  for (int weight = 0; weight < 256; ++weight) {
    classes->first_member[weight] = next;
    next = static_cast<uint16_t>(next + classes->members_of_weight[weight]);
    const unsigned size = classes->members_of_weight[weight];
    const unsigned bits = size < 2 ? 0 : static_cast<unsigned>(std::bit_width(size - 1));
    classes->bits_of_weight[weight] = static_cast<uint8_t>(bits);
    if (bits > classes->max_bits) classes->max_bits = static_cast<uint8_t>(bits);
  }
  std::array<uint16_t, 256> filled{};
  for (int byte = 0; byte < 256; ++byte) {
    const uint8_t weight = sort_order[byte];
    const uint16_t index = filled[weight]++;
    classes->members[classes->first_member[weight] + index] = static_cast<uint8_t>(byte);
    classes->index_of_byte[byte] = static_cast<uint8_t>(index);
    classes->bits_of_byte[byte] = classes->bits_of_weight[weight];
  }
  classes->one_to_one = classes->max_bits == 0;
  return classes;
}

// In levels(): the weights of all levels, one behind the other.
constexpr uint8_t kEveryLevel = 0;

// No character of a Unicode collation has more than eight weights of two bytes on a level.
constexpr size_t kMostBytesOfLevel = 16;

WeightCode WeightCodeOf(const CollationProperties& properties) {
  if (!properties.binary_order) return WeightCode::kLossy;
  const std::string& set = properties.character_set;
  if (set == "utf8mb4" || set == "utf16" || set == "utf16le" || set == "utf32") {
    return WeightCode::kCodePoint3;
  }
  return set == "utf8mb3" ? WeightCode::kCodePoint2 : WeightCode::kBytes;
}

// Surrogates and low bytes in front break the order of UTF-16.
bool BytesSortLikeWeights(const CollationProperties& properties) {
  return properties.binary_order && properties.character_set != "utf16" &&
         properties.character_set != "utf16le";
}

}  // namespace

CollationClass ClassOf(const CollationProperties& properties) {
  if (properties.id == kCollationBinary) return CollationClass::kBinary;
  if (properties.id == kCollationLatin1Bin || properties.id == kCollationUtf8mb3Bin) {
    return CollationClass::kExact;
  }
  if (properties.bytes_per_character_max == 1 && properties.transform_multiplier == 1 &&
      !properties.binary_order && properties.pad_space) {
    return CollationClass::kSimple;
  }
  return properties.levels == 1 ? CollationClass::kOther : CollationClass::kMultiLevel;
}

Status Collation::MakeShape(const uint8_t* weight, size_t bytes, SegmentShape* shape) const {
  shape->payload = HasThreeByteWeights(properties_.id) ? 9 : 8;
  if (bytes == 0 || bytes > shape->payload || shape->payload % bytes != 0 ||
      SegmentShape::kSpacesBytes % bytes != 0) {
    return Status(Code::kNotSupported, "collation " + properties_.name +
                                           ": the weight of a space has " + std::to_string(bytes) +
                                           " bytes, which index entries cannot hold");
  }
  shape->space_bytes = static_cast<uint32_t>(bytes);
  for (size_t at = 0; at < shape->spaces.size(); at += bytes) {
    std::memcpy(shape->spaces.data() + at, weight, bytes);
  }
  return Status::Ok();
}

Status Collation::Prepare() {
  kind_ = ClassOf(properties_);
  weight_code_ = WeightCodeOf(properties_);
  if (kind_ != CollationClass::kBinary && kind_ != CollationClass::kMultiLevel) {
    uint8_t weight[20];
    const size_t bytes = Transform(weight, sizeof(weight), 1,
                                   reinterpret_cast<const uint8_t*>(properties_.space.data()),
                                   properties_.space.size(), kNoPadding);
    Status shaped = MakeShape(weight, bytes, &shape_);
    // Version 14 needs none for NO PAD collations, and the versions before should not have any.
    if (!shaped.ok() && properties_.pad_space) return shaped;
    if (!shaped.ok()) shape_.space_bytes = 0;
  }
  if (kind_ == CollationClass::kSimple) {
    if (properties_.sort_order == nullptr) {
      return Status(Code::kNotSupported,
                    "collation " + properties_.name + " has no table of weights");
    }
    weight_classes_ = MakeWeightClasses(properties_.sort_order);
  }
  return PrepareOrder();
}

Status Collation::PrepareOrder() {
  const uint32_t id = properties_.id;
  compares_codes_ = id == kCollationBig5ChineseCi || id == kCollationBig5ChineseNopadCi;
  ends_at_zero_ = id == kCollationTis620ThaiNopadCi;
  cuts_spaces_ = properties_.pad_space && id != kCollationTis620ThaiCi;
  if (kind_ == CollationClass::kBinary || kind_ == CollationClass::kExact ||
      (kind_ == CollationClass::kSimple && !space_is_ambiguous())) {
    order_layout_ = OrderLayout::kAsBefore;
  } else if (id == kCollationLatin2CzechCs || id == kCollationCp1250CzechCs) {
    order_layout_ = OrderLayout::kChunks;
    levels_ = {kEveryLevel};
    return Status::Ok();
  } else if (properties_.pad_space) {
    order_layout_ = OrderLayout::kSegments;
  } else if (BytesSortLikeWeights(properties_)) {
    order_layout_ = OrderLayout::kBytes;
  } else {
    order_layout_ =
        properties_.levels == 1 ? OrderLayout::kChunks : OrderLayout::kChunkThenSegments;
  }
  for (uint8_t level = 0; level < kMostLevels; ++level) {
    if ((properties_.levels >> level & 1) != 0) levels_.push_back(level);
  }
  order_shapes_.assign(levels_.size(), shape_);
  if (order_layout_ == OrderLayout::kSegments) BASALT_RETURN_IF_ERROR(MakeOrderShapes(0));
  if (order_layout_ == OrderLayout::kChunkThenSegments) BASALT_RETURN_IF_ERROR(MakeOrderShapes(1));
  return Status::Ok();
}

Status Collation::MakeOrderShapes(size_t from_level) {
  for (size_t i = from_level; i < levels_.size(); ++i) {
    uint8_t weight[20];
    const size_t bytes = OrderWeights(i, weight, sizeof(weight),
                                      reinterpret_cast<const uint8_t*>(properties_.space.data()),
                                      properties_.space.size());
    BASALT_RETURN_IF_ERROR(MakeShape(weight, bytes, &order_shapes_[i]));
  }
  return Status::Ok();
}

size_t Collation::OrderWeights(size_t level, uint8_t* to, size_t to_bytes, const uint8_t* from,
                               size_t from_bytes) const {
  if (compares_codes_) return WeighCodes(to, to_bytes, from, from_bytes);
  const unsigned flags =
      levels_.size() == 1 ? unsigned{kAllLevels} : unsigned{kFirstLevel} << levels_[level];
  return Transform(to, to_bytes, static_cast<unsigned>(to_bytes), from, from_bytes, flags);
}

// One byte: the table's weight. Two: themselves, which are greater.
size_t Collation::WeighCodes(uint8_t* to, size_t to_bytes, const uint8_t* from,
                             size_t from_bytes) const {
  const size_t bytes = std::min(to_bytes, from_bytes);
  size_t at = 0;
  while (at < bytes) {
    const size_t character = LengthOfCharacters(from + at, bytes - at, 1);
    if (character == 2) {
      to[at] = from[at];
      to[at + 1] = from[at + 1];
      at += 2;
    } else {
      to[at] = properties_.sort_order[from[at]];
      ++at;
    }
  }
  return at;
}

size_t Collation::OrderRoom(size_t bytes) const {
  const uint32_t width = properties_.bytes_per_character_max;
  if (properties_.transform_multiplier == 1 || width == 1) return TransformLength(bytes);
  // The transformation's own bound is that of all levels together, and too low for some.
  return bytes / width * kMostBytesOfLevel;
}

}  // namespace basalt::codec
