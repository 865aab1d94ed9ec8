// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "catalog/foreign_key.h"
#include "server/handler/row_reference.h"
#include "server/server_headers.h"

namespace basalt::server {

struct ChildChange;

// How the running change of a row has come about: by the statement itself, or through foreign keys.
// On the stack of those who make the changes.
struct CascadeStep {
  const CascadeStep* from = nullptr;  // null: the statement
  std::string table;                  // that is changed, as in the dictionary
  bool updates = false;               // its rows change; else they go
  // Of a step that is not the statement: the foreign key, and the row of from->table that it refers
  // to by that table's index.
  const std::string* foreign_key = nullptr;
  Bytes parent_row = {};
  size_t parent_index = 0;
  Bytes parent_record = {};  // see ChildChange

  // How many foreign keys lie between the statement and the change.
  unsigned depth() const { return from == nullptr ? 0 : from->depth() + 1; }
  // Does this step, or one before it, update rows of the table?
  bool HasUpdated(const std::string& name) const {
    return (updates && table == name) || (from != nullptr && from->HasUpdated(name));
  }
  // The primary key of the row of a table that an update has taken out of this index and not put
  // back yet, as InnoDB goes from index to index: it is nobody's parent. Empty: there is none.
  Bytes RowUnderWay(const std::string& name, size_t index) const {
    if (from == nullptr) return Bytes();
    if (from->updates && from->table == name && index <= parent_index) return parent_row;
    return from->RowUnderWay(name, index);
  }
  // Is the row that this step, or one before it, deletes a row of the child with the values that
  // the change is about? In InnoDB it is still in the indexes behind the one that has cascaded.
  bool IsStillReferring(const ChildChange& change) const;
};

// What the rows of a child are to become when the parent's row goes or changes. It keeps no pointer
// into the parent's records, which further steps of a cascade may overwrite.
struct ChildChange {
  RowReference* reference = nullptr;
  Bytes parent_row;     // its primary key; borrowed
  Bytes parent_record;  // of one that goes, where its table is a child, too; else empty; borrowed
  catalog::ReferenceAction action = catalog::ReferenceAction::kRestrict;
  bool refused = false;                // the row refers to itself, or the child has no index
  std::string own_row;                 // primary key of a row that does not count; empty: all do
  bool impossible = false;             // the child's columns cannot hold the new values
  std::vector<uint8_t> wanted;         // a record of the child: the values that go
  std::vector<uint8_t> next;           // of an update with CASCADE: the values that come,
  std::vector<bool> stays;             // for each column of the foreign key: as it is in the child
  std::vector<bool> next_is_null;      // likewise
  std::vector<uint32_t> next_letters;  // that a CHAR has, with the spaces at its end; else 0

  bool ChangesRows() const {
    return action == catalog::ReferenceAction::kCascade ||
           action == catalog::ReferenceAction::kSetNull;
  }
};

// The change of one child that a DELETE (`after` null) or UPDATE of a parent's row asks for. False:
// none, since nothing can refer to the row. An update changes the key. `own_row`: the primary key
// of the parent's row, which the change borrows. After RowReference::Begin. parent_record is left
// to the caller.
bool PlanChildChange(RowReference* reference, const TABLE& parent, Bytes own_row,
                     const uchar* before, const uchar* after, ChildChange* change);

// Gives the row in record[0] of a child the values that the change says. False when a column cannot
// be NULL or is too short.
bool AssignValues(const ChildChange& change, bool deletes, TABLE* child);

// The child, opened by the server to be changed by foreign keys; null when it is not.
TABLE* FindOpenChild(THD* thd, const std::string& name);

}  // namespace basalt::server
