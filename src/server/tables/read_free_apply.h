// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "engine/table.h"
#include "server/server_headers.h"

namespace basalt::server {

// What a replica is about to do to a row that it asks for by its primary key.
enum class UnreadChange : uint8_t { kNone, kUpdate, kDelete };

// May the row in table->record[0] be changed without being read? kNone: read it. Else it is the
// before image of the row event that this thread applies as a replica, rocksdb_read_free_rpl allows
// it, and the image is all that Update and Delete need: every column as the row has it.
//
// Not for: images that lack a column or were converted; tables whose index entries or further
// effects do not follow from the image alone (virtual columns in indexes, a time to live, system
// versioning, triggers that run here); tables of the database mysql, or of which an index is being
// built; a replica that passes over errors, because it is known to differ; BINLOG statements of a
// client; and, where there are secondary indexes, replication by file positions, which a crash may
// set back.
//
// Called from the connection's thread, for each row.
UnreadChange ChangeWithoutReading(TABLE* table, const engine::Table& data);

}  // namespace basalt::server
