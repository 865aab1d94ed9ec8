// SPDX-License-Identifier: GPL-2.0-only
#include "unit/codec/test_table.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <stdexcept>

#include "codec/kv_format.h"

namespace basalt::test {

using codec::Column;
using codec::ColumnKind;

namespace {

[[noreturn]] void Wrong(const std::string& what) { throw std::runtime_error(what); }

// "name(12)" to name and 12; without parentheses the number is 0.
std::pair<std::string, uint32_t> SplitNumber(const std::string& word) {
  const size_t open = word.find('(');
  if (open == std::string::npos) return {word, 0};
  return {word.substr(0, open),
          static_cast<uint32_t>(std::strtoul(word.c_str() + open + 1, nullptr, 10))};
}

struct TypeEntry {
  ColumnKind kind;
  uint32_t bytes;  // 0: given in parentheses
};

const std::map<std::string, TypeEntry>& Types() {
  static const std::map<std::string, TypeEntry> types = {
      {"tinyint", {ColumnKind::kSigned, 1}},
      {"smallint", {ColumnKind::kSigned, 2}},
      {"mediumint", {ColumnKind::kSigned, 3}},
      {"int", {ColumnKind::kSigned, 4}},
      {"bigint", {ColumnKind::kSigned, 8}},
      {"float", {ColumnKind::kFloat, 4}},
      {"double", {ColumnKind::kDouble, 8}},
      {"date", {ColumnKind::kDate, 3}},
      {"year", {ColumnKind::kYear, 1}},
      {"uuid", {ColumnKind::kFixedBinary, 16}},
      {"inet6", {ColumnKind::kFixedBinary, 16}},
      {"inet4", {ColumnKind::kFixedBinary, 4}},
      {"olddatetime", {ColumnKind::kOldDatetime, 8}},
      {"oldtimestamp", {ColumnKind::kOldTimestamp, 4}},
      {"oldtime", {ColumnKind::kOldTime, 3}},
      {"decimal", {ColumnKind::kDecimal, 0}},
      {"temporal", {ColumnKind::kTemporal, 0}},
      {"oldhires", {ColumnKind::kOldTemporalHires, 0}},
      {"oldtimehires", {ColumnKind::kOldTimeHires, 0}},
      {"bit", {ColumnKind::kBit, 0}},
      {"enum", {ColumnKind::kEnum, 0}},
      {"set", {ColumnKind::kSet, 0}},
      {"char", {ColumnKind::kChar, 0}},
      {"binary", {ColumnKind::kBinary, 0}},
      {"varchar", {ColumnKind::kVarchar, 0}},
      {"varbinary", {ColumnKind::kVarbinary, 0}},
      {"text", {ColumnKind::kText, 0}},
      {"blob", {ColumnKind::kBlob, 0}},
  };
  return types;
}

void StoreLittleEndian(uint64_t value, unsigned bytes, uint8_t* to) {
  for (unsigned i = 0; i < bytes; ++i) to[i] = static_cast<uint8_t>(value >> (8 * i));
}

std::vector<std::string> Words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Text between quotes with its escapes resolved.
std::string Unquote(const std::string& quoted) {
  std::string text;
  for (size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      text.push_back(quoted[i]);
      continue;
    }
    const char escape = quoted[++i];
    if (escape == 't') {
      text.push_back('\t');
    } else if (escape == 'x') {
      text += Unhex(quoted.substr(i + 1, 2));
      i += 2;
    } else {
      text.push_back(escape);
    }
  }
  return text;
}

std::vector<std::string> SplitLiterals(const std::string& line) {
  std::vector<std::string> literals(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\'' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
    if (!quoted && line[i] == ',') {
      literals.emplace_back();
    } else if (quoted || line[i] != ' ') {
      literals.back().push_back(line[i]);
    }
  }
  return literals;
}

}  // namespace

std::string Hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    hex.push_back(kDigits[static_cast<uint8_t>(c) >> 4]);
    hex.push_back(kDigits[static_cast<uint8_t>(c) & 15]);
  }
  return hex;
}

std::string Unhex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::strtoul(hex.substr(i, 2).c_str(), nullptr, 16)));
  }
  return bytes;
}

TestTable::TestTable(const std::vector<std::string>& lines, const CollationByName& collations,
                     std::shared_ptr<const codec::RowLayout> layout) {
  descriptor_.name = "test";
  descriptor_.row_layout = std::move(layout);
  descriptor_.primary = ~0u;
  std::vector<std::vector<std::string>> indexes;
  for (const std::string& line : lines) {
    const std::vector<std::string> words = Words(line);
    if (words.size() < 2) Wrong("too few words: " + line);
    if (words[0] == "column") {
      AddColumn(words, collations);
    } else {
      indexes.push_back(words);
    }
  }
  LayOut();
  for (const auto& words : indexes) AddIndex(words);
  if (choose_versions_) codec::ChooseKvFormats(&descriptor_);
  for (size_t i = 0; i < descriptor_.indexes.size(); ++i) {
    std::unique_ptr<codec::KeyCodec> key;
    const Status status = codec::KeyCodec::Compile(descriptor_, i, &key);
    if (!status.ok()) Wrong(status.ToString());
    keys_.push_back(std::move(key));
  }
  const Status status = codec::RowCodec::Compile(descriptor_, primary(), &rows_);
  if (!status.ok()) Wrong(status.ToString());
}

