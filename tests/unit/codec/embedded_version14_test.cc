// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "unit/codec/collation_values.h"
#include "unit/codec/round_trip.h"
#include "unit/codec/server_collation.h"
#include "unit/codec/test_table.h"

// What version 14 promises for every collation of the server: keys order as the server compares
// columns of each type, equal values and only they have equal bytes, a search value determines its
// part, and secondary entries give values back. With BASALT_ALL_COLLATIONS set, over all of them.

namespace basalt::test {
namespace {

constexpr const char* kChosen[] = {
    // 8-bit
    "latin1_bin", "latin1_swedish_ci", "latin1_general_cs", "latin1_german2_ci", "koi8r_bin",
    "cp1250_general_ci", "koi8u_general_ci", "cp1251_ukrainian_ci", "tis620_thai_ci",
    "latin1_nopad_bin", "latin1_swedish_nopad_ci", "cp1250_general_nopad_ci",
    "tis620_thai_nopad_ci", "latin2_czech_cs", "cp1250_czech_cs",
    // Asian
    "sjis_japanese_ci", "sjis_bin", "gbk_chinese_ci", "gbk_nopad_bin", "big5_chinese_ci",
    "big5_chinese_nopad_ci", "big5_bin", "ujis_japanese_ci", "eucjpms_bin", "euckr_korean_nopad_ci",
    // Unicode, one level
    "utf8mb3_bin", "utf8mb3_general_ci", "utf8mb3_nopad_bin", "utf8mb4_bin", "utf8mb4_general_ci",
    "utf8mb4_unicode_ci", "utf8mb4_czech_ci", "utf8mb4_uca1400_ai_ci", "utf8mb4_nopad_bin",
    "utf8mb4_general_nopad_ci", "utf8mb4_unicode_nopad_ci", "utf8mb4_uca1400_nopad_ai_ci",
    "ucs2_general_ci", "ucs2_bin", "ucs2_unicode_nopad_ci", "utf16_bin", "utf16_nopad_bin",
    "utf16_unicode_ci", "utf16le_bin", "utf32_bin", "utf32_general_ci", "utf32_unicode_nopad_ci",
    // several levels
    "utf8mb4_uca1400_as_cs", "utf8mb4_uca1400_ai_cs", "utf8mb4_uca1400_german2_as_ci",
    "utf8mb4_thai_520_w2", "utf8mb4_uca1400_nopad_as_cs", "utf8mb3_uca1400_nopad_ai_cs",
    "ucs2_uca1400_czech_as_cs", "utf16_uca1400_nopad_as_ci"};

std::vector<std::string> CollationNames() {
  std::vector<std::string> names(std::begin(kChosen), std::end(kChosen));
  ServerCollationByName(names[0]);  // the library is ready
  if (std::getenv("BASALT_ALL_COLLATIONS") == nullptr) return names;
  names.clear();
  for (uint id = 1; id < 4096; ++id) {
    CHARSET_INFO* charset = get_charset(id, MYF(0));
    const bool for_columns =
        charset != nullptr && charset != &my_charset_bin && charset != &my_charset_filename;
    if (for_columns) {
      names.emplace_back(charset->get_collation_name(MY_COLLATION_NAME_MODE_FULL).str);
    }
  }
  return names;
}

// A string column and what of it is in the index.
struct PartCase {
  const char* type;
  unsigned characters;  // of the part; 0: all of the column
  unsigned column_characters;
};

constexpr PartCase kParts[] = {{"varchar(24)", 0, 24}, {"varchar(24)", 3, 24}, {"char(9)", 0, 9},
                               {"char(9)", 3, 9},      {"text(2)", 3, 30},     {"varchar(2)", 0, 2},
                               {"text(2)", 12, 30}};

// A table with such a part, ascending and descending, and values for it.
class PartTable {
 public:
  PartTable(const ServerCollation& collation, const PartCase& part)
      : collation_(collation),
        part_(part),
        table_({"column pk int", "column a " + std::string(part.type) + " " + Name(),
                "column n " + std::string(part.type) + " " + Name() + " null",
                "primary 0100 pk version=new", "index 0101 " + Part("a"),
                "index 0102 -" + Part("a"), "index 0103 -" + Part("n") + " -pk"},
               ServerCollationByName) {}

