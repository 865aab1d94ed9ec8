// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/dictionary_records.h"
#include "catalog/foreign_key_record.h"

#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basalt::catalog {
namespace {

using ::testing::HasSubstr;

std::string FromHexadecimal(const std::string& text) {
  std::string digits;
  for (const char c : text) {
    if (c != ' ') digits.push_back(c);
  }
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string Trim(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// The describers decode one kind of record; they give its meaning in words, and its bytes as they
// would be written today.
Status DescribeTable(Bytes key, Bytes value, std::ostringstream* out, std::string* written) {
  std::vector<IndexId> ids;
  BASALT_RETURN_IF_ERROR(DecodeTable(key, value, &ids));
  *out << "table";
  std::vector<IndexRecord> indexes;
  for (const IndexId id : ids) {
    *out << ' ' << id.column_family << '/' << id.number;
    indexes.emplace_back().id = id;
  }
  *written = EncodeTable(indexes);
  return {};
}

Status DescribeIndex(Bytes key, Bytes value, std::ostringstream* out, std::string* written) {
  IndexRecord index;
  BASALT_RETURN_IF_ERROR(DecodeIndexKey(key, &index.id));
  BASALT_RETURN_IF_ERROR(DecodeIndex(key, value, &index));
  *out << "index " << index.id.column_family << '/' << index.id.number << " kind "
       << static_cast<int>(index.kind) << " format " << index.key_value_format_version << " flags "
       << index.flags << " ttl " << index.ttl_seconds;
  if (!index.row_layout.empty()) *out << " layout " << index.row_layout.size();
  if (!index.word_rules.empty()) *out << " rules " << index.word_rules.size();
  *written = EncodeIndex(index);
  return {};
}

Status DescribeColumnFamily(Bytes key, Bytes value, std::ostringstream* out, std::string* written) {
  uint32_t id = 0;
  uint32_t flags = 0;
  BASALT_RETURN_IF_ERROR(DecodeColumnFamilyKey(key, &id));
  BASALT_RETURN_IF_ERROR(DecodeColumnFamily(key, value, &flags));
  *out << "family " << id << " flags " << flags;
  *written = EncodeColumnFamily(flags);
  return {};
}

Status DescribeJob(Bytes key, Bytes value, std::ostringstream* out, std::string* written) {
  IngestJob job;
  BASALT_RETURN_IF_ERROR(DecodeIngestJob(key, value, &job));
  *out << "job " << job.number;
  for (const auto& file : job.files) *out << ' ' << file.column_family << ':' << file.name;
  *written = EncodeIngestJob(job);
  return {};
}

Status DescribeDefinition(Bytes key, Bytes value, std::ostringstream* out, std::string* written) {
  TableDefinition definition;
  BASALT_RETURN_IF_ERROR(DecodeTableDefinition(key, value, &definition));
  *out << "definition of " << key.substr(4) << ", primary " << definition.primary_number
       << ", identity " << definition.identity.size() << ", frm " << definition.frm.size()
       << ", par " << definition.par.size();
  *written = EncodeTableDefinition(definition);
  return {};
}

Status DescribeForeignKeys(Bytes key, Bytes value, std::ostringstream* out, std::string* written) {
  ForeignKeySet set;
  BASALT_RETURN_IF_ERROR(DecodeForeignKeys(key, value, &set));
  *out << "foreign keys of " << key.substr(4) << ", primary " << set.primary_number;
  for (const ForeignKey& foreign : set.keys) {
    *out << ", " << foreign.name << " to " << foreign.parent;
    for (const auto& [child, parent] : foreign.columns) *out << ' ' << child << '=' << parent;
    *out << " delete " << static_cast<int>(foreign.on_delete) << " update "
         << static_cast<int>(foreign.on_update);
  }
  EXPECT_TRUE(CheckForeignKeys(set).ok());
  *written = EncodeForeignKeys(set);
  return {};
}

// Records that hold one number.
template <typename Number>
Status DescribeNumber(Status (*decode)(Bytes, Bytes, Number*), std::string (*encode)(Number),
                      const char* name, Bytes key, Bytes value, std::ostringstream* out,
                      std::string* written) {
  Number number = 0;
  BASALT_RETURN_IF_ERROR(decode(key, value, &number));
  *out << name << ' ' << number;
  *written = encode(number);
  return {};
}

Status Describe(Bytes key, Bytes value, std::ostringstream* out, std::string* written) {
  RecordType type;
  if (!ReadRecordType(key, &type)) return Status(Code::kInternal, "no type");
  switch (type) {
    case RecordType::kTable:
      return DescribeTable(key, value, out, written);
    case RecordType::kIndex:
      return DescribeIndex(key, value, out, written);
    case RecordType::kColumnFamily:
      return DescribeColumnFamily(key, value, out, written);
    case RecordType::kMaximumIndexNumber:
      return DescribeNumber(DecodeMaximumIndexNumber, EncodeMaximumIndexNumber, "maximum", key,
                            value, out, written);
    case RecordType::kAutoIncrement:
      return DescribeNumber(DecodeAutoIncrement, EncodeAutoIncrement, "next", key, value, out,
                            written);
    case RecordType::kTableVersion:
      return DescribeNumber(DecodeTableVersion, EncodeTableVersion, "version", key, value, out,
                            written);
    case RecordType::kIngestJob:
      return DescribeJob(key, value, out, written);
    case RecordType::kTableDefinition:
      return DescribeDefinition(key, value, out, written);
    case RecordType::kForeignKeys:
      return DescribeForeignKeys(key, value, out, written);
    case RecordType::kVersionIds:
      return DescribeNumber(DecodeVersionIds, EncodeVersionIds, "next id", key, value, out,
                            written);
    default:
      return Status(Code::kInternal, "the test does not know this type");
  }
}

struct Line {
  char kind;
  std::string key, value, meaning, text;
};

std::vector<Line> ReadLines() {
  std::ifstream file(std::string(BASALT_TEST_DATA_DIR) + "/records.txt");
  std::vector<Line> lines;
  std::string text;
  while (std::getline(file, text)) {
    if (text.empty() || text[0] == '#') continue;
    const size_t first = text.find(':');
    const size_t second = text.find(':', first + 1);
    lines.push_back({text[0], FromHexadecimal(text.substr(1, first - 1)),
                     FromHexadecimal(text.substr(first + 1, second - first - 1)),
                     Trim(text.substr(second + 1)), text});
  }
  return lines;
}

TEST(DictionaryRecords, GoldenBytes) {
  const auto lines = ReadLines();
  ASSERT_GT(lines.size(), 40u);
  for (const Line& line : lines) {
    SCOPED_TRACE(line.text);
    std::ostringstream meaning;
    std::string written;
    const Status status = Describe(line.key, line.value, &meaning, &written);
    if (line.kind == '!') {
      EXPECT_EQ(status.code(), Code::kCorruption);
      EXPECT_THAT(std::string(status.message()), HasSubstr(line.meaning));
      EXPECT_THAT(std::string(status.message()), HasSubstr("dictionary record of type"));
      continue;
    }
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(meaning.str(), line.meaning);
    EXPECT_EQ(written == line.value, line.kind == '=');
  }
}

TEST(DictionaryRecords, KeysHaveTheBytesOfTheFormat) {
  EXPECT_EQ(TableKey("d.t_int"), FromHexadecimal("00000001 642e745f696e74"));
  EXPECT_EQ(IndexKey(RecordType::kIndexBuild, {0, 470}),
            FromHexadecimal("00000008 00000000 000001d6"));
  EXPECT_EQ(ColumnFamilyKey(3), FromHexadecimal("00000003 00000003"));
  EXPECT_EQ(TypeKey(RecordType::kMaximumIndexNumber), FromHexadecimal("00000007"));
  EXPECT_EQ(TableVersionKey("./p/p_alter"),
            FromHexadecimal("00000014 4d6172696144423a7461626c652d76657273696f6e3a "
                            "2e2f702f705f616c746572"));
  EXPECT_EQ(TableDefinitionKey("d.t"), FromHexadecimal("40000002 642e74"));
  EXPECT_EQ(TableDefinitionKey(WholeOf("d.t#P#p0")), FromHexadecimal("40000002 642e74235023"));
  EXPECT_EQ(ForeignKeysKey("d.t"), FromHexadecimal("40000003 642e74"));
  EXPECT_EQ(EncodeMarker(), FromHexadecimal("0001"));
  RecordType type;
  EXPECT_FALSE(ReadRecordType(Bytes("\0\0\1", 3), &type));
}

// Damaged bytes give an answer, whatever it is, and no access outside of them; the sanitizers of
// the test build watch.
TEST(DictionaryRecords, DamagedBytesDoNoHarm) {
  std::mt19937 random(7);
  for (const Line& line : ReadLines()) {
    for (int i = 0; i < 2000; ++i) {
      // Exact copies on the heap, so that a read past the end is seen.
      std::vector<char> key(line.key.begin(), line.key.end());
      std::vector<char> value(line.value.begin(), line.value.end());
      if (!value.empty()) value[random() % value.size()] = static_cast<char>(random());
      if (random() % 2 == 0) value.resize(random() % (value.size() + 1));
      if (random() % 4 == 0) key.resize(4 + random() % (key.size() - 3));
      std::ostringstream meaning;
      std::string written;
      (void)Describe(Bytes(key.data(), key.size()), Bytes(value.data(), value.size()), &meaning,
                     &written)
          .ok();
    }
  }
}

TEST(TableNames, ComeFromPaths) {
  std::string name;
  ASSERT_TRUE(TableNameOfPath("./d/t@002dodd@0020@0p", &name).ok());
  EXPECT_EQ(name, "d.t@002dodd@0020@0p");
  ASSERT_TRUE(TableNameOfPath("./d/t#P#p0#SP#p0sp0", &name).ok());
  EXPECT_EQ(name, "d.t#P#p0#SP#p0sp0");
  EXPECT_TRUE(IsPartitionName(name));
  EXPECT_FALSE(IsPartitionName("d.t"));
  EXPECT_EQ(VersionPathOfTable(name), "./d/t");
  EXPECT_EQ(VersionPathOfTable("d.t.x"), "./d/t.x");
  for (const char* bad : {"", "./", "./d", "./d/", "/t", "./d/t/u"}) {
    EXPECT_EQ(TableNameOfPath(bad, &name).code(), Code::kInvalidArgument) << bad;
  }
}

}  // namespace
}  // namespace basalt::catalog