void TestTable::AddColumn(const std::vector<std::string>& words,
                          const CollationByName& collations) {
  const auto [type, number] = SplitNumber(words.at(2));
  const auto entry = Types().find(type);
  if (entry == Types().end()) Wrong("unknown type " + type);
  Column column;
  column.kind = entry->second.kind;
  column.pack_length = entry->second.bytes != 0 ? entry->second.bytes : number;
  for (size_t i = 3; i < words.size(); ++i) {
    if (words[i] == "null") {
      column.nullable = true;
    } else if (words[i] == "unsigned") {
      column.kind = ColumnKind::kUnsigned;
    } else if (words[i] == "virtual") {
      column.stored = false;
    } else {
      column.collation = collations(words[i]);
      if (column.collation == nullptr) Wrong("unknown collation " + words[i]);
    }
  }
  const uint32_t width =
      column.collation != nullptr ? column.collation->properties().bytes_per_character_max : 1;
  column.field_length = column.pack_length * width;
  if (column.kind == ColumnKind::kChar) column.pack_length = column.field_length;
  if (codec::IsVariableLength(column.kind)) {
    column.length_bytes = column.field_length < 256 ? 1 : 2;
    column.pack_length = column.field_length + column.length_bytes;
  }
  if (codec::IsBlob(column.kind)) {
    column.length_bytes = static_cast<uint8_t>(number);
    column.pack_length = number + codec::kBlobPointerBytes;
  }
  if (column.kind == ColumnKind::kFixedBinary) column.field_length = 36;
  descriptor_.columns.push_back(column);
  names_.push_back(words[1]);
}

// NULL bits first, as the server does, then the columns side by side.
void TestTable::LayOut() {
  uint32_t nullable = 0;
  for (Column& column : descriptor_.columns) {
    if (!column.nullable) continue;
    column.null_offset = nullable / 8;
    column.null_mask = static_cast<uint8_t>(1u << nullable % 8);
    ++nullable;
  }
  uint32_t offset = (nullable + 7) / 8;
  for (Column& column : descriptor_.columns) {
    column.offset = offset;
    offset += column.pack_length;
  }
  descriptor_.record_length = offset;
}

void TestTable::AddIndex(const std::vector<std::string>& words) {
  codec::IndexDescriptor index;
  index.name = words[0] + " " + words[1];
  index.number = static_cast<uint32_t>(std::strtoul(words[1].c_str(), nullptr, 16));
  index.kind = words[0] == "primary"  ? codec::IndexKind::kPrimary
               : words[0] == "hidden" ? codec::IndexKind::kHiddenPrimary
                                      : codec::IndexKind::kSecondary;
  for (size_t i = 2; i < words.size(); ++i) {
    if (words[i] == "ttl") {
      index.has_ttl = true;
    } else if (words[i] == "unique") {
      index.unique = true;
    } else if (words[i] == "spatial") {
      index.parts.back().spatial = true;
    } else if (words[i] == "full_text") {
      for (codec::KeyPart& part : index.parts) part.full_text = true;
    } else if (words[i] == "version=new") {
      choose_versions_ = true;
    } else if (words[i].starts_with("version=")) {
      index.kv_format_version = static_cast<uint16_t>(std::atoi(words[i].c_str() + 8));
    } else {
      codec::KeyPart part;
      part.descending = words[i][0] == '-';
      const auto [name, characters] = SplitNumber(words[i].substr(part.descending ? 1 : 0));
      while (part.column < names_.size() && names_[part.column] != name) ++part.column;
      if (part.column == names_.size()) Wrong("unknown column " + name);
      const Column& column = descriptor_.columns[part.column];
      const uint32_t width =
          column.collation != nullptr ? column.collation->properties().bytes_per_character_max : 1;
      part.length = characters != 0                           ? characters * width
                    : column.kind == ColumnKind::kFixedBinary ? column.pack_length
                                                              : column.field_length;
      index.parts.push_back(part);
    }
  }
  if (index.kind != codec::IndexKind::kSecondary) {
    descriptor_.primary = static_cast<uint32_t>(descriptor_.indexes.size());
    descriptor_.hidden_primary = index.kind == codec::IndexKind::kHiddenPrimary;
  }
  descriptor_.indexes.push_back(index);
}

