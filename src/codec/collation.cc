// SPDX-License-Identifier: GPL-2.0-only
#include "codec/collation.h"

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

Status Collation::Prepare() {
  kind_ = ClassOf(properties_);
  if (kind_ == CollationClass::kBinary || kind_ == CollationClass::kMultiLevel) return Status::Ok();

  segment_payload_ = HasThreeByteWeights(properties_.id) ? 9 : 8;
  uint8_t weight[20];
  const size_t bytes = Transform(weight, sizeof(weight), 1,
                                 reinterpret_cast<const uint8_t*>(properties_.space.data()),
                                 properties_.space.size(), kNoPadding);
  if (bytes == 0 || bytes > segment_payload_ || segment_payload_ % bytes != 0 ||
      kSpaceWeightsBytes % bytes != 0) {
    return Status(Code::kNotSupported, "collation " + properties_.name +
                                           ": the weight of a space has " + std::to_string(bytes) +
                                           " bytes, which index entries cannot hold");
  }
  space_weight_bytes_ = static_cast<uint32_t>(bytes);
  for (size_t at = 0; at < space_weights_.size(); at += bytes) {
    std::memcpy(space_weights_.data() + at, weight, bytes);
  }
  if (kind_ == CollationClass::kSimple) {
    if (properties_.sort_order == nullptr) {
      return Status(Code::kNotSupported,
                    "collation " + properties_.name + " has no table of weights");
    }
    weight_classes_ = MakeWeightClasses(properties_.sort_order);
  }
  return Status::Ok();
}

}  // namespace basalt::codec
