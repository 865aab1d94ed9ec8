// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <vector>

#include "server/server_headers.h"

namespace basalt::server {

// The columns that an expression looks at, each once.
std::vector<Field*> FieldsOf(const Virtual_column_info& expression);

// What an ALTER TABLE says of the columns of the altered table, by position.
std::vector<const Create_field*> DefinitionsOf(const Alter_inplace_info& info);

// Does a generated column of the altered table, which the table has already, look at other columns
// than before: at a new one, say, that has the name of one that is dropped? Or at a generated
// column that does. Then it has other values in the rows that are there. Expressions must be fixed.
bool IsComputedFromOthers(const Field& field, const std::vector<const Create_field*>& definitions);

}  // namespace basalt::server
