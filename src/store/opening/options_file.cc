// SPDX-License-Identifier: GPL-2.0-only
#include "store/opening/options_file.h"

#include <charconv>
#include <string_view>

#include <rocksdb/utilities/options_util.h>
#include <rocksdb/version.h>

#include "store/errors/status_map.h"
#include "store/format/auto_increment_merge_operator.h"
#include "store/format/column_family_names.h"
#include "store/options/blanks.h"

namespace basalt::store {
namespace {

constexpr std::string_view kFamilySection = "CFOptions \"";
constexpr std::string_view kNone = "nullptr";
// Only the old plugin gives this name to column families.
constexpr std::string_view kFilterOfMyRocks = "Rdb_compact_filter_factory";

// RocksDB puts a backslash in front of colons and the like.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain.push_back(text[i]);
  }
  return plain;
}

// An object is written by its name, or as {id=name;...}.
std::string NameOfObject(std::string_view value) {
  if (!value.starts_with('{')) return Unescape(value);
  const size_t id = value.find("id=");
  if (id == std::string_view::npos) return Unescape(value);
  const std::string_view name = value.substr(id + 3);
  return Unescape(name.substr(0, name.find_first_of(";}")));
}

// [CFOptions "name"] -> name; empty for other sections.
std::string FamilyOf(std::string_view section) {
  if (!section.starts_with(kFamilySection)) return {};
  section.remove_prefix(kFamilySection.size());
  return Unescape(section.substr(0, section.rfind('"')));
}

void TakeFamilyOption(const std::string& family, std::string_view key, std::string_view value,
                      OptionsFile* use) {
  if (key == "merge_operator" && NameOfObject(value) != kNone && !value.empty()) {
    use->merge_operators[family] = NameOfObject(value);
  }
  if (key == "compaction_filter_factory" && NameOfObject(value) == kFilterOfMyRocks) {
    use->by_myrocks = true;
  }
}

// The first two numbers of a version: what decides whether files can be read. False when the text
// is none.
bool ParseVersion(std::string_view text, int* major, int* minor) {
  const char* const end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, *major);
  if (error != std::errc() || dot == end || *dot != '.') return false;
  return std::from_chars(dot + 1, end, *minor).ec == std::errc();
}

std::string OurVersion() {
  return std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + "." +
         std::to_string(ROCKSDB_PATCH);
}

OptionsFile ParseOptionsFile(std::string_view text) {
  OptionsFile use;
  std::string family;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = Trim(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.starts_with('[')) {
      family = FamilyOf(line.substr(1));
      continue;
    }
    const size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) continue;
    const std::string_view key = Trim(line.substr(0, equals));
    const std::string_view value = Trim(line.substr(equals + 1));
    if (key == "rocksdb_version") {
      use.rocksdb_version = value;
      use.known = true;
    }
    if (!family.empty()) TakeFamilyOption(family, key, value, &use);
  }
  return use;
}

}  // namespace

Status ReadOptionsFile(rocksdb::Env* env, const std::string& directory, OptionsFile* use) {
  *use = {};
  std::string name;
  if (!rocksdb::GetLatestOptionsFileName(directory, env, &name).ok()) return {};
  std::string text;
  BASALT_RETURN_IF_ERROR(MapStatus(rocksdb::ReadFileToString(env, directory + "/" + name, &text),
                                   "reading " + directory + "/" + name));
  *use = ParseOptionsFile(text);
  return {};
}

Status CheckOptionsFile(const OptionsFile& use) {
  int major = 0;
  int minor = 0;
  if (ParseVersion(use.rocksdb_version, &major, &minor) &&
      (major > ROCKSDB_MAJOR || (major == ROCKSDB_MAJOR && minor > ROCKSDB_MINOR))) {
    return Status(Code::kNotSupported, "it was last written by RocksDB " + use.rocksdb_version +
                                           ", which is newer than this plugin's " + OurVersion() +
                                           "; use the plugin that has written it, or a newer one");
  }
  for (const auto& [family, name] : use.merge_operators) {
    const bool known = family == kSystemColumnFamilyName && name == kAutoIncrementMergeOperatorName;
    if (known) continue;
    return Status(Code::kCorruption, "its column family '" + family + "' has the merge operator '" +
                                         name +
                                         "', which neither Basalt nor MyRocks has: another program "
                                         "has written it");
  }
  return {};
}

}  // namespace basalt::store
