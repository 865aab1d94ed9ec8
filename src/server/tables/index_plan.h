// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/references/new_references.h"
#include "engine/table.h"
#include "server/server_headers.h"

namespace basalt::server {

// Where the indexes come from that a table is going to have after an ALTER in place.
struct IndexPlan {
  static constexpr size_t kNew = static_cast<size_t>(-1);

  // For each index of the altered table, in its order, with a hidden primary key last: its position
  // in the table as it is, or kNew.
  std::vector<size_t> origins;
  // Positions of those in the altered table that are to be built.
  std::vector<size_t> added;
  // The indexes differ, at least in their order, or rows lie in another way.
  bool changes = false;
  // Rows are written anew: all indexes are to be built (rebuild_plan.h).
  bool rebuilds = false;
  // Rows might break a CHECK that is new: each has to be looked at.
  bool checks_rows = false;
  // The altered table: numbers, versions and flags of the indexes it keeps are those of the
  // dictionary, those of new ones as they will be asked for (without numbers).
  codec::TableDescriptor target;
  // Foreign keys that are new, and whose rows have to be looked at; see PlanReferences.
  std::vector<engine::NewReference> references;
  // What the dictionary is to be asked for: requests[i] for added[i].
  std::vector<catalog::IndexRequest> requests;
};

// Plans for one table or partition. An index that goes to another column family by its comment is a
// new one, and so is one of which a column has got other bytes in keys. kNotSupported says why the
// table has to be copied: another primary key, uniqueness that the bytes of keys do not tell, new
// indexes of kinds that only the server keeps unique, keys that rows of an old layout could not be
// found by.
Status PlanIndexes(const engine::Table& table, const TABLE& before, const TABLE& altered,
                   const Alter_inplace_info& info, bool myrocks_compatible, IndexPlan* plan);

}  // namespace basalt::server
