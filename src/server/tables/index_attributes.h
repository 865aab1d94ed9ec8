// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string_view>

#include "base/status.h"
#include "catalog/table_record.h"
#include "server/server_headers.h"

// What CREATE TABLE says of an index of a ROCKSDB table beyond the server's own words. The server
// fills it in; the name is the server's. One for each KEY.
struct ha_index_option_struct {
  char* column_family;  // null: not said
};

namespace basalt::server {

// The index attributes of the engine, for handlerton::index_options.
ha_create_table_option* IndexOptions();

// What COLUMN_FAMILY says of an index; null when it is not given. The definition's.
const char* FamilyAttributeOf(const KEY& key);

// Where an index of a new table or partition goes: by COLUMN_FAMILY='x', which means what
// "cfname=x" in its comment does, or by the comment (table_name.h). With the attribute a comment
// that names no family is a comment and nothing more. Sets request->column_family and the
// per-partition flag. kInvalidArgument when the two name different families, for names that no
// comment can have or that the engine keeps for itself, and for the attribute in a partition, of
// which the server does not notice changes.
Status ChooseFamilyOf(const KEY& key, std::string_view table_name, catalog::IndexRequest* request);

}  // namespace basalt::server
