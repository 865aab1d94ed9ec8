// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/status.h"
#include "catalog/foreign_key.h"

namespace basalt::catalog {

// The dictionary's record of a child's foreign keys as bytes, type 0x40000003 of
// docs/format/dictionary.md. Pure functions without state.

// "database.table", never a partition: partitioned tables have no foreign keys.
std::string ForeignKeysKey(Bytes child);

// kInvalidArgument when the format has no room for it: a name of more than 65535 bytes, more than
// 65535 constraints or columns, none at all.
Status CheckForeignKeys(const ForeignKeySet& set);
// Of a set that CheckForeignKeys takes.
std::string EncodeForeignKeys(const ForeignKeySet& set);
// Takes any bytes: kCorruption when they do not follow the format, never a read outside of them.
// `key` is for the message.
Status DecodeForeignKeys(Bytes key, Bytes value, ForeignKeySet* set);

}  // namespace basalt::catalog
