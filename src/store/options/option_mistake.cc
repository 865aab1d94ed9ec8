// SPDX-License-Identifier: GPL-2.0-only
#include "store/options/option_mistake.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <rocksdb/convenience.h>
#include <rocksdb/table.h>

#include "base/nearest_word.h"
#include "store/options/blanks.h"
#include "store/options/option_values.h"

namespace basalt::store {
namespace {

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
    const size_t first = text.find_first_not_of(kBlanks, start);
    if (first < i) {
      Part part;
      const size_t equals = std::min(text.find('=', first), i);
      part.name_at = first;
      part.name = text.substr(first, text.find_last_not_of(kBlanks, equals - 1) + 1 - first);
      size_t value = std::min(text.find_first_not_of(kBlanks, std::min(equals + 1, i)), i);
      size_t end = i;
      while (end > value && kBlanks.find(text[end - 1]) != std::string_view::npos) --end;
      part.nested = end > value + 1 && text[value] == '{' && text[end - 1] == '}';
      if (part.nested) {
        ++value;
        --end;
      }
      part.value_at = value;
      part.value = text.substr(value, end - value);
      parts.push_back(std::move(part));
    }
    start = i + 1;
  }
  return parts;
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
  for (const char* name :
       {"block_based_table_factory", "memtable", "cf_paths", "compression_per_level"}) {
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

std::string At(size_t position) { return " at character " + std::to_string(position + 1) + ": "; }

std::string Meant(const std::string& word) {
  return word.empty() ? word : "; is '" + word + "' meant?";
}

std::string NoOption(const Part& part, size_t offset, const std::vector<std::string>& names) {
  return At(offset + part.name_at) + "no option '" + part.name + "'" +
         Meant(NearestWord(part.name, names, ToleratedInName(part.name)));
}

// The first of the words between colons that the option does not take.
std::string_view FirstWrongWord(std::string_view value, const std::vector<std::string>& words) {
  for (size_t start = 0; start <= value.size();) {
    const std::string_view word = value.substr(start, value.find(':', start) - start);
    if (std::find(words.begin(), words.end(), WithTodaysValues(word)) == words.end()) return word;
    start += word.size() + 1;
  }
  return value;
}

std::string Listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

std::string NoValue(const Part& part, size_t offset) {
  const std::vector<std::string> words = ValuesOfOption(part.name);
  const std::string_view wrong =
      words.empty() ? std::string_view(part.value) : FirstWrongWord(part.value, words);
  const auto inside = static_cast<size_t>(wrong.data() - part.value.data());
  std::string text = At(offset + part.value_at + inside) + "'" + std::string(wrong) +
                     "' is no value of the option '" + part.name + "'";
  if (words.empty()) return text;
  constexpr size_t kShort = 5;
  const std::string meant = NearestWord(wrong, words, wrong.size() > kShort ? 3 : 2);
  return text + (meant.empty() ? "; it takes " + Listed(words) : Meant(meant));
}

rocksdb::ConfigOptions TableConfig(bool strict) {
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = !strict;
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

bool IsAmong(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool AcceptsTablePart(const Part& part, bool strict) {
  rocksdb::BlockBasedTableOptions changed;
  return rocksdb::GetBlockBasedTableOptionsFromString(TableConfig(strict), {}, TextOf(part),
                                                      &changed)
      .ok();
}

std::string DescribeTableMistake(const Part& factory) {
  const std::vector<Part> parts = PartsOf(factory.value);
  const Part* wrong =
      FindWrong(parts, [](const Part& part) { return AcceptsTablePart(part, /*strict=*/true); });
  if (wrong == nullptr) return {};
  const std::vector<std::string> names = TableOptionNames();
  // RocksDB passes over a name that it does not know when it is told to, but not over a value.
  const bool known = IsAmong(wrong->name, names) || !AcceptsTablePart(*wrong, /*strict=*/false);
  return known ? NoValue(*wrong, factory.value_at) : NoOption(*wrong, factory.value_at, names);
}

// Not all that RocksDB takes is among the names it writes.
bool IsFamilyOption(const Part& part, const rocksdb::ColumnFamilyOptions& options,
                    const std::vector<std::string>& names) {
  if (IsAmong(part.name, names)) return true;
  rocksdb::ConfigOptions lenient;
  lenient.ignore_unknown_options = true;
  lenient.input_strings_escaped = false;
  rocksdb::ColumnFamilyOptions changed;
  return !rocksdb::GetColumnFamilyOptionsFromString(lenient, options, TextOf(part), &changed).ok();
}

// The first brace without its other half.
std::string DescribeBraces(std::string_view text) {
  std::vector<size_t> open;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') open.push_back(i);
    if (text[i] != '}') continue;
    if (open.empty()) return At(i) + "'}' without '{'";
    open.pop_back();
  }
  return open.empty() ? std::string() : At(open.back()) + "'{' without '}'";
}

}  // namespace

std::string DescribeMistake(std::string_view option_string,
                            const rocksdb::ColumnFamilyOptions& options, OptionScope scope) {
  if (std::string braces = DescribeBraces(option_string); !braces.empty()) return braces;
  const auto accepts = [&options](OptionScope limits) {
    return [&options, limits](const Part& part) {
      rocksdb::ColumnFamilyOptions changed;
      return ParseFamilyOptions(TextOf(part), options, limits, &changed).ok();
    };
  };
  const std::vector<Part> parts = PartsOf(option_string);
  const Part* wrong = FindWrong(parts, accepts(scope));
  if (wrong == nullptr) return {};
  if (scope == OptionScope::kOpenFamily && accepts(OptionScope::kNewFamily)(*wrong)) {
    return At(wrong->name_at) + "the option '" + wrong->name +
           "' cannot be changed while the column family is open";
  }
  if (wrong->name == kTableFactory && wrong->nested) {
    if (std::string inside = DescribeTableMistake(*wrong); !inside.empty()) return inside;
  }
  const std::vector<std::string> names = FamilyOptionNames(options);
  return IsFamilyOption(*wrong, options, names) ? NoValue(*wrong, 0) : NoOption(*wrong, 0, names);
}

}  // namespace basalt::store
