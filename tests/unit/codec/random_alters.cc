// SPDX-License-Identifier: GPL-2.0-only
#include "unit/codec/random_alters.h"

#include <stdexcept>
#include <utility>

#include "unit/codec/fake_collation.h"

namespace basalt::test {
namespace {

enum class Content : uint8_t { kSigned, kUnsigned, kFixed, kText };

struct Type {
  const char* words;
  Content content;
  uint32_t bytes;          // of the image, or the most of the data
  const char* wider = "";  // what it may become
};

constexpr Type kTypes[] = {
    {"tinyint", Content::kSigned, 1, "smallint"},
    {"smallint", Content::kSigned, 2, "int"},
    {"mediumint", Content::kSigned, 3, "bigint"},
    {"int", Content::kSigned, 4, "bigint"},
    {"bigint", Content::kSigned, 8},
    {"tinyint unsigned", Content::kUnsigned, 1, "smallint"},
    {"smallint unsigned", Content::kUnsigned, 2, "int unsigned"},
    {"int unsigned", Content::kUnsigned, 4, "bigint"},
    {"enum(1)", Content::kUnsigned, 1, "enum(2)"},
    {"enum(2)", Content::kUnsigned, 2},
    {"set(1)", Content::kUnsigned, 1, "set(3)"},
    {"set(3)", Content::kUnsigned, 3, "set(8)"},
    {"set(8)", Content::kUnsigned, 8},
    {"double", Content::kFixed, 8},
    {"decimal(5)", Content::kFixed, 5},
    {"temporal(5)", Content::kFixed, 5},
    {"binary(6)", Content::kFixed, 6},
    {"char(5) latin1_bin", Content::kFixed, 5},
    {"varchar(20) latin1_bin", Content::kText, 20, "varchar(300) latin1_bin"},
    {"varchar(300) latin1_bin", Content::kText, 40, "varchar(400) latin1_bin"},
    {"varchar(400) latin1_bin", Content::kText, 300},
    {"varbinary(9)", Content::kText, 9, "varbinary(500)"},
    {"varbinary(500)", Content::kText, 500},
    {"blob(1)", Content::kText, 60, "blob(2)"},
    {"blob(2)", Content::kText, 300, "blob(4)"},
    {"blob(4)", Content::kText, 300},
    {"text(3) latin1_bin", Content::kText, 60},
};

size_t TypeNamed(const std::string& words) {
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    if (words == kTypes[i].words) return i;
  }
  throw std::runtime_error("no type " + words);
}

bool IsInKey(const std::string& name) { return name[0] == 'k'; }

// What a value of one type looks like in another that it was widened to.
std::string Widened(const Type& from, const Type& to, const std::string& value) {
  if (value == "NULL" || from.content == Content::kFixed || from.content == Content::kText) {
    return value;
  }
  const bool negative = from.content == Content::kSigned && (value.back() & 0x80) != 0;
  std::string wider = value;
  wider.resize(to.bytes, negative ? '\xff' : '\0');
  return wider;
}

}  // namespace

RandomAlters::RandomAlters(std::function<uint32_t()> numbers) : numbers_(std::move(numbers)) {
  static constexpr const char* kKeys[] = {"int", "varchar(20) latin1_bin", "enum(1)"};
  const uint32_t in_key = Below(3);
  for (uint32_t i = 0; i < in_key; ++i) {
    columns_.push_back({"k" + std::to_string(i), TypeNamed(kKeys[Below(3)]), false});
  }
  for (uint32_t i = 0, n = Below(9) + (in_key == 0); i < n; ++i) {
    columns_.push_back(RandomColumn());
  }
  index_ = in_key == 0 ? "hidden 0100" : in_key == 1 ? "primary 0100 k0" : "primary 0100 k1 k0";
  if (Below(3) == 0) index_ += " ttl";
  altered_ = std::make_unique<AlteredTable>(Lines());
  for (const std::string& line : Lines()) text_ += line + "\n";
}

RandomAlters::ColumnWords RandomAlters::RandomColumn() {
  return {"c" + std::to_string(names_++), Below(std::size(kTypes)), Below(2) == 0};
}

