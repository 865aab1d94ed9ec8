// SPDX-License-Identifier: GPL-2.0-only
#include "codec/key_codec.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/checksum_chunk.h"
#include "codec/key_decoder.h"
#include "codec/row_decoder.h"
#include "codec/unique_image.h"
#include "unit/codec/checksum_writer.h"
#include "unit/codec/fake_collation.h"
#include "unit/codec/test_table.h"

namespace basalt::codec {
namespace {

using test::EncodedEntry;
using test::FakeCollationByName;
using test::Hex;
using test::TestTable;
using test::Unhex;

std::vector<std::string> Columns(const TestTable& table, size_t index) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < table.key(index).total_parts(); ++i) {
    const uint32_t column = table.key(index).PartColumn(i);
    names.push_back(column == kNoColumn ? "(hidden)" : table.column_name(column));
  }
  return names;
}

std::string Search(const TestTable& table, size_t index, const std::string& tuple_hex,
                   unsigned parts, unsigned* done) {
  const std::string tuple = Unhex(tuple_hex);
  std::vector<uint8_t> out(table.key(index).max_key_bytes());
  const size_t bytes = table.key(index).EncodeSearchTuple(
      reinterpret_cast<const uint8_t*>(tuple.data()), parts, out.data(), done);
  return Hex(std::string(out.begin(), out.begin() + static_cast<ptrdiff_t>(bytes)));
}

TEST(KeyCodec, PartsOfSecondaryKeys) {
  const TestTable table(
      {"column a varchar(10) latin1_bin", "column b int", "column c int", "primary 0100 a(3) b",
       "index 0101 c", "index 0102 b c", "index 0103 a a(3)", "index 0104 a(3)"},
      FakeCollationByName);
  using Names = std::vector<std::string>;
  EXPECT_EQ(Columns(table, 1), (Names{"c", "a", "b"}));
  EXPECT_EQ(Columns(table, 2), (Names{"b", "c", "a"}));
  EXPECT_EQ(Columns(table, 3), (Names{"a", "a", "b"}));
  EXPECT_EQ(Columns(table, 4), (Names{"a", "b"}));
  EXPECT_EQ(table.key(1).user_parts(), 1u);
}

TEST(KeyCodec, SearchTuplesGiveTheKeysOfRows) {
  TestTable table({"column a int null", "column b varchar(5) letters_ci", "column c double",
                   "column d char(3) three_byte", "hidden 0900", "index 0101 a b c d"},
                  FakeCollationByName);
  const std::vector<uint8_t> record = table.Record("-2, 'aB ', 1.5, 'x'");
  std::vector<uint8_t> key(table.key(1).max_key_bytes());
  const size_t bytes = table.key(1).EncodePrefix(record.data(), 4, key.data());
  // NULL byte and INT; length, room for 5 characters; DOUBLE; 3 characters of 4 bytes.
  const std::string tuple =
      "00feffffff"
      "0300614220"
      "0000"
      "000000000000f83f"
      "782020202020202020202020";
  unsigned done;
  EXPECT_EQ(Search(table, 1, tuple, 4, &done),
            Hex(std::string(key.begin(), key.begin() + static_cast<ptrdiff_t>(bytes))));
  EXPECT_EQ(done, 4u);
  EXPECT_EQ(Search(table, 1, "01ffffffff", 1, &done),
            "00000101"
            "00");
  EXPECT_EQ(table.key(1).PartsInSearchTuple(12), 2u);
  EXPECT_EQ(table.key(1).PartsInSearchTuple(19), 2u);
  EXPECT_EQ(table.key(1).PartsInSearchTuple(tuple.size() / 2), 4u);
}

// The key of a BLOB prefix ends with the length of the value, which a search value cannot know.
TEST(KeyCodec, SearchForABlobPrefixEndsBeforeItsLength) {
  TestTable table({"column a int", "column b blob(2)", "primary 0100 a", "index 0101 b(5) a"},
                  FakeCollationByName);
  unsigned done;
  EXPECT_EQ(Search(table, 1,
                   "05006162636465"
                   "01000000",
                   2, &done),
            "00000101"
            "6162636465");
  EXPECT_EQ(done, 0u);
}

