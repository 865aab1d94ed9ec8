// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/table_record.h"

namespace basalt::catalog {
namespace {

// Where the server puts the partition's name into that of the table.
constexpr Bytes kPartitionMark = "#P#";

}  // namespace

const IndexRecord* TableRecord::Primary() const {
  for (const IndexRecord& index : indexes) {
    if (index.kind != IndexKind::kSecondary) return &index;
  }
  return nullptr;
}

Status TableNameOfPath(Bytes path, std::string* name) {
  Bytes rest = path;
  if (rest.starts_with("./")) rest.remove_prefix(2);
  const size_t slash = rest.find('/');
  if (slash == Bytes::npos || slash == 0 || slash + 1 == rest.size() ||
      rest.find('/', slash + 1) != Bytes::npos) {
    return Status(Code::kInvalidArgument,
                  "'" + std::string(path) + "' is not a path of the form ./database/table");
  }
  name->assign(rest);
  (*name)[slash] = '.';
  return {};
}

std::string VersionPathOfTable(Bytes name) {
  const Bytes table = TableOfPartition(name);
  std::string path = "./";
  path.append(table);
  // A database's name never has a dot: the server encodes it.
  const size_t dot = path.find('.', 2);
  if (dot != std::string::npos) path[dot] = '/';
  return path;
}

Bytes TableOfPartition(Bytes name) { return name.substr(0, name.find(kPartitionMark)); }

bool IsPartitionName(Bytes name) { return name.find(kPartitionMark) != Bytes::npos; }

bool IsTemporaryName(Bytes name) {
  return name.substr(name.find('.') + 1).starts_with("#sql") || name.ends_with("#TMP#");
}

std::string WholeOf(Bytes name) {
  const size_t mark = name.find(kPartitionMark);
  if (mark == Bytes::npos) return std::string(name);
  return std::string(name.substr(0, mark + kPartitionMark.size()));
}

std::string PartitionsOf(Bytes table) { return std::string(table).append(kPartitionMark); }

}  // namespace basalt::catalog
