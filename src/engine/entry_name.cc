// SPDX-License-Identifier: GPL-2.0-only
#include "engine/entry_name.h"

#include <utility>

#include "engine/table.h"

namespace basalt::engine {
namespace {

// A longer key is shown by its first and last bytes.
constexpr size_t kShownWhole = 48;
constexpr size_t kShownOfEnd = 12;

const std::string& IndexName(const Table& table, size_t index) {
  return table.descriptor().indexes[index].name;
}

std::string NameOfIndex(const Table& table, const std::string& index) {
  return "table " + table.name() + ", index " + index;
}

std::string NameOf(const Table& table, const std::string& index, Bytes key) {
  return NameOfIndex(table, index) + ", key " + HexOf(key);
}

}  // namespace

std::string HexOf(Bytes key) {
  std::string hex;
  if (key.size() <= kShownWhole) {
    AppendHex(key, &hex);
    return hex;
  }
  AppendHex(key.substr(0, kShownWhole - kShownOfEnd), &hex);
  hex += "..";
  AppendHex(key.substr(key.size() - kShownOfEnd), &hex);
  return hex + " (" + std::to_string(key.size()) + " bytes)";
}

std::string ListOfKeys(uint64_t count, const std::vector<std::string>& first) {
  std::string text = count == 1 ? "key " : count > first.size() ? "first keys " : "keys ";
  for (size_t i = 0; i < first.size(); ++i) text += (i == 0 ? "" : ", ") + first[i];
  return text;
}

std::string NameOfEntry(const Table& table, size_t index, Bytes key) {
  return NameOf(table, IndexName(table, index), key);
}

Status WithEntry(const Table& table, size_t index, Bytes key, Status status) {
  return WithEntry(table, IndexName(table, index), key, std::move(status));
}

Status WithEntry(const Table& table, const std::string& index, Bytes key, Status status) {
  if (status.code() != Code::kCorruption && status.code() != Code::kIoError) return status;
  const std::string name = key.empty() ? NameOfIndex(table, index) : NameOf(table, index, key);
  return Status(status.code(), name + ": " + std::string(status.message()));
}

Status MalformedEntry(const Table& table, size_t index, Bytes key) {
  return MalformedEntry(table, IndexName(table, index), key);
}

Status MalformedEntry(const Table& table, const std::string& index, Bytes key) {
  return Status(Code::kCorruption,
                NameOf(table, index, key) + ": the entry contradicts the format");
}

}  // namespace basalt::engine