TEST(KeyCodec, SearchForATextPrefixEndsWithItsCharacters) {
  TestTable table({"column a int", "column t text(2) three_byte", "column u text(2) letters_ci",
                   "primary 0100 a", "index 0101 t(2)", "index 0102 u(2) a"},
                  FakeCollationByName);
  const std::vector<uint8_t> record = table.Record("1, 'xyz', 'xyz'");
  const std::vector<EncodedEntry> entries = test::EncodeRow(table, record.data(), 0, 0);
  EXPECT_EQ(Hex(entries[1].key),
            "00000101"
            "0000780000790000"
            "80000001");
  unsigned done;
  EXPECT_EQ(Search(table, 1, "020078790000000000000000", 1, &done),
            "00000101"
            "000078000079");
  EXPECT_EQ(done, 0u);
  EXPECT_EQ(Search(table, 2,
                   "02007879"
                   "01000000",
                   2, &done),
            "00000102"
            "5859"
            "80000001");
  EXPECT_EQ(done, 2u);
}

// The length in the key of a BLOB prefix does not make rows different, zeros do.
TEST(KeyCodec, UniquenessOfABlobPrefix) {
  TestTable table({"column a int", "column b blob(2)", "column c varbinary(5)", "primary 0100 a",
                   "index 0101 c b(3) unique", "index 0102 c unique"},
                  FakeCollationByName);
  EXPECT_FALSE(table.key(1).UniqueIsExact());
  EXPECT_FALSE(table.key(1).SearchIsWhole());
  EXPECT_TRUE(table.key(2).UniqueIsExact());
  EXPECT_TRUE(table.key(2).SearchIsWhole());
  const auto image = [&table](const std::string& literals) {
    const std::vector<uint8_t> record = table.Record(literals);
    std::string bytes;
    EncodeUniqueImage(table.key(1), record.data(), &bytes);
    return bytes;
  };
  EXPECT_EQ(image("1, x'010203', x'01'"), image("2, x'01020304', x'01'"));
  EXPECT_NE(image("1, x'0102', x'01'"), image("1, x'010200', x'01'"));
  EXPECT_NE(image("1, x'02', x'01'"), image("1, x'', x'0102'"));
  const std::vector<uint8_t> record = table.Record("1, x'01', 'x'");
  std::vector<uint8_t> prefix(table.key(1).max_key_bytes());
  const size_t bytes = EncodeUniquePrefix(table.key(1), record.data(), prefix.data());
  EXPECT_EQ(Hex(std::string(prefix.begin(), prefix.begin() + static_cast<ptrdiff_t>(bytes))),
            "00000101"
            "780000000000000001"
            "010000");
}

TEST(KeyCodec, ExtractsPrimaryKeysFromTheirLastOccurrence) {
  TestTable table({"column a varchar(10) latin1_bin", "column b int null", "primary 0100 a(3)",
                   "index 0101 b a", "index 0102 b"},
                  FakeCollationByName);
  const std::vector<uint8_t> record = table.Record("'abcdef', NULL");
  const std::vector<EncodedEntry> entries = test::EncodeRow(table, record.data(), 0, 0);
  for (const size_t index : {1, 2}) {
    std::vector<uint8_t> row_key(table.primary().max_key_bytes());
    const size_t bytes = table.key(index).ExtractPrimaryKey(entries[index].key, row_key.data());
    EXPECT_EQ(MakeBytes(row_key.data(), bytes), entries[0].key);
    std::string other = entries[index].key;
    other[3] = 9;
    EXPECT_EQ(table.key(index).ExtractPrimaryKey(other, row_key.data()), 0u);
    other = entries[index].key.substr(0, 7);
    EXPECT_EQ(table.key(index).ExtractPrimaryKey(other, row_key.data()), 0u);
  }
}

