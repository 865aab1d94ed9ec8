// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/status.h"
#include "catalog/catalog.h"
#include "server/server_headers.h"

namespace basalt::server {

// The server's definition of a table that the statement does not name, read from the dictionary
// (else from its .frm file): its columns, keys and expressions, without rows. The server's table
// cache knows nothing of it.
//
// The caller has a metadata lock on the table. The connection's thread only.
class StoredTable {
 public:
  explicit StoredTable(THD* thd) : thd_(thd) {}
  ~StoredTable();
  StoredTable(const StoredTable&) = delete;
  StoredTable& operator=(const StoredTable&) = delete;

  // `name` as in the dictionary. kNotFound when the engine has no such table, kCorruption when its
  // definition cannot be read. Once.
  Status Open(const catalog::Catalog& catalog, Bytes name);
  // After Open: valid as long as this object.
  const TABLE& table() const { return table_; }

 private:
  Status ReadShare(const catalog::TableDefinition& definition);

  THD* const thd_;
  std::string name_;
  TABLE_SHARE share_{};
  TABLE table_{};
  bool has_share_ = false;
  bool has_table_ = false;
};

}  // namespace basalt::server
