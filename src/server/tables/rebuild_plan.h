// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/status.h"
#include "engine/table.h"
#include "server/server_headers.h"
#include "server/tables/index_plan.h"

namespace basalt::server {

// What of an ALTER TABLE gives columns values of another type, and what is computed from them.
inline constexpr alter_table_operations kConversions =
    ALTER_STORED_COLUMN_TYPE | ALTER_COLUMN_NOT_NULLABLE | ALTER_CONVERT_TO | ALTER_COLUMN_VCOL;

// What of an ALTER TABLE needs rows to be written anew, and can be done in place.
inline constexpr alter_table_operations kRebuildOperations =
    ALTER_ADD_PK_INDEX | ALTER_DROP_PK_INDEX | ALTER_RECREATE_TABLE | kConversions;

// Plans for one table or partition whose rows are written anew, with all its indexes, while others
// write: as a copy would make them. All indexes are new ones; the rows come from a RowConverter.
// kNotSupported says why the server has to copy the table. kInvalidArgument as PlaceIndex.
Status PlanRebuild(const engine::Table& table, const TABLE& before, const TABLE& altered,
                   const Alter_inplace_info& info, bool myrocks_compatible, IndexPlan* plan);

}  // namespace basalt::server