TEST(KeyCodec, NullInAUniqueKey) {
  TestTable table({"column a int", "column b int null", "column c int null", "primary 0100 a",
                   "index 0101 b c unique"},
                  FakeCollationByName);
  for (const auto& [row, has_null] : {std::pair("1, 2, 3", false), std::pair("1, 2, NULL", true)}) {
    const std::vector<uint8_t> record = table.Record(row);
    const std::vector<EncodedEntry> entries = test::EncodeRow(table, record.data(), 0, 0);
    EXPECT_EQ(table.key(1).UserPartsHaveNull(record.data()), has_null);
    EXPECT_EQ(table.key(1).UserPartsHaveNull(Bytes(entries[1].key)), has_null);
  }
}

TEST(KeyCodec, CoversWhatItCanDecode) {
  const TestTable table(
      {"column a int", "column b varchar(5) letters_ci", "column c varchar(5) three_byte",
       "column d int", "primary 0100 a", "index 0101 b c"},
      FakeCollationByName);
  ColumnSet wanted(4);
  EXPECT_TRUE(table.key(1).Covers(wanted));
  wanted.Add(0);
  wanted.Add(1);
  EXPECT_TRUE(table.key(1).Covers(wanted));
  wanted.Add(2);
  EXPECT_FALSE(table.key(1).Covers(wanted));
  EXPECT_TRUE(table.key(0).Covers(wanted));
}

// A character that sorts like a space can be lost at the end of a value, so the row is read.
TEST(KeyCodec, DoesNotDecodeWhatCouldBeWrong) {
  const TestTable table({"column a int", "column b varchar(9) spaces_ci",
                         "column c varchar(9) letters_ci", "primary 0100 a", "index 0101 c b c(9)"},
                        FakeCollationByName);
  EXPECT_TRUE(table.key(1).IsPartDecodable(0));
  EXPECT_FALSE(table.key(1).IsPartDecodable(1));
  EXPECT_FALSE(table.key(1).IsPartDecodable(2));
  EXPECT_TRUE(table.key(1).IsPartDecodable(3));
}

TEST(KeyCodec, HiddenIds) {
  TestTable table({"column a int null", "index 0101 a", "hidden 0102"}, FakeCollationByName);
  const std::vector<uint8_t> record = table.Record("5");
  for (const EncodedEntry& entry : test::EncodeRow(table, record.data(), 77, 0)) {
    EXPECT_EQ(HiddenIdOf(entry.key), 77u);
  }
  EXPECT_EQ(HiddenIdOf(Bytes("short")), 0u);
}

TEST(KeyCodec, EndsOfParts) {
  TestTable table({"column a int", "column b int null", "primary 0100 a", "index 0101 b"},
                  FakeCollationByName);
  const std::vector<uint8_t> record = table.Record("1, 2");
  const std::string key = test::EncodeRow(table, record.data(), 0, 0)[1].key;
  uint32_t ends[4];
  ASSERT_EQ(table.key(1).PartEnds(key, 4, ends), 2u);
  EXPECT_EQ(ends[0], 9u);
  EXPECT_EQ(ends[1], 13u);
  EXPECT_EQ(table.key(1).PartEnds(key.substr(0, 12), 4, ends), 1u);
}

Status CompileStatus(const TableDescriptor& table) {
  std::unique_ptr<KeyCodec> codec;
  return KeyCodec::Compile(table, 0, &codec);
}

TEST(KeyCodec, RefusesWhatItDoesNotKnow) {
  const TestTable table({"column a int", "column b int null", "primary 0100 a"},
                        FakeCollationByName);
  TableDescriptor changed = table.descriptor();
  changed.indexes[0].kv_format_version = 15;
  EXPECT_EQ(CompileStatus(changed).code(), Code::kNotSupported);
  changed.indexes[0].kv_format_version = 9;
  EXPECT_EQ(CompileStatus(changed).code(), Code::kNotSupported);
  changed = table.descriptor();
  changed.indexes[0].parts[0].column = 1;
  EXPECT_EQ(CompileStatus(changed).code(), Code::kInvalidArgument);  // NULL in a primary key
  changed.indexes[0].parts[0].column = 2;
  EXPECT_EQ(CompileStatus(changed).code(), Code::kInvalidArgument);
  changed = table.descriptor();
  changed.columns[0].stored = false;
  EXPECT_EQ(CompileStatus(changed).code(), Code::kInvalidArgument);  // virtual in a primary key
  changed = table.descriptor();
  changed.columns[0].offset = 1000;
  EXPECT_EQ(CompileStatus(changed).code(), Code::kInvalidArgument);
  changed = table.descriptor();
  changed.columns[0].pack_length = 5;
  EXPECT_EQ(CompileStatus(changed).code(), Code::kInvalidArgument);
}

