// SPDX-License-Identifier: GPL-2.0-only
//
// Any text as path, name of a table, comment on an index, or options of column families.
#include <map>

#include "catalog/table_record.h"
#include "fuzz/fuzz_input.h"
#include "server/tables/table_name.h"
#include "store/options/column_family_defaults.h"

using basalt::Bytes;
using basalt::fuzz::BytesOf;
using basalt::fuzz::FuzzInput;
using basalt::fuzz::Require;

namespace {

void Paths(const std::string& path) {
  std::string name;
  if (basalt::catalog::TableNameOfPath(path, &name).ok()) {
    Require(name.find('/') == std::string::npos, "a name has no slash");
    // The server encodes dots in the names of databases.
    const bool dot = path.substr(0, path.find('/', 2)).find('.', 2) != std::string::npos;
    if (path.starts_with("./") && !dot && !basalt::catalog::IsPartitionName(name)) {
      const std::string back = basalt::catalog::VersionPathOfTable(name);
      std::string again;
      Require(back == path && basalt::catalog::TableNameOfPath(back, &again).ok() && again == name,
              "the path of a version");
    }
  }
  static_cast<void>(basalt::server::TableNameOf(path.c_str(), &name));
  static_cast<void>(basalt::catalog::VersionPathOfTable(path));
  static_cast<void>(basalt::server::PartitionOf(path));
  Require(basalt::server::TablePrefixOfDatabase(path.c_str()).ends_with('.'), "a prefix");
}

void Comments(const std::string& comment, const std::string& partition) {
  basalt::catalog::IndexRequest request;
  if (!basalt::server::ChooseColumnFamily(comment, partition, &request).ok()) return;
  Require(!request.column_family.empty(), "a column family has a name");
  Require(request.column_family != "__system__", "the dictionary's is not for tables");
}

void Options(const std::string& text) {
  std::map<std::string, std::string> options;
  if (!basalt::store::ParseColumnFamilyOverrides(text, "origin", &options).ok()) return;
  std::string written;
  for (const auto& [family, settings] : options) {
    Require(!family.empty(), "a column family has a name");
    written += family + "={" + settings + "};";
  }
  std::map<std::string, std::string> again;
  Require(
      basalt::store::ParseColumnFamilyOverrides(written, "origin", &again).ok() && again == options,
      "options written and read again");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const std::vector<uint8_t> first = input.Block(300);
  const std::string text(BytesOf(input.Rest()));
  Paths(text);
  Comments(text, std::string(BytesOf(first)));
  Options(text);
  return 0;
}
