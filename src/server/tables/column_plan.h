// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <vector>

#include "base/status.h"
#include "codec/row_layout_change.h"
#include "codec/table_descriptor.h"
#include "engine/table.h"
#include "server/server_headers.h"

namespace basalt::server {

// What of an ALTER TABLE changes where rows have their columns, and can leave the rows as they are.
inline constexpr alter_table_operations kColumnOperations =
    ALTER_ADD_STORED_BASE_COLUMN | ALTER_DROP_STORED_COLUMN | ALTER_STORED_COLUMN_ORDER |
    ALTER_VIRTUAL_COLUMN_ORDER | ALTER_COLUMN_TYPE_CHANGE_BY_ENGINE | ALTER_COLUMN_NULLABLE;

// Where each column of the altered table comes from. kNotSupported: what the rows that are there
// get in a new one is not one value.
Status FindColumnOrigins(const TABLE& altered, const Alter_inplace_info& info,
                         const codec::TableDescriptor& target,
                         std::vector<codec::ColumnOrigin>* origins);

// kNotSupported: the column that `ttl_col` names does not stay. Rows have its value as their time
// stamp, too.
Status CheckLifeColumn(const engine::Table& table, const codec::TableDescriptor& target,
                       const std::vector<codec::ColumnOrigin>& origins);

// Finds out how the rows of a table, or of one partition, lie when its definition becomes that of
// `altered`, and notes it in `target`, which describes the altered table and has the versions of
// the indexes that stay. kNotSupported says why the rows have to be copied.
Status PlanColumns(const engine::Table& table, const TABLE& altered, const Alter_inplace_info& info,
                   codec::TableDescriptor* target);

}  // namespace basalt::server
