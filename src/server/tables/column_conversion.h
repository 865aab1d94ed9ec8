// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "server/server_headers.h"

namespace basalt::server {

// Does each value of a stored column keep its meaning when the column is defined as wanted, so that
// no row has to be written anew? Of a longer VARCHAR, VARBINARY, TEXT or BLOB, a wider integer, an
// ENUM or SET with more members behind those it has, and a DECIMAL, BIT or time with more digits in
// as many bytes. Whether rows can be read so, and what becomes of indexes, others decide
// (column_plan.h, index_plan.h).
bool KeepsValues(const Field& field, const Column_definition& wanted);

// Does each value even keep its bytes? Of a longer VARCHAR or VARBINARY whose length takes as many
// bytes as before.
bool KeepsBytes(const Field& field, const Column_definition& wanted);

// Does a part of an index keep its meaning, too: the whole of such a VARCHAR or VARBINARY, or as
// many bytes of a column as before?
bool KeepsPart(const Field& field, const Column_definition& wanted, const KEY_PART_INFO& before,
               const KEY_PART_INFO& after);

}  // namespace basalt::server
