// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "codec/chunk.h"
#include "codec/inverted.h"
#include "codec/segment.h"
#include "codec/weight_bits.h"
#include "unit/codec/fake_collation.h"
#include "unit/codec/test_table.h"

// The pieces strings are made of in keys: chunks, segments, disambiguation bits.

namespace basalt::codec {
namespace {

using test::Hex;
using test::Unhex;

const uint8_t* Data(const std::string& bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

std::string Chunks(const std::string& source, bool legacy) {
  std::string out(MaxChunkedBytes(static_cast<uint32_t>(source.size())), '\0');
  uint8_t* to = reinterpret_cast<uint8_t*>(out.data());
  const uint8_t* end = EncodeChunks(Data(source), source.size(), legacy, to);
  out.resize(static_cast<size_t>(end - to));
  return out;
}

TEST(Chunk, EveryLengthComesBackInBothLayouts) {
  std::string source;
  for (int length = 0; length < 100; ++length) {
    for (const bool legacy : {false, true}) {
      const std::string chunks = Chunks(source, legacy);
      std::string decoded(100, '\0');
      size_t bytes = 0;
      const uint8_t* end =
          DecodeChunks(Data(chunks), Data(chunks) + chunks.size(), legacy, kAscending,
                       reinterpret_cast<uint8_t*>(decoded.data()), decoded.size(), &bytes);
      EXPECT_EQ(end, Data(chunks) + chunks.size());
      EXPECT_EQ(decoded.substr(0, bytes), source);
      EXPECT_EQ(SkipChunks(Data(chunks), Data(chunks) + chunks.size(), legacy, kAscending), end);
    }
    source.push_back(static_cast<char>('a' + length % 26));
  }
}

TEST(Chunk, OrderIsThatOfTheBytes) {
  const std::string ascending[] = {"", std::string(1, '\0'), "a", "aaaaaaaa", "aaaaaaaaa", "b"};
  for (const bool legacy : {false, true}) {
    for (size_t i = 1; i < std::size(ascending); ++i) {
      EXPECT_LT(Chunks(ascending[i - 1], legacy), Chunks(ascending[i], legacy));
    }
  }
}

TEST(Chunk, MalformedIsRefused) {
  const auto skips = [](const std::string& hex, bool legacy) {
    const std::string bytes = Unhex(hex);
    return SkipChunks(Data(bytes), Data(bytes) + bytes.size(), legacy, kAscending) != nullptr;
  };
  EXPECT_TRUE(skips("616263000000000003", false));
  EXPECT_FALSE(skips("61626300000000000a", false));  // no such flag
  EXPECT_FALSE(skips("616263000000000009", false));  // says that more follows
  EXPECT_FALSE(skips("6162630000000000", false));    // cut off
  EXPECT_FALSE(skips("6162636465666768ff", true));   // a full one is never the last
  EXPECT_FALSE(skips("6162636465666768f6", true));   // more filling than bytes
}

TEST(Chunk, DataThatDoesNotFitIsRefused) {
  const std::string chunks = Chunks("123456789", false);
  uint8_t room[8];
  size_t bytes;
  EXPECT_EQ(DecodeChunks(Data(chunks), Data(chunks) + chunks.size(), false, kAscending, room,
                         sizeof(room), &bytes),
            nullptr);
}

std::string Segments(const SegmentShape& shape, const std::string& weights, uint32_t* filled) {
  std::string out(MaxSegmentedBytes(shape, static_cast<uint32_t>(weights.size())), '\0');
  uint8_t* to = reinterpret_cast<uint8_t*>(out.data());
  const uint8_t* end = EncodeSegments(shape, Data(weights), weights.size(), to, filled);
  out.resize(static_cast<size_t>(end - to));
  return out;
}

TEST(Segment, OrderIsThatOfPaddedStrings) {
  const SegmentShape& shape = test::FakeCollationByName("latin1_bin")->shape();
  uint32_t filled;
  const std::string ascending[] = {
      "\t",       "a\t",         "a",         "aaaaaaaa\t", "aaaaaaaa \x1f",
      "aaaaaaaa", "aaaaaaaa  b", "aaaaaaaa!", "aaaaaaaab",  "b"};
  for (size_t i = 1; i < std::size(ascending); ++i) {
    EXPECT_LT(Segments(shape, ascending[i - 1], &filled), Segments(shape, ascending[i], &filled))
        << i;
  }
  EXPECT_EQ(Segments(shape, "a", &filled), Segments(shape, "a   ", &filled));
  EXPECT_EQ(Segments(shape, "abcdefgh", &filled), Segments(shape, "abcdefgh  ", &filled));
}

TEST(Segment, SourceInTheSameBuffer) {
  const SegmentShape& shape = test::FakeCollationByName("three_byte")->shape();
  for (uint32_t characters = 0; characters < 50; ++characters) {
    std::string weights;
    for (uint32_t i = 0; i < characters; ++i)
      weights += std::string("\0\0", 2) + char('a' + i % 26);
    uint32_t filled;
    const std::string expected = Segments(shape, weights, &filled);
    const uint32_t bytes = static_cast<uint32_t>(weights.size());
    std::string buffer(MaxSegmentedBytes(shape, bytes), '\0');
    uint8_t* to = reinterpret_cast<uint8_t*>(buffer.data());
    uint8_t* source = to + bytes / shape.payload + 1;
    std::memcpy(source, weights.data(), bytes);
    const uint8_t* end = EncodeSegments(shape, source, bytes, to, &filled);
    EXPECT_EQ(buffer.substr(0, static_cast<size_t>(end - to)), expected);
  }
}

// What EncodeSegmentsPrefix promises: every longer sequence of weights starts with it.
TEST(Segment, PrefixHoldsForWhateverFollows) {
  const SegmentShape& shape = test::FakeCollationByName("latin1_bin")->shape();
  const std::string starts[] = {"",          "ab",         "abcdefgh", "abcdefghi",
                                "abcdefgh ", "abcdefgh\t", "        ", "abcdefghijklmnop "};
  const std::string rests[] = {"", " ", "\t", "x", "   x", "          \t", "zzzzzzzzzzzzzzzz"};
  for (const std::string& start : starts) {
    std::string prefix(100, '\0');
    uint8_t* to = reinterpret_cast<uint8_t*>(prefix.data());
    const uint8_t* end = EncodeSegmentsPrefix(shape, Data(start), start.size(), to);
    prefix.resize(static_cast<size_t>(end - to));
    for (const std::string& rest : rests) {
      uint32_t filled;
      std::string value = start + rest;
      EXPECT_TRUE(Segments(shape, value, &filled).starts_with(prefix))
          << '"' << start << "\" and \"" << rest << '"';
    }
  }
}

TEST(WeightBits, SplitNumbersPutTheirUpperPartFirst) {
  uint8_t bytes[4];
  BitWriter writer(bytes);
  writer.Write(5, 0b10110);
  writer.Write(6, 0b110101);
  EXPECT_EQ(writer.end() - bytes, 2);
  EXPECT_EQ(bytes[0], 0b110'10110);
  EXPECT_EQ(bytes[1], 0b00000'101);
  BitReader reader(bytes, bytes + 2);
  unsigned value;
  ASSERT_TRUE(reader.Read(5, &value));
  EXPECT_EQ(value, 0b10110u);
  ASSERT_TRUE(reader.Read(6, &value));
  EXPECT_EQ(value, 0b110101u);
  EXPECT_TRUE(reader.Read(5, &value));
  EXPECT_FALSE(reader.Read(1, &value));
}

TEST(WeightBits, ClassesListBytesInAscendingOrder) {
  const WeightClasses& classes = *test::FakeCollationByName("letters_ci")->weight_classes();
  EXPECT_EQ(classes.bits_of_weight['B'], 1);
  EXPECT_EQ(classes.index_of_byte['B'], 0);
  EXPECT_EQ(classes.index_of_byte['b'], 1);
  EXPECT_EQ(classes.members_of_weight['A'], 66);  // A, a and the 64 bytes from c0 on
  EXPECT_EQ(classes.bits_of_weight['A'], 7);
  EXPECT_EQ(classes.bits_of_weight['1'], 0);
}

TEST(WeightBits, AnIndexWithoutAByteIsRefused) {
  const WeightClasses& classes = *test::FakeCollationByName("letters_ci")->weight_classes();
  const uint8_t bits[1] = {100};  // the class of A has 66 members
  BitReader reader(bits, bits + 1);
  const uint8_t weight = 'A';
  uint8_t byte;
  EXPECT_FALSE(ReadWeightBits(classes, &weight, 1, &reader, &byte));
}

TEST(CollationClass, FollowsFromProperties) {
  EXPECT_EQ(test::FakeCollationByName("latin1_bin")->kind(), CollationClass::kExact);
  EXPECT_EQ(test::FakeCollationByName("utf8mb3_bin")->kind(), CollationClass::kExact);
  EXPECT_EQ(test::FakeCollationByName("letters_ci")->kind(), CollationClass::kSimple);
  EXPECT_EQ(test::FakeCollationByName("three_byte")->kind(), CollationClass::kOther);
  EXPECT_EQ(test::FakeCollationByName("two_level")->kind(), CollationClass::kMultiLevel);
  CollationProperties no_pad;
  no_pad.pad_space = false;
  EXPECT_EQ(ClassOf(no_pad), CollationClass::kOther);
  no_pad.id = kCollationBinary;
  EXPECT_EQ(ClassOf(no_pad), CollationClass::kBinary);
}

}  // namespace
}  // namespace basalt::codec
