// SPDX-License-Identifier: GPL-2.0-only
#include "store/option_mistake.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <rocksdb/convenience.h>
#include <rocksdb/table.h>

namespace basalt::store {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kTableFactory = "block_based_table_factory";

// One "name=value" of an option string.
struct Part {
  std::string name;
  std::string value;  // without the braces around it, if any
  bool nested = false;
  size_t name_at = 0;   // of the first character, from 0
  size_t value_at = 0;  // likewise, inside the braces
};

// Splits at the semicolons outside braces. Texts without "=" become parts without a value.
std::vector<Part> PartsOf(std::string_view text) {
  std::vector<Part> parts;
  size_t start = 0;
  size_t depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '{') ++depth;
    if (i < text.size() && text[i] == '}' && depth > 0) --depth;
    if (i < text.size() && (text[i] != ';' || depth > 0)) continue;
    const size_t first = text.find_first_not_of(kBlank, start);
    if (first < i) {
      Part part;
      const size_t equals = std::min(text.find('=', first), i);
      part.name_at = first;
      part.name = text.substr(first, text.find_last_not_of(kBlank, equals - 1) + 1 - first);
      size_t value = std::min(text.find_first_not_of(kBlank, std::min(equals + 1, i)), i);
      size_t end = i;
      while (end > value && kBlank.find(text[end - 1]) != std::string_view::npos) --end;
      part.nested = end > value + 1 && text[value] == '{' && text[end - 1] == '}';
      if (part.nested) ++value, --end;
      part.value_at = value;
      part.value = text.substr(value, end - value);
      parts.push_back(std::move(part));
    }
    start = i + 1;
  }
  return parts;
}

// Single-character changes from one word to the other.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::vector<std::string> NamesIn(const std::string& option_string) {
  std::vector<std::string> names;
  std::unordered_map<std::string, std::string> map;
  if (!rocksdb::StringToMap(option_string, &map).ok()) return names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

std::vector<std::string> FamilyOptionNames(const rocksdb::ColumnFamilyOptions& options) {
  std::string text;
  if (!rocksdb::GetStringFromColumnFamilyOptions(rocksdb::ConfigOptions(), options, &text).ok()) {
    return {};
  }
  std::vector<std::string> names = NamesIn(text);
  // Other names that RocksDB takes.
  for (const char* name : {"block_based_table_factory", "memtable", "cf_paths"}) {
    names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> TableOptionNames() {
  const rocksdb::BlockBasedTableOptions defaults;
  const std::unique_ptr<rocksdb::TableFactory> factory(
      rocksdb::NewBlockBasedTableFactory(defaults));
  std::string text;
  if (!factory->GetOptionString(rocksdb::ConfigOptions(), &text).ok()) return {};
  std::vector<std::string> names = NamesIn(text);
  names.emplace_back("block_cache");
  return names;
}

// Where a wrong part stands, and what it should be perhaps.
std::string Complain(const Part& part, size_t offset, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), part.name) != names.end()) {
    return " at character " + std::to_string(offset + part.value_at + 1) + ": '" + part.value +
           "' is no value of the option '" + part.name + "'";
  }
  std::string text = " at character " + std::to_string(offset + part.name_at + 1) +
                     ": no option '" + part.name + "'";
  const auto nearest =
      std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
        const size_t to_a = Distance(part.name, a);
        const size_t to_b = Distance(part.name, b);
        return to_a != to_b ? to_a < to_b : a < b;
      });
  const size_t tolerated = 1 + part.name.size() / 3;
  if (nearest == names.end() || Distance(part.name, *nearest) > tolerated) return text;
  return text + "; is '" + *nearest + "' meant?";
}

rocksdb::ConfigOptions Strict() {
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = false;
  config.input_strings_escaped = false;
  return config;
}

using Accepts = std::function<bool(const Part&)>;

// The first part that is not accepted; null when all are.
const Part* FindWrong(const std::vector<Part>& parts, const Accepts& accepts) {
  for (const Part& part : parts) {
    if (!accepts(part)) return &part;
  }
  return nullptr;
}

std::string TextOf(const Part& part) {
  return part.name + (part.nested ? "={" + part.value + "}" : "=" + part.value);
}

std::string DescribeTableMistake(const Part& factory) {
  const std::vector<Part> parts = PartsOf(factory.value);
  const Part* wrong = FindWrong(parts, [](const Part& part) {
    rocksdb::BlockBasedTableOptions changed;
    return rocksdb::GetBlockBasedTableOptionsFromString(Strict(), {}, TextOf(part), &changed).ok();
  });
  return wrong == nullptr ? std::string() : Complain(*wrong, factory.value_at, TableOptionNames());
}

}  // namespace

std::string DescribeMistake(std::string_view option_string,
                            const rocksdb::ColumnFamilyOptions& options) {
  const std::vector<Part> parts = PartsOf(option_string);
  const Part* wrong = FindWrong(parts, [&](const Part& part) {
    rocksdb::ColumnFamilyOptions changed;
    return rocksdb::GetColumnFamilyOptionsFromString(Strict(), options, TextOf(part), &changed)
        .ok();
  });
  if (wrong == nullptr) return {};
  if (wrong->name == kTableFactory && wrong->nested) {
    if (std::string inside = DescribeTableMistake(*wrong); !inside.empty()) return inside;
  }
  return Complain(*wrong, 0, FamilyOptionNames(options));
}

}  // namespace basalt::store
