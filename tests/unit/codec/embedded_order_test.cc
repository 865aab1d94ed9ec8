// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "codec/unique_image.h"
#include "unit/codec/collation_values.h"
#include "unit/codec/round_trip.h"
#include "unit/codec/server_collation.h"
#include "unit/codec/test_table.h"

// Properties over the server's own collations: keys order as SQL orders values, and search values
// find the keys of the rows they match.

namespace basalt::test {
namespace {

constexpr const char* kCollations[] = {
    "latin1_bin",         "latin1_swedish_ci",  "latin1_general_cs",     "latin1_german2_ci",
    "ascii_general_ci",   "cp1250_general_ci",  "cp1251_general_ci",     "koi8r_bin",
    "utf8mb3_bin",        "utf8mb3_general_ci", "utf8mb4_bin",           "utf8mb4_general_ci",
    "utf8mb4_unicode_ci", "utf8mb4_czech_ci",   "utf8mb4_uca1400_ai_ci", "ucs2_general_ci",
    "utf16_bin",          "utf32_general_ci",   "sjis_japanese_ci",      "gbk_chinese_ci"};

TEST(ServerCollations, KeysOrderAsSqlDoes) {
  for (const char* name : kCollations) {
    SCOPED_TRACE(name);
    const ServerCollation* collation = ServerCollationByName(name);
    ASSERT_NE(collation, nullptr);
    const std::string type = "column a varchar(40) " + std::string(name);
    TestTable table({"column pk int", type, "primary 0100 pk", "index 0101 a"},
                    ServerCollationByName);
    std::mt19937 random(1);
    std::vector<std::string> values;
    std::vector<std::string> keys;
    for (int i = 0; i < 200; ++i) {
      values.push_back(RandomValue(*collation, 20, &random));
      std::vector<uint8_t> record(table.descriptor().record_length);
      table.SetColumn(&record, 1, values.back());
      keys.push_back(EncodeRow(table, record.data(), 0, 0)[1].key);
    }
    for (size_t a = 0; a < values.size(); ++a) {
      for (size_t b = 0; b < values.size(); ++b) {
        ASSERT_EQ(Sign(keys[a].compare(keys[b])), Sign(collation->Compare(values[a], values[b])))
            << Hex(values[a]) << " " << Hex(values[b]);
      }
    }
  }
}

TEST(ServerCollations, RowsComeBack) {
  for (const char* name : kCollations) {
    SCOPED_TRACE(name);
    const ServerCollation* collation = ServerCollationByName(name);
    const std::string suffix = std::string(" ") + name;
    TestTable table({"column a varchar(12)" + suffix, "column b char(6)" + suffix,
                     "column c varchar(12) null" + suffix, "column d text(2) null" + suffix,
                     "primary 0100 a b", "index 0101 c", "index 0102 c(3) a", "index 0103 d(4) b"},
                    ServerCollationByName);
    std::mt19937 random(2);
    // Where another character sorts like a space, the end of a primary key value can be lost;
    // these characters have no such one.
    for (int i = 0; i < 100; ++i) {
      std::vector<uint8_t> record(table.descriptor().record_length);
      table.SetColumn(&record, 0, RandomValue(*collation, 12, &random));
      std::string fixed = RandomValue(*collation, 6, &random);
      const uint32_t room = table.descriptor().columns[1].pack_length;
      while (fixed.size() < room) fixed += collation->properties().space;
      table.SetColumn(&record, 1, fixed.substr(0, room));
      table.SetColumn(&record, 2, RandomValue(*collation, 12, &random));
      table.SetColumn(&record, 3, RandomValue(*collation, 30, &random));
      ExpectRoundTrip(table, record, EncodeRow(table, record.data(), 0, 0));
      if (testing::Test::HasFailure()) return;
    }
  }
}

// Looks rows up through a prefix index the way the server does: with their own first characters.
TEST(ServerCollations, PrefixSearchFindsTheRow) {
  constexpr unsigned kCharacters = 3;
  for (const char* name : kCollations) {
    for (const char* type : {"varchar(20)", "char(20)", "text(2)"}) {
      SCOPED_TRACE(std::string(name) + " " + type);
      const ServerCollation* collation = ServerCollationByName(name);
      TestTable table({"column pk int", "column a " + std::string(type) + " " + name,
                       "primary 0100 pk", "index 0101 a(3)"},
                      ServerCollationByName);
      const bool fixed = std::string(type) == "char(20)";
      const uint32_t part_bytes = kCharacters * collation->properties().bytes_per_character_max;
      std::mt19937 random(3);
      for (int i = 0; i < 200; ++i) {
        std::string value = RandomValue(*collation, 20, &random);
        std::string image = value;
        const uint32_t room = table.descriptor().columns[1].pack_length;
        while (fixed && image.size() < room) image += collation->properties().space;
        if (fixed) image.resize(room);
        std::vector<uint8_t> record(table.descriptor().record_length);
        table.SetColumn(&record, 1, image);
        const std::string key = EncodeRow(table, record.data(), 0, 0)[1].key;

        std::string tuple = FirstCharacters(*collation, fixed ? image : value, kCharacters);
        const size_t length = tuple.size();
        while (tuple.size() < part_bytes) tuple += fixed ? collation->properties().space : "\xEE";
        tuple.resize(part_bytes);
        if (!fixed) {
          tuple.insert(0, {static_cast<char>(length), static_cast<char>(length >> 8)});
        }
        std::vector<uint8_t> out(table.key(1).max_key_bytes());
        const size_t bytes = table.key(1).EncodeSearchTuple(
            reinterpret_cast<const uint8_t*>(tuple.data()), 1, out.data(), nullptr);
        const std::string search(out.begin(), out.begin() + static_cast<ptrdiff_t>(bytes));
        ASSERT_TRUE(key.starts_with(search)) << Hex(value) << "\n"
                                             << Hex(key) << "\n"
                                             << Hex(search);
      }
    }
  }
}

std::string UniquePrefixOf(const codec::KeyCodec& key, const std::vector<uint8_t>& record) {
  std::string prefix(key.max_key_bytes(), '\0');
  prefix.resize(
      codec::EncodeUniquePrefix(key, record.data(), reinterpret_cast<uint8_t*>(prefix.data())));
  return prefix;
}

std::string DeclaredBytesOf(const codec::KeyCodec& key, const std::vector<uint8_t>& record) {
  std::string bytes(key.max_key_bytes(), '\0');
  bytes.resize(key.EncodePrefix(record.data(), 1, reinterpret_cast<uint8_t*>(bytes.data())));
  return bytes;
}

// Rows conflict when SQL takes the declared characters for equal, whatever the key holds of them.
void ExpectUniquenessAsInSql(const ServerCollation& collation, const std::string& type,
                             unsigned characters) {
  const std::string name = collation.properties().name;
  const std::string part = characters == 0 ? "a" : "a(" + std::to_string(characters) + ")";
  TestTable table({"column pk int", "column a " + type + " " + name, "primary 0100 pk",
                   "index 0101 " + part + " unique"},
                  ServerCollationByName);
  const codec::KeyCodec& key = table.key(1);
  std::mt19937 random(4);
  struct Row {
    std::string declared, image, prefix, bytes, key;
  };
  std::vector<Row> rows;
  for (int i = 0; i < 150; ++i) {
    std::string value = RandomValue(collation, 5, &random);
    const std::string declared =
        characters == 0 ? value : FirstCharacters(collation, value, characters);
    const uint32_t room = table.descriptor().columns[1].pack_length;
    while (type.starts_with("char") && value.size() < room) value += collation.properties().space;
    std::vector<uint8_t> record(table.descriptor().record_length);
    table.SetColumn(&record, 1, value);
    Row row{declared, "", UniquePrefixOf(key, record), DeclaredBytesOf(key, record),
            EncodeRow(table, record.data(), 0, 0)[1].key};
    codec::EncodeUniqueImage(key, record.data(), &row.image);
    rows.push_back(row);
  }
  for (const Row& a : rows) {
    for (const Row& b : rows) {
      SCOPED_TRACE(Hex(a.declared) + " " + Hex(b.declared));
      const bool conflict = collation.Compare(a.declared, b.declared) == 0;
      ASSERT_EQ(a.image == b.image, conflict);
      if (conflict) {
        ASSERT_TRUE(b.key.starts_with(a.prefix)) << Hex(b.key) << " " << Hex(a.prefix);
      }
      if (key.UniqueIsExact()) {
        ASSERT_EQ(a.bytes == b.bytes, conflict);
      }
    }
  }
}

TEST(ServerCollations, UniquenessIsThatOfSql) {
  for (const char* name : kCollations) {
    for (const char* type : {"varchar(5)", "char(5)", "text(2)"}) {
      for (const unsigned characters : {0u, 2u, 3u}) {
        if (characters == 0 && type[0] == 't') continue;
        SCOPED_TRACE(std::string(name) + " " + type + " " + std::to_string(characters));
        ExpectUniquenessAsInSql(*ServerCollationByName(name), type, characters);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

// The weights are made behind the place of the key, in the room that the codec says it needs.
TEST(ServerCollations, FullColumnsStayInTheirRoom) {
  constexpr size_t kGuard = 64;
  std::vector<const char*> names(std::begin(kCollations), std::end(kCollations));
  names.insert(names.end(), {"utf8mb4_nopad_bin", "utf16_nopad_bin", "utf8mb4_unicode_nopad_ci",
                             "utf8mb4_uca1400_as_cs", "latin2_czech_cs", "cp1250_czech_cs"});
  for (const char* name : names) {
    for (const unsigned characters : {40u, 768u}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(characters));
      const std::string count = "(" + std::to_string(characters) + ") " + name;
      TestTable table({"column pk int", "column a varchar" + count, "column b char" + count,
                       "primary 0100 pk", "index 0101 a version=new", "index 0102 -b version=new"},
                      ServerCollationByName);
      for (const my_wc_t character : {0x61, 0xE9, 0x4E00, 0x1F600}) {
        const std::string one = Character(ServerCollationByName(name)->charset(), character);
        std::string value;
        for (unsigned i = 0; i < characters; ++i) value += one;
        std::vector<uint8_t> record(table.descriptor().record_length);
        table.SetColumn(&record, 1, value);
        value.resize(table.descriptor().columns[2].pack_length, ' ');
        table.SetColumn(&record, 2, value);
        for (const unsigned index : {1u, 2u}) {
          const size_t room = table.key(index).max_key_bytes();
          std::vector<uint8_t> out(room + kGuard, 0xA5);
          table.key(index).EncodeKey(record.data(), 0, out.data(), nullptr, nullptr);
          ASSERT_EQ(std::vector<uint8_t>(out.begin() + static_cast<ptrdiff_t>(room), out.end()),
                    std::vector<uint8_t>(kGuard, 0xA5));
        }
      }
    }
  }
}

}  // namespace
}  // namespace basalt::test
