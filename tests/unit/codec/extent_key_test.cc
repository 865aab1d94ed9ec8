// SPDX-License-Identifier: GPL-2.0-only
#include "codec/extent_key.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "codec/extent.h"

namespace basalt::codec {
namespace {

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string KeyOfGeometry(const std::string& hex) {
  uint8_t out[kMaxExtentKeyBytes];
  const std::string geometry = FromHex(hex);
  std::string key;
  AppendHex(MakeBytes(out, EncodeExtentKey(geometry, out)), &key);
  return key;
}

// The vectors of docs/format/spatial.md. Geometries as the server makes them.
TEST(ExtentKeyTest, GoldenVectors) {
  // POINT(1 2)
  EXPECT_EQ(KeyOfGeometry("000000000101000000000000000000f03f0000000000000040"),
            "07b8c0090000000000003ff00000000000004000000000000000");
  // POINT(-1 2)
  EXPECT_EQ(KeyOfGeometry("000000000101000000000000000000f0bf0000000000000040"),
            "07b8955d000000000000bff00000000000004000000000000000");
  // LINESTRING(0 0,3 1)
  EXPECT_EQ(KeyOfGeometry("00000000010200000002000000000000000000000000000000000000000000000000"
                          "000840000000000000f03f"),
            "87d2c000000000000000000000000000000000000000000000004008000000000000"
            "3ff0000000000000");
  // GEOMETRYCOLLECTION EMPTY
  EXPECT_EQ(KeyOfGeometry("00000000010700000000000000"), "0000");
}

TEST(ExtentKeyTest, ZOrderThereAndBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const auto x = static_cast<uint32_t>(random());
    const auto y = static_cast<uint32_t>(random());
    uint32_t back_x;
    uint32_t back_y;
    CellAt(ZOrderOf(x, y), &back_x, &back_y);
    EXPECT_EQ(back_x, x);
    EXPECT_EQ(back_y, y);
  }
}

// On a curve of 16 times 16 cells, against a walk along it.
TEST(ExtentKeyTest, NextInRangeIsTheNextCellOfTheRange) {
  constexpr uint32_t kSide = 16;
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    CellRange range;
    range.x_first = random() % kSide;
    range.x_last = range.x_first + random() % (kSide - range.x_first);
    range.y_first = random() % kSide;
    range.y_last = range.y_first + random() % (kSide - range.y_first);
    const uint64_t last = ZOrderOf(range.x_last, range.y_last);
    for (uint64_t z = 0; z < last; ++z) {
      uint32_t x;
      uint32_t y;
      CellAt(z, &x, &y);
      if (range.Has(x, y)) continue;
      uint64_t expected = z;
      do {
        CellAt(++expected, &x, &y);
      } while (!range.Has(x, y));
      ASSERT_EQ(NextInRange(z, range), expected);
    }
  }
}

TEST(ExtentKeyTest, DecodesWhatItEncodes) {
  uint8_t out[kMaxExtentKeyBytes];
  const std::string line = FromHex(
      "00000000010200000002000000000000000000000000000000000000000000000000000840000000000000f03f");
  const size_t bytes = EncodeExtentKey(line, out);
  ExtentKey part;
  ASSERT_TRUE(DecodeExtentKey(MakeBytes(out, bytes), &part));
  EXPECT_EQ(part.bytes, bytes);
  EXPECT_EQ(part.extent.x_max, 3);
  EXPECT_EQ(part.extent.y_max, 1);
  for (size_t cut = 0; cut < bytes; ++cut) {
    EXPECT_FALSE(DecodeExtentKey(MakeBytes(out, cut), &part));
  }
}

TEST(ExtentTest, ReadsEveryTypeInBothByteOrders) {
  Extent extent;
  // MULTIPOINT(1 2,-3 4), its second member big-endian
  const std::string mixed = FromHex(
      "0000000001040000000200000001010000000000"
      "00000000f03f0000000000000040"
      "0000000001c0080000000000004010000000000000");
  ASSERT_EQ(ReadExtent(mixed, &extent), GeometryState::kProper);
  EXPECT_EQ(extent.x_min, -3);
  EXPECT_EQ(extent.x_max, 1);
  EXPECT_EQ(extent.y_min, 2);
  EXPECT_EQ(extent.y_max, 4);
  for (size_t cut = 0; cut < mixed.size(); ++cut) {
    EXPECT_EQ(ReadExtent(Bytes(mixed).substr(0, cut), &extent), GeometryState::kMalformed);
  }
}

TEST(ExtentTest, SurvivesAnyBytes) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    std::string bytes(random() % 80, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 3 == 0 ? random() : random() % 8);
    if (bytes.size() > 4) bytes[4] = static_cast<char>(random() % 3);
    Extent extent;
    if (ReadExtent(bytes, &extent) == GeometryState::kProper) {
      EXPECT_TRUE(IsProper(extent));
    }
    uint8_t out[kMaxExtentKeyBytes];
    ExtentKey part;
    if (!DecodeExtentKey(bytes, &part)) continue;
    EXPECT_LE(part.bytes, bytes.size());
    EXPECT_GT(EncodeExtentKey(bytes, out), 0u);
  }
}

}  // namespace
}  // namespace basalt::codec
