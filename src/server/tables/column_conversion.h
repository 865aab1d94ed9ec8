// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "server/server_headers.h"

namespace basalt::server {

// Does each value of a stored column keep its meaning when the column is defined as wanted, so that
// no row has to be written anew? Of a longer VARCHAR, VARBINARY, TEXT or BLOB, a wider integer, and
// an ENUM or SET with more members behind those it has; but of a column of an index only where its
// bytes stay what they are. Whether rows can be read so, others decide (column_plan.h).
bool KeepsValues(const Field& field, const Column_definition& wanted);

}  // namespace basalt::server