TEST(RowCodec, VirtualColumnsAreNotStored) {
  TestTable table(
      {"column a int", "column v int virtual null", "column b int null", "primary 0100 a"},
      FakeCollationByName);
  const std::vector<uint8_t> record = table.Record("1, 2, NULL");
  const EncodedEntry row = test::EncodeRow(table, record.data(), 0, 0)[0];
  EXPECT_EQ(Hex(row.value), "01");  // the first nullable column that is stored
}

TEST(RowCodec, NullTakesTheBytesOfTheDefaultRecord) {
  TestTable source({"column a int", "column b int null", "primary 0100 a"}, FakeCollationByName);
  TableDescriptor table = source.descriptor();
  const std::vector<uint8_t> defaults = source.Record("0, 1234");
  table.default_record.assign(defaults.begin(), defaults.end());
  const EncodedEntry row = test::EncodeRow(source, source.Record("1, NULL").data(), 0, 0)[0];
  RowDecoder decoder;
  decoder.Compile(table, source.primary(), source.rows(), ColumnSet::All(2));
  std::vector<uint8_t> record(table.record_length, 0xFF);
  ASSERT_TRUE(decoder.Decode(row.key, row.value, record.data()));
  EXPECT_TRUE(table.columns[1].IsNull(record.data()));
  EXPECT_EQ(record[table.columns[1].offset], 1234 & 0xFF);
}

// Vectors of zlib and of the stock plugin.
TEST(ChecksumChunk, KnownValues) {
  EXPECT_EQ(Crc32(""), 0u);
  EXPECT_EQ(Crc32("123456789"), 0xCBF43926u);
  std::string row = Unhex("00026162");
  test::AppendChecksumChunk(Unhex("0000016e80000001"), &row);
  EXPECT_EQ(Hex(row),
            "00026162"
            "011222434dfd9a51e0");
  EXPECT_EQ(VerifyChecksumChunk(Unhex("0000016e80000001"), row), ChecksumState::kMatches);
  EXPECT_EQ(VerifyChecksumChunk(Unhex("0000016e80000002"), row), ChecksumState::kKeyDiffers);
  row[1] = 9;
  EXPECT_EQ(VerifyChecksumChunk(Unhex("0000016e80000001"), row), ChecksumState::kValueDiffers);
}

TEST(KeyDecoder, SecondaryEntryWithTimestampAndChecksum) {
  TestTable table({"column a int", "column b varchar(5) letters_ci null", "primary 0100 a ttl",
                   "index 0101 b ttl"},
                  FakeCollationByName);
  const std::vector<uint8_t> record = table.Record("1, 'aB'");
  EncodedEntry entry = test::EncodeRow(table, record.data(), 0, 99)[1];
  test::AppendChecksumChunk(entry.key, &entry.value);
  KeyDecoder decoder;
  decoder.Compile(table.descriptor(), table.key(1), ColumnSet::All(2));
  std::vector<uint8_t> decoded(record.size());
  ASSERT_TRUE(decoder.Decode(entry.key, entry.value, decoded.data()));
  EXPECT_EQ(table.Show(decoded.data(), 1), "aB");
  uint64_t ttl;
  ASSERT_TRUE(ReadTtl(entry.value, &ttl));
  EXPECT_EQ(ttl, 99u);
  size_t bytes;
  ASSERT_TRUE(table.key(1).UnpackContentBytes(entry.key, Bytes(entry.value).substr(11), &bytes));
  EXPECT_EQ(bytes, entry.value.size() - 8 - 3 - kChecksumChunkBytes);
}

}  // namespace
}  // namespace basalt::codec
