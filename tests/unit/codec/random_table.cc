// SPDX-License-Identifier: GPL-2.0-only
#include "unit/codec/random_table.h"

#include <set>

#include "unit/codec/fake_collation.h"

namespace basalt::test {

using codec::Column;
using codec::ColumnKind;

namespace {

constexpr const char* kTypes[] = {"tinyint",
                                  "smallint unsigned",
                                  "mediumint",
                                  "int",
                                  "int unsigned",
                                  "bigint",
                                  "bigint unsigned",
                                  "float",
                                  "double",
                                  "decimal(5)",
                                  "date",
                                  "temporal(5)",
                                  "year",
                                  "olddatetime",
                                  "oldtimestamp",
                                  "oldtime",
                                  "oldhires(7)",
                                  "oldtimehires(4)",
                                  "bit(2)",
                                  "enum(1)",
                                  "enum(2)",
                                  "set(1)",
                                  "set(3)",
                                  "set(8)",
                                  "uuid",
                                  "inet4",
                                  "char(5) latin1_bin",
                                  "char(9) letters_ci",
                                  "char(6) utf8mb3_bin",
                                  "char(4) three_byte",
                                  "char(4) two_level",
                                  "char(5) latin2_bin",
                                  "char(6) spaces_ci",
                                  "binary(6)",
                                  "varbinary(20)",
                                  "varbinary(300)",
                                  "varchar(20) latin1_bin",
                                  "varchar(300) latin1_bin",
                                  "varchar(20) letters_ci",
                                  "varchar(300) letters_ci",
                                  "varchar(17) utf8mb3_bin",
                                  "varchar(100) utf8mb3_bin",
                                  "varchar(20) three_byte",
                                  "varchar(90) three_byte",
                                  "varchar(10) two_level",
                                  "varchar(30) spaces_ci",
                                  "varchar(20) latin2_bin",
                                  "varchar(30) expanding_ci",
                                  "blob(1)",
                                  "blob(2)",
                                  "text(3) latin1_bin",
                                  "text(2) three_byte",
                                  "text(4) letters_ci"};

// Only in indexes of version 14.
constexpr const char* kNewestTypes[] = {
    "char(5) latin2_nopad_bin",     "varchar(20) latin2_nopad_bin",  "char(6) letters_nopad_ci",
    "varchar(30) letters_nopad_ci", "varchar(300) letters_nopad_ci", "varchar(9) two_level_nopad",
    "char(7) two_level_nopad",      "text(2) letters_nopad_ci"};

bool MustBePrefix(const std::string& type) {
  return type.starts_with("blob") || type.starts_with("text");
}

bool MayBePrefix(const std::string& type) {
  return MustBePrefix(type) || type.starts_with("var") || type.starts_with("char") ||
         type.starts_with("binary");
}

}  // namespace

RandomTable::RandomTable(std::function<uint32_t()> numbers) : numbers_(std::move(numbers)) {
  std::vector<std::string> lines;
  std::vector<std::string> types;
  const uint32_t columns = 1 + Below(12);
  std::vector<bool> nullable;
  newest_ = Below(2) == 0;
  for (uint32_t i = 0; i < columns; ++i) {
    types.emplace_back(newest_ && Below(5) == 0 ? kNewestTypes[Below(std::size(kNewestTypes))]
                                                : kTypes[Below(std::size(kTypes))]);
    nullable.push_back(Below(2) == 0);
    lines.push_back("column c" + std::to_string(i) + " " + types[i] + (nullable[i] ? " null" : ""));
  }
  const auto parts = [&](bool primary) {
    std::string text;
    std::set<uint32_t> used;
    for (uint32_t i = 0, n = 1 + Below(4); i < n; ++i) {
      const uint32_t c = Below(columns);
      const bool loses = !newest_ && types[c].ends_with("spaces_ci");
      if ((primary && (nullable[c] || loses)) || !used.insert(c).second) continue;
      text += newest_ && Below(3) == 0 ? " -c" : " c";
      text += std::to_string(c);
      if (MustBePrefix(types[c]) || (MayBePrefix(types[c]) && Below(3) == 0)) {
        text += "(" + std::to_string(1 + Below(4)) + ")";
      }
    }
    return text;
  };
  const std::string suffix = Below(4) == 0 ? " ttl" : "";
  const std::string version = newest_         ? Below(3) == 0 ? " version=14" : " version=new"
                              : Below(4) == 0 ? " version=11"
                                              : "";
  const std::string primary = parts(true);
  if (!primary.empty()) lines.push_back("primary 0100" + primary + suffix + version);
  for (uint32_t i = 0, n = Below(4); i < n; ++i) {
    lines.push_back("index 0" + std::to_string(200 + i) + parts(false) + suffix + version);
  }
  if (primary.empty()) lines.push_back("hidden 0900" + suffix + version);
  if (newest_ && Below(3) == 0) {
    lines.push_back("column shape blob(4)");
    lines.push_back("index 0300 shape(32) spatial" + suffix +
                    (version == " version=14" ? " version=15" : version));
    has_shape_ = true;
  }
  for (const std::string& line : lines) text_ += line + "\n";
  table_ = std::make_unique<TestTable>(lines, FakeCollationByName);
}

// A point or a line of any numbers, a collection of nothing, and now and then what is none.
std::string RandomTable::RandomShape() {
  const uint32_t type = 1 + Below(7);
  const uint32_t points = type == 1 ? 1 : Below(4);
  std::string shape(4, '\0');
  shape.push_back(1);
  shape.append(reinterpret_cast<const char*>(&type), sizeof(type));
  if (type != 1) shape.append(reinterpret_cast<const char*>(&points), sizeof(points));
  for (uint32_t i = 0; i < points * 16; ++i) {
    // all exponents of doubles, and whole numbers
    shape.push_back(static_cast<char>(i % 8 < 6 && Below(2) == 0 ? 0 : Below(256)));
  }
  return shape;
}

// Short values, many spaces, and few different characters, so that the corners are hit.
std::string RandomTable::RandomData(size_t position) {
  const Column& column = table_->descriptor().columns[position];
  if (has_shape_ && position + 1 == table_->descriptor().columns.size()) return RandomShape();
  const bool text = column.kind == ColumnKind::kChar || column.kind == ColumnKind::kVarchar ||
                    column.kind == ColumnKind::kText;
  if (column.length_bytes == 0 && !text && column.kind != ColumnKind::kBinary) {
    std::string image;
    const bool zero = Below(8) == 0;
    for (uint32_t i = 0; i < column.pack_length; ++i) {
      image.push_back(static_cast<char>(zero ? 0 : Below(256)));
    }
    return image;
  }
  const bool unicode = text && column.collation->properties().id == codec::kCollationUtf8mb3Bin;
  const uint32_t width = text ? column.collation->properties().bytes_per_character_max : 1;
  uint32_t most = codec::IsBlob(column.kind) ? 60 : column.field_length / width;
  if (most > 40 && Below(4) != 0) most = 40;
  std::string data;
  for (uint32_t i = 0, n = Below(most + 1); i < n; ++i) {
    static constexpr char kCharacters[] = "aAbB zZ\t   09\xC1\xE1\xFE\xA0";
    const char c = kCharacters[Below(sizeof(kCharacters) - 1)];
    if (!unicode || static_cast<uint8_t>(c) < 0x80) {
      data.push_back(c);
    } else {
      data += Below(2) == 0 ? "\xC3\xA9" : "\xE2\x82\xAC";
    }
  }
  return data;
}

std::vector<uint8_t> RandomTable::RandomRow() {
  std::vector<uint8_t> record(table_->descriptor().record_length);
  for (size_t i = 0; i < table_->descriptor().columns.size(); ++i) {
    if (table_->descriptor().columns[i].nullable && Below(3) == 0) {
      table_->SetNull(&record, i);
      continue;
    }
    std::string data = RandomData(i);
    const ColumnKind kind = table_->descriptor().columns[i].kind;
    // -0.0 comes back as 0.0, but in version 14 of a FLOAT.
    if (kind == ColumnKind::kFloat || kind == ColumnKind::kDouble) {
      data.back() &= 0x3F;
      if (newest_ && kind == ColumnKind::kFloat && Below(2) == 0) {
        data.back() |= static_cast<char>(0x80);
      }
    }
    table_->SetColumn(&record, i, data);
  }
  return record;
}

}  // namespace basalt::test
