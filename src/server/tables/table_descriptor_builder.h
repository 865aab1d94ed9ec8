// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string_view>

#include "base/status.h"
#include "codec/table_descriptor.h"
#include "server/server_headers.h"

namespace basalt::server {

// Translates the server's definition of a table into the engine's: columns, their places in the
// record image, indexes, default values. The numbers of the indexes are left to engine::Table.
// kNotSupported names the column whose type or the index whose collation the engine does not have.
Status BuildTableDescriptor(const TABLE& table, std::string_view name,
                            codec::TableDescriptor* descriptor);

// True when entries of a secondary index of that format version give the column of part `part`
// back, so that the index can serve reads alone. Works on a definition that is not open yet.
bool IndexGivesColumnBack(const TABLE_SHARE& share, const KEY& key, uint part, uint16_t version);

}  // namespace basalt::server
