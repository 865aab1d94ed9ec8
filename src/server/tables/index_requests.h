// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <vector>

#include "base/status.h"
#include "catalog/table_record.h"
#include "codec/table_descriptor.h"
#include "engine/database.h"
#include "server/server_headers.h"
#include "store/options/preset_families.h"

namespace basalt::server {

// What the dictionary is to be asked for when a table gets all its indexes, new or written anew: in
// the server's order of keys, a hidden primary key last. Versions are those of the descriptor. Rows
// live for `life_seconds`; 0: for ever. FULLTEXT indexes get the words that variables ask for now.
// Errors as of PlaceIndex and MakeWordRules.
Status RequestIndexes(engine::Database* database, const codec::TableDescriptor& descriptor,
                      const TABLE& form, uint64_t life_seconds, store::StoragePreset preset,
                      std::vector<catalog::IndexRequest>* requests);

// Whether keys of the table can be written at all: kNotSupported says what is too long.
Status CheckKeys(const codec::TableDescriptor& descriptor);

}  // namespace basalt::server
