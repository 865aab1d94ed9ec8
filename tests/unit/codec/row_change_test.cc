// SPDX-License-Identifier: GPL-2.0-only
#include "codec/row_change.h"

#include <gtest/gtest.h>

#include <random>

#include "unit/codec/test_table.h"

namespace basalt::codec {
namespace {

using test::Hex;
using test::Unhex;

std::string Encoded(const RowChange& change) {
  std::string bytes;
  EncodeRowChange(change, &bytes);
  return bytes;
}

// The examples of docs/format/change-log.md.
TEST(RowChange, OfTheDocument) {
  const RowChange::Row before{true, "ab", "xyz"};
  const RowChange::Row after{true, "c", ""};
  EXPECT_EQ(Hex(Encoded({.before = {}, .after = after})),
            "02"
            "00000001"
            "63"
            "00000000");
  EXPECT_EQ(Hex(Encoded({.before = before, .after = {}})),
            "01"
            "00000002"
            "6162"
            "00000003"
            "78797a");
  EXPECT_EQ(Hex(Encoded({before, after})),
            "03"
            "00000002"
            "6162"
            "00000003"
            "78797a"
            "00000001"
            "63"
            "00000000");
}

TEST(RowChange, ComesBack) {
  const RowChange::Row before{true, "ab", "xyz"};
  const RowChange::Row after{true, "c", ""};
  for (const RowChange& change :
       {RowChange{before, {}}, RowChange{{}, after}, RowChange{before, after}}) {
    const std::string bytes = Encoded(change);
    RowChange decoded{after, before};
    ASSERT_EQ(DecodeRowChange(bytes, &decoded).ToString(), "ok");
    EXPECT_EQ(decoded.before.exists, change.before.exists);
    EXPECT_EQ(decoded.after.exists, change.after.exists);
    EXPECT_EQ(Encoded(decoded), bytes);
  }
}

TEST(RowChange, RefusesWhatIsNone) {
  RowChange change;
  const std::string whole = Encoded({{true, "ab", "xyz"}, {true, "c", "d"}});
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_EQ(DecodeRowChange(Bytes(whole).substr(0, bytes), &change).code(), Code::kCorruption);
  }
  EXPECT_EQ(DecodeRowChange(whole + "x", &change).code(), Code::kCorruption);
  for (const char* hex : {"00", "04", "ff", "02ffffffff", "0200000000ffffffff61"}) {
    EXPECT_EQ(DecodeRowChange(Unhex(hex), &change).code(), Code::kCorruption) << hex;
  }
}

TEST(RowChange, SurvivesGarbage) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 24, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 4 == 0 ? random() : random() % 4);
    RowChange change;
    if (DecodeRowChange(bytes, &change).ok()) {
      EXPECT_EQ(Encoded(change), bytes);
    }
  }
}

}  // namespace
}  // namespace basalt::codec