  TestTable& table() { return table_; }
  bool is_char() const { return std::string(part_.type).starts_with("char"); }

  std::string RandomColumn(std::mt19937* random) {
    std::string value = RandomValue(collation_, part_.column_characters, random);
    return is_char() ? PaddedTo(collation_, value, table_.descriptor().columns[1].pack_length)
                     : value;
  }

  std::vector<uint8_t> RecordOf(const std::string& value) {
    std::vector<uint8_t> record(table_.descriptor().record_length);
    table_.SetColumn(&record, 1, value);
    table_.SetColumn(&record, 2, value);
    return record;
  }

  std::string Declared(const std::string& value) const {
    const unsigned characters = part_.characters != 0 ? part_.characters : part_.column_characters;
    return FirstCharacters(collation_, value, characters);
  }

  // How the server orders two values of the part.
  int Compare(const std::string& a, const std::string& b) const {
    if (!is_char()) return Sign(collation_.Compare(Declared(a), Declared(b)));
    const unsigned characters = part_.characters != 0 ? part_.characters : part_.column_characters;
    CHARSET_INFO* charset = collation_.charset();
    return Sign(charset->coll->strnncollsp_nchars(
        charset, reinterpret_cast<const uchar*>(a.data()), a.size(),
        reinterpret_cast<const uchar*>(b.data()), b.size(), characters, 0));
  }

  // The key bytes of the first declared part.
  std::string PartBytes(size_t index, const std::vector<uint8_t>& record) {
    const codec::KeyCodec& key = table_.key(index);
    std::string bytes(key.max_key_bytes(), '\0');
    bytes.resize(key.EncodePrefix(record.data(), 1, reinterpret_cast<uint8_t*>(bytes.data())));
    return bytes.substr(4);
  }

  // The server's search tuple for a value.
  std::string Tuple(const std::string& value) const {
    const uint32_t bytes = table_.descriptor().indexes[1].parts[0].length;
    std::string tuple = Declared(value);
    if (is_char()) return PaddedTo(collation_, tuple, bytes);
    const size_t length = tuple.size();
    tuple.resize(bytes, '\xEE');
    return std::string{static_cast<char>(length), static_cast<char>(length >> 8)} + tuple;
  }

 private:
  std::string Name() const { return collation_.properties().name; }
  std::string Part(const std::string& column) const {
    return part_.characters == 0 ? column : column + "(" + std::to_string(part_.characters) + ")";
  }

