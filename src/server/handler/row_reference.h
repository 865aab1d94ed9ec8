// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "catalog/foreign_key.h"
#include "engine/references/reference_batch.h"
#include "engine/references/reference_check.h"
#include "server/foreign_keys/foreign_key_sides.h"
#include "server/foreign_keys/related_tables.h"
#include "server/handler/open_table.h"
#include "server/server_headers.h"

namespace basalt::server {

// One foreign key, seen from one of its two tables, whose rows are written: it finds what the other
// table has. A table that refers to itself has two of them.
//
// One thread. Between Begin and End there is an active transaction.
class RowReference {
 public:
  // The side on which the written table is.
  enum class Side : uint8_t { kChild, kParent };

  // `child` is the child's name in the dictionary. Borrows the written table.
  RowReference(OpenTable* table, Side side, std::string child, catalog::ForeignKey foreign);

  const catalog::ForeignKey& foreign() const { return foreign_; }
  const std::string& other_name() const { return side_ == Side::kChild ? foreign_.parent : child_; }
  bool is_of_itself() const { return foreign_.parent == child_; }

  // The positions of the columns on this side, in the order of the foreign key. After Begin.
  const std::vector<uint32_t>& own_columns() const { return own_columns_; }

  // Makes the other table ready, once for each statement: takes its metadata lock until the
  // transaction ends, and opens it. kLockTimeout after the client was told why that lock is not to
  // be had. Cheap from the second time on. Rows are looked for and locked by `transaction`; null:
  // the connection's.
  Status Begin(engine::Database* database, txn::Transaction* transaction = nullptr);
  // The statement ends; no lock is given back.
  void End();

  // The position of the written table's index that serves the foreign key; the primary one where
  // none does.
  size_t own_index() const { return own_index_; }

  // And that of the other table, in lookup().
  size_t other_index() const { return other_index_; }

  // Do the columns on this side differ, byte by byte or by NULL, between two records of the table?
  // As a child: does anything of its index's entries? InnoDB looks for the parent then.
  bool Changes(const uchar* before, const uchar* after) const;
  // Does this column of own_columns() differ, likewise?
  bool ChangesColumn(uint32_t column, const uchar* before, const uchar* after) const;
  // After Begin. As a child: kNoReferencedRow when no parent has the values of the record, and the
  // record itself has not. As a parent: kRowIsReferenced when a child's row has. The other table's
  // row with the primary key `except` does not count; empty: all do.
  Status Check(const uchar* record, Bytes except = Bytes());
  // As a child, for many rows that are added: as Check, but the parent may be looked for later,
  // with those of other rows; by CheckGathered at the latest. Not where the table refers to itself.
  Status Gather(const uchar* record);
  Status CheckGathered();
  // As a parent: see engine::ReferenceCheck. Null when one of the tables is not there, or has no
  // index for the foreign key, or types do not match: as a child no parent is found then. As a
  // parent no row is referred to, as in InnoDB, unless child_lacks_index().
  engine::ReferenceCheck* lookup() const { return lookup_.get(); }
  // As a parent: the child is there, but has lost its index with foreign_key_checks=0. Nobody can
  // find its rows then, so no row of the parent may go, as in InnoDB.
  bool child_lacks_index() const { return child_lacks_index_; }
  // Has the record a NULL in the columns on this side?
  bool HasNull(const uchar* record) const;
  // The status that tells the client that this foreign key is in the way.
  Status Refused() const;
  // As a parent: the statement has not opened the child as the foreign key needs it, because the
  // foreign key came, or got other tables, while the statement opened its own. kDeadlock, with a
  // warning that says so: to be repeated.
  Status ChildNotOpen() const;

 private:
  bool FindOwnColumns();
  bool FindOwnIndex();
  void AddWatched(size_t index);
  void MakeLookup(const std::shared_ptr<engine::Table>& other,
                  const std::vector<uint32_t>& other_columns);
  Status OpenOther(engine::Database* database);
  Status LockOther(const engine::Database& database);
  std::optional<catalog::ForeignKey> Current(const engine::Database& database) const;
  void LookUpItself();
  // Which names of the foreign key's pairs are columns of the written table, and of the other.
  server::Side OwnNames() const;
  server::Side OtherNames() const;

  OpenTable* const table_;
  const Side side_;
  const std::string child_;
  catalog::ForeignKey foreign_;  // its parent may get another name, see LockOther
  std::vector<uint32_t> own_columns_;
  std::vector<uint32_t> watched_;  // see Changes
  bool has_own_index_ = false;
  size_t own_index_ = 0;
  size_t other_index_ = 0;        // of lookup_
  engine::Table* own_ = nullptr;  // the table that lookup_ was made for
  RelatedTablePointer related_;   // null: the table itself, or there is none
  std::unique_ptr<engine::ReferenceCheck> lookup_;
  std::unique_ptr<engine::ReferenceBatch> gathered_;  // by Gather, in this statement
  bool child_lacks_index_ = false;
  bool begun_ = false;
};

}  // namespace basalt::server