void TestTable::SetNull(std::vector<uint8_t>* record, size_t column) const {
  const Column& c = descriptor_.columns[column];
  if (!c.nullable) Wrong("NULL in a NOT NULL column");
  (*record)[c.null_offset] |= c.null_mask;
  std::memset(record->data() + c.offset, 0, c.pack_length);
}

void TestTable::SetColumn(std::vector<uint8_t>* record, size_t column, const std::string& data) {
  const Column& c = descriptor_.columns[column];
  uint8_t* to = record->data() + c.offset;
  if (c.nullable) (*record)[c.null_offset] &= static_cast<uint8_t>(~c.null_mask);
  if (codec::IsBlob(c.kind)) {
    blobs_.push_back(data);
    StoreLittleEndian(data.size(), c.length_bytes, to);
    const char* pointer = blobs_.back().data();
    std::memcpy(to + c.length_bytes, &pointer, sizeof(pointer));
    return;
  }
  if (data.size() > c.pack_length - c.length_bytes) Wrong("too long for " + names_[column]);
  if (codec::IsVariableLength(c.kind)) {
    StoreLittleEndian(data.size(), c.length_bytes, to);
    std::memset(to + c.length_bytes, 0, c.pack_length - c.length_bytes);
  } else {
    std::memset(to, c.kind == ColumnKind::kChar ? ' ' : 0, c.pack_length);
  }
  std::memcpy(to + c.length_bytes, data.data(), data.size());
}

void TestTable::SetLiteral(std::vector<uint8_t>* record, size_t column,
                           const std::string& literal) {
  const Column& c = descriptor_.columns[column];
  if (literal == "NULL") return SetNull(record, column);
  if (literal.starts_with("x'")) {
    return SetColumn(record, column, Unhex(literal.substr(2, literal.size() - 3)));
  }
  if (literal.starts_with("'")) return SetColumn(record, column, Unquote(literal));
  std::string image(c.pack_length, '\0');
  if (c.kind == ColumnKind::kFloat) {
    const float value = std::strtof(literal.c_str(), nullptr);
    std::memcpy(image.data(), &value, sizeof(value));
  } else if (c.kind == ColumnKind::kDouble) {
    const double value = std::strtod(literal.c_str(), nullptr);
    std::memcpy(image.data(), &value, sizeof(value));
  } else {
    StoreLittleEndian(static_cast<uint64_t>(std::strtoll(literal.c_str(), nullptr, 10)),
                      c.pack_length, reinterpret_cast<uint8_t*>(image.data()));
  }
  SetColumn(record, column, image);
}

std::vector<uint8_t> TestTable::Record(const std::string& literals) {
  std::vector<uint8_t> record(descriptor_.record_length);
  const std::vector<std::string> values = SplitLiterals(literals);
  if (values.size() != names_.size()) Wrong("wrong number of values: " + literals);
  for (size_t i = 0; i < values.size(); ++i) SetLiteral(&record, i, values[i]);
  return record;
}

std::string TestTable::Show(const uint8_t* record, size_t column) const {
  const Column& c = descriptor_.columns[column];
  if (c.IsNull(record)) return "NULL";
  const uint8_t* from = record + c.offset;
  size_t length = c.pack_length;
  if (c.length_bytes != 0) {
    length = 0;
    for (unsigned i = 0; i < c.length_bytes; ++i) length |= size_t{from[i]} << (8 * i);
    from += c.length_bytes;
    if (codec::IsBlob(c.kind)) std::memcpy(&from, from, codec::kBlobPointerBytes);
  }
  return length == 0 ? std::string() : std::string(reinterpret_cast<const char*>(from), length);
}

std::vector<EncodedEntry> EncodeRow(const TestTable& table, const uint8_t* record,
                                    uint64_t hidden_id, uint64_t ttl) {
  std::vector<EncodedEntry> entries;
  for (size_t i = 0; i < table.indexes(); ++i) {
    const codec::KeyCodec& key = table.key(i);
    std::vector<uint8_t> buffer(key.max_key_bytes());
    std::vector<uint8_t> unpack(key.max_unpack_bytes() + 1);
    size_t unpack_bytes = 0;
    const size_t bytes =
        key.EncodeKey(record, hidden_id, buffer.data(), unpack.data(), &unpack_bytes);
    EncodedEntry entry;
    entry.key.assign(buffer.begin(), buffer.begin() + static_cast<ptrdiff_t>(bytes));
    const Bytes content = MakeBytes(unpack.data(), unpack_bytes);
    if (key.index_kind() == codec::IndexKind::kSecondary) {
      codec::EncodeSecondaryValue(key, content, ttl, &entry.value);
    } else {
      table.rows().EncodeValue(record, content, ttl, &entry.value);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace basalt::test