  const ServerCollation& collation_;
  const PartCase part_;
  TestTable table_;
};

void ExpectServersOrder(const ServerCollation& collation, const PartCase& part) {
  PartTable table(collation, part);
  std::mt19937 random(5);
  std::vector<std::string> values, ascending, descending;
  for (int i = 0; i < 60; ++i) {
    values.push_back(table.RandomColumn(&random));
    const std::vector<uint8_t> record = table.RecordOf(values.back());
    ascending.push_back(table.PartBytes(1, record));
    descending.push_back(table.PartBytes(2, record));
  }
  for (size_t a = 0; a < values.size(); ++a) {
    for (size_t b = 0; b < values.size(); ++b) {
      const int order = table.Compare(values[a], values[b]);
      ASSERT_EQ(Sign(ascending[a].compare(ascending[b])), order)
          << Hex(values[a]) << " " << Hex(values[b]) << "\n"
          << Hex(ascending[a]) << " " << Hex(ascending[b]);
      ASSERT_EQ(Sign(descending[a].compare(descending[b])), -order);
    }
  }
}

TEST(Version14, KeysOrderAsTheServerCompares) {
  for (const std::string& name : CollationNames()) {
    for (const PartCase& part : kParts) {
      SCOPED_TRACE(name + " " + part.type + " " + std::to_string(part.characters));
      ExpectServersOrder(*ServerCollationByName(name), part);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Version14, SearchValuesDetermineTheirPart) {
  for (const std::string& name : CollationNames()) {
    for (const PartCase& part : kParts) {
      SCOPED_TRACE(name + " " + part.type + " " + std::to_string(part.characters));
      PartTable table(*ServerCollationByName(name), part);
      std::mt19937 random(6);
      for (int i = 0; i < 40; ++i) {
        const std::string value = table.RandomColumn(&random);
        const std::vector<uint8_t> record = table.RecordOf(value);
        const std::string tuple = table.Tuple(value);
        for (const size_t index : {1, 2}) {
          const codec::KeyCodec& key = table.table().key(index);
          ASSERT_TRUE(key.SearchIsWhole());
          ASSERT_TRUE(key.UniqueIsExact());
          ASSERT_TRUE(key.EqualBytesAreEqual(key.total_parts()));
          std::string bytes(key.max_key_bytes(), '\0');
          unsigned done = 0;
          bytes.resize(key.EncodeSearchTuple(reinterpret_cast<const uint8_t*>(tuple.data()), 1,
                                             reinterpret_cast<uint8_t*>(bytes.data()), &done));
          ASSERT_EQ(done, 1u);
          ASSERT_EQ(Hex(bytes.substr(4)), Hex(table.PartBytes(index, record))) << Hex(value);
        }
      }
    }
  }
}

TEST(Version14, SecondaryEntriesGiveValuesBack) {
  for (const std::string& name : CollationNames()) {
    for (const PartCase& part : kParts) {
      SCOPED_TRACE(name + " " + part.type + " " + std::to_string(part.characters));
      PartTable table(*ServerCollationByName(name), part);
      std::mt19937 random(7);
      for (int i = 0; i < 20; ++i) {
        std::vector<uint8_t> record = table.RecordOf(table.RandomColumn(&random));
        if (i % 5 == 0) table.table().SetNull(&record, 2);
        ExpectRoundTrip(table.table(), record, EncodeRow(table.table(), record.data(), 0, 0));
        if (testing::Test::HasFailure()) return;
      }
      for (const size_t index : {1, 2, 3}) {
        EXPECT_EQ(table.table().key(index).IsPartDecodable(0), part.characters == 0);
        EXPECT_TRUE(table.table().key(index).IsPartDecodable(1));
      }
    }
  }
}

// Primary keys of each collation, beside indexes that run the other way.
TEST(Version14, PrimaryKeysAndTheirCopies) {
  for (const std::string& name : CollationNames()) {
    SCOPED_TRACE(name);
    const ServerCollation* collation = ServerCollationByName(name);
    TestTable table({"column a varchar(12) " + name, "column b char(6) " + name,
                     "column c int null", "column d float", "primary 0100 -a b -d version=new",
                     "index 0101 c", "index 0102 -b c", "index 0103 a(3) -d", "index 0104 d a"},
                    ServerCollationByName);
    std::mt19937 random(8);
    for (int i = 0; i < 30; ++i) {
      std::vector<uint8_t> record(table.descriptor().record_length);
      table.SetColumn(&record, 0, RandomValue(*collation, 12, &random));
      table.SetColumn(&record, 1,
                      PaddedTo(*collation, RandomValue(*collation, 6, &random),
                               table.descriptor().columns[1].pack_length));
      if (i % 3 == 0) table.SetNull(&record, 2);
      const float number = i % 4 == 0   ? -0.0f
                           : i % 4 == 1 ? 0.0f
                                        : static_cast<float>(static_cast<int>(random()));
      table.SetColumn(&record, 3,
                      std::string(reinterpret_cast<const char*>(&number), sizeof(number)));
      ExpectRoundTrip(table, record, EncodeRow(table, record.data(), 0, 0));
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace basalt::test
