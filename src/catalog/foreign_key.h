// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace basalt::catalog {

// What happens to rows of the child when the parent's row is deleted or its key changes. The
// numbers are on disk (docs/format/dictionary.md). kRestrict is also what a definition without a
// word means; kNoAction does the same and is shown in another way.
enum class ReferenceAction : uint8_t {
  kRestrict = 0,
  kCascade = 1,
  kSetNull = 2,
  kNoAction = 3,
  kSetDefault = 4,  // accepted in a definition; acts as kRestrict
};

// One constraint of a child table: its columns have the values of a row of the parent, or NULL.
// Plain data.
struct ForeignKey {
  struct Columns {
    std::string child;
    std::string parent;
    bool operator==(const Columns&) const = default;
  };

  // Without the database, in the server's UTF-8; unique among the constraints of its database.
  std::string name;
  // "database.table", both in the server's file name encoding. There need not be such a table: a
  // child may come before its parent when the connection has switched foreign_key_checks off.
  std::string parent;
  std::vector<Columns> columns;  // at least one; names in UTF-8
  ReferenceAction on_delete = ReferenceAction::kRestrict;
  ReferenceAction on_update = ReferenceAction::kRestrict;

  bool operator==(const ForeignKey&) const = default;
};

// All constraints of one child table, in the order of their definition.
struct ForeignKeySet {
  // The index number of the child's primary or hidden primary key. Set by the catalog. A record
  // with another number than the table's is of an earlier table of that name.
  uint32_t primary_number = 0;
  std::vector<ForeignKey> keys;

  bool operator==(const ForeignKeySet&) const = default;
};

// The name with small ASCII letters: names of constraints are the same when these are, as in
// InnoDB.
std::string FoldedName(Bytes name);

// What the names begin with that are made for constraints of a table, and follow its name.
std::string GeneratedPrefix(Bytes table);
// The number N of a name TABLE_ibfk_N, as InnoDB makes it for a constraint that has none; 0 for
// other names. `table` is the child's name without its database, in UTF-8.
uint32_t NumberOfGeneratedName(Bytes table, Bytes name);
std::string GeneratedName(Bytes table, uint32_t number);

}  // namespace basalt::catalog
