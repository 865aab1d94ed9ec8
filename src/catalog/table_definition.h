// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>

namespace basalt::catalog {

// What the server knows of a table beside its rows: the contents of its .frm file, and of its .par
// file when it has partitions. Kept in the dictionary, so that the files can be lost. The engine
// does not look into them; `identity` is all it needs to tell one definition from another.
struct TableDefinition {
  // The index number of the table's primary or hidden primary key, 0 for a partitioned table. Set
  // by the catalog. A record with another number than the table's is of an earlier table.
  uint32_t primary_number = 0;
  // The server's tabledef_version: 16 bytes, or none in very old definitions.
  std::string identity;
  std::string frm;  // never empty
  std::string par;  // empty: no partitions

  bool operator==(const TableDefinition&) const = default;
};

}  // namespace basalt::catalog
