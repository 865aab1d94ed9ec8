// SPDX-License-Identifier: GPL-2.0-only
#include "codec/number_key.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace basalt::codec {
namespace {

template <typename Number, typename Encode>
void ExpectAscendingKeys(const std::vector<Number>& ascending, Encode encode) {
  for (size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(encode(ascending[i - 1]), encode(ascending[i])) << ascending[i];
  }
}

template <typename Float, typename Bits>
std::string FloatKey(Float value) {
  std::string key(sizeof(value), '\0');
  FloatingPoint<Bits>::Encode(reinterpret_cast<const uint8_t*>(&value),
                              reinterpret_cast<uint8_t*>(key.data()));
  return key;
}

template <typename Float, typename Bits>
void ExpectFloatsSortAndComeBack() {
  using Limits = std::numeric_limits<Float>;
  const std::vector<Float> ascending = {Limits::lowest(),
                                        -1e10f,
                                        -2.25,
                                        -1.5,
                                        -1,
                                        -Limits::min(),
                                        -Limits::denorm_min(),
                                        0,
                                        Limits::denorm_min(),
                                        Limits::min(),
                                        0.5,
                                        1,
                                        1.5,
                                        2.25,
                                        1e10f,
                                        Limits::max()};
  ExpectAscendingKeys(ascending, FloatKey<Float, Bits>);
  for (const Float value : ascending) {
    const std::string key = FloatKey<Float, Bits>(value);
    Float decoded;
    FloatingPoint<Bits>::Decode(reinterpret_cast<const uint8_t*>(key.data()),
                                reinterpret_cast<uint8_t*>(&decoded));
    EXPECT_EQ(decoded, value);
  }
  const Float negative_zero = -Float{0};
  EXPECT_EQ((FloatKey<Float, Bits>(negative_zero)), (FloatKey<Float, Bits>(0)));
}

TEST(NumberKey, FloatsSortAndComeBack) {
  ExpectFloatsSortAndComeBack<float, uint32_t>();
  ExpectFloatsSortAndComeBack<double, uint64_t>();
}

template <typename Signed, typename Unsigned>
void ExpectIntegersSortAndComeBack() {
  using Limits = std::numeric_limits<Signed>;
  const auto encode = [](Signed value) {
    std::string key(sizeof(value), '\0');
    EncodeInteger<Unsigned>(reinterpret_cast<const uint8_t*>(&value), 0x80,
                            reinterpret_cast<uint8_t*>(key.data()));
    return key;
  };
  const std::vector<Signed> ascending = {Limits::min(), -257, -256,         -1, 0, 1,
                                         255,           256,  Limits::max()};
  ExpectAscendingKeys(ascending, encode);
  for (const Signed value : ascending) {
    const std::string key = encode(value);
    Signed decoded;
    DecodeInteger<Unsigned>(reinterpret_cast<const uint8_t*>(key.data()), 0x80,
                            reinterpret_cast<uint8_t*>(&decoded));
    EXPECT_EQ(decoded, value);
  }
}

TEST(NumberKey, IntegersSortAndComeBack) {
  ExpectIntegersSortAndComeBack<int16_t, uint16_t>();
  ExpectIntegersSortAndComeBack<int32_t, uint32_t>();
  ExpectIntegersSortAndComeBack<int64_t, uint64_t>();
}

TEST(NumberKey, ThreeByteIntegersSortAndComeBack) {
  std::string last;
  for (int32_t value = -0x800000; value <= 0x7FFFFF; value += 0x1FFF) {
    const uint8_t image[3] = {static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8),
                              static_cast<uint8_t>(value >> 16)};
    std::string key(3, '\0');
    uint8_t* bytes = reinterpret_cast<uint8_t*>(key.data());
    EncodeInteger24(image, 0x80, bytes);
    EXPECT_LT(last, key);  // the first `last` is empty
    uint8_t decoded[3];
    DecodeInteger24(bytes, 0x80, decoded);
    EXPECT_EQ(std::string(decoded, decoded + 3), std::string(image, image + 3));
    last = key;
  }
}

}  // namespace
}  // namespace basalt::codec