std::vector<std::string> RandomAlters::Lines() const {
  std::vector<std::string> lines;
  for (const ColumnWords& column : columns_) {
    lines.push_back("column " + column.name + " " + kTypes[column.type].words +
                    (column.nullable ? " null" : ""));
  }
  lines.push_back(index_);
  return lines;
}

std::string RandomAlters::RandomValue(const ColumnWords& column) {
  if (column.nullable && Below(3) == 0) return "NULL";
  const Type& type = kTypes[column.type];
  const bool text = type.content == Content::kText;
  const bool zero = Below(4) == 0;
  std::string value;
  for (uint32_t i = 0, n = text ? Below(type.bytes + 1) : type.bytes; i < n; ++i) {
    value.push_back(static_cast<char>(zero && !text ? 0 : Below(256)));
  }
  // A key of latin1_bin does not give back which spaces were zeros, and NULL is a word here.
  if (IsInKey(column.name) && text) value.assign(value.size(), 'x');
  return value == "NULL" ? "null" : value;
}

std::vector<uint8_t> RandomAlters::RecordOf(TestTable* table,
                                            const std::map<std::string, std::string>& values) {
  std::vector<uint8_t> record(table->descriptor().record_length);
  for (size_t i = 0; i < table->descriptor().columns.size(); ++i) {
    const auto value = values.find(table->column_name(i));
    if (value == values.end()) continue;
    if (value->second == "NULL") {
      table->SetNull(&record, i);
    } else {
      table->SetColumn(&record, i, value->second);
    }
  }
  return record;
}

void RandomAlters::AddRow() {
  Row row;
  for (const ColumnWords& column : columns_) row.values[column.name] = RandomValue(column);
  // Of new columns many rows keep what they were given.
  for (const auto& [name, value] : defaults_) {
    if (row.values.contains(name) && Below(2) == 0) row.values[name] = value;
  }
  const std::vector<uint8_t> record = RecordOf(&table(), row.values);
  row.entry = EncodeRow(table(), record.data(), 7, 9)[0];
  rows_.push_back(std::move(row));
}

void RandomAlters::AddColumn() {
  const ColumnWords column = RandomColumn();
  columns_.insert(columns_.begin() + Below(static_cast<uint32_t>(columns_.size() + 1)), column);
  const std::string value = RandomValue(column);
  defaults_[column.name] = value;
  for (Row& row : rows_) row.values[column.name] = value;
}

void RandomAlters::DropColumn(size_t column) {
  if (columns_.size() == 1) return;
  for (Row& row : rows_) row.values.erase(columns_[column].name);
  columns_.erase(columns_.begin() + static_cast<ptrdiff_t>(column));
}

void RandomAlters::WidenColumn(size_t column) {
  const Type& from = kTypes[columns_[column].type];
  if (from.wider[0] == '\0') return;
  columns_[column].type = TypeNamed(from.wider);
  const Type& to = kTypes[columns_[column].type];
  for (Row& row : rows_) {
    std::string& value = row.values[columns_[column].name];
    value = Widened(from, to, value);
  }
  const auto given = defaults_.find(columns_[column].name);
  if (given != defaults_.end()) given->second = Widened(from, to, given->second);
}

void RandomAlters::LetBeNull(size_t column) { columns_[column].nullable = true; }

void RandomAlters::Alter() {
  for (uint32_t changes = 1 + Below(3); changes > 0; --changes) {
    const size_t column = Below(static_cast<uint32_t>(columns_.size()));
    const uint32_t kind = Below(6);
    if (kind == 0) {
      std::swap(columns_[column], columns_[Below(static_cast<uint32_t>(columns_.size()))]);
    } else if (kind == 1 || IsInKey(columns_[column].name)) {
      AddColumn();
    } else if (kind == 2) {
      DropColumn(column);
    } else if (kind == 3) {
      LetBeNull(column);
    } else {
      WidenColumn(column);
    }
  }
  for (const std::string& line : Lines()) text_ += line + "\n";
  TestTable definition(Lines(), FakeCollationByName);
  const std::vector<uint8_t> defaults = RecordOf(&definition, defaults_);
  if (!altered_->AlterWith(Lines(), defaults)) throw std::runtime_error("not at once");
}

}  // namespace basalt::test
