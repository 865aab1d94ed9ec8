// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "catalog/table_record.h"
#include "server/server_headers.h"
#include "store/options/preset_families.h"

// What CREATE TABLE says of a ROCKSDB table beyond the server's own words. The server fills it in;
// the name is the server's. One for each table or partition, part of its TABLE_SHARE.
struct ha_table_option_struct {
  unsigned compression;  // the number of a word, see storage_preset.cc
};

namespace basalt::store {
class Store;
}

namespace basalt::server {

// The table attributes of the engine, for handlerton::table_options. A word that is not among those
// of an attribute is refused by the server.
ha_create_table_option* TableOptions();

// COMPRESSION=fast or small of a table or partition, or the one that replaces TokuDB's word there;
// where that says nothing, ROW_FORMAT=COMPRESSED is small, and any other row format is the default.
store::StoragePreset PresetOf(const TABLE_SHARE& share, row_type format);

// The word of TokuDB, in capitals, that is the COMPRESSION of a table or partition: TOKUDB_ZLIB,
// TOKUDB_LZMA and TOKUDB_SMALL mean small, the others default. Null: the word is ours. Lives as
// long as the process.
const char* WordOfTokuDb(const TABLE_SHARE& share);

// That of a table or partition whose primary key is in this column family: its own, where that
// tells; else what the table says.
store::StoragePreset PresetOfRows(std::string_view family_name, const TABLE_SHARE& share);

// Puts an index whose column family nobody has chosen into that of the preset.
void UsePreset(store::StoragePreset preset, catalog::IndexRequest* request);

// The column family of a new index, as index_attributes.h says, or by its table's preset.
// kInvalidArgument as there, and for a family that is not in the store and may not be made.
Status PlaceIndex(const store::Store& store, const KEY& key, std::string_view table_name,
                  store::StoragePreset preset, catalog::IndexRequest* request);

}  // namespace basalt::server
