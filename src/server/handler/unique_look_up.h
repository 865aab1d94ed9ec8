// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "server/handler/open_table.h"
#include "server/server_headers.h"

namespace basalt::server {

// The server keeps some values unique by itself: of keys by hash, and periods without overlaps. It
// looks for a conflicting row before each write, and two connections that look at the same time
// would both find nothing. So such a look-up locks its value first: the hash, or what precedes the
// period.
//
// One thread. Borrows the table.
class UniqueLookUp {
 public:
  explicit UniqueLookUp(OpenTable* table) : table_(table) {}

  // A search in the active index begins. When it is such a look-up, its value is locked. Returns 0
  // or a handler error.
  int Begin(const uchar* key, key_part_map parts, enum ha_rkey_function find);
  void End() { value_.clear(); }
  bool running() const { return !value_.empty(); }
  // What the keys of rows in conflict begin with; null when it is an ordinary search.
  const std::string* prefix() const { return running() ? &value_ : nullptr; }

 private:
  key_part_map PartsInConflict(key_part_map parts, enum ha_rkey_function find) const;

  OpenTable* const table_;
  std::string value_;
};

}  // namespace basalt::server
