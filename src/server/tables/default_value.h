// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/status.h"
#include "server/server_headers.h"

namespace basalt::server {

// Does the server compute the DEFAULT of a column anew for each row? Of every other one the default
// record has the value.
bool IsComputedForEachRow(const Field& field);

// Finds out what the rows that are there get in a new column by its DEFAULT, and where that stands:
// *record is one of the altered table's record images, valid until the next call. A value in a BLOB
// may point into buffers of the statement.
//
// kNotSupported says why the rows have to be copied: they do not all get the same value, or a copy
// would have something to say of it. The statement's thread, with nobody else at the definition.
Status FindDefaultValue(const TABLE& altered, uint position, const uint8_t** record);

// Does an expression depend on nothing but columns and the statement?
bool IsSameInStatement(const Virtual_column_info& expression);
// Of a CHECK, for the altered table's first record image. False also when there is something to
// complain of.
bool IsTrueOrNull(const TABLE& altered, const Virtual_column_info& constraint);

}  // namespace basalt::server
