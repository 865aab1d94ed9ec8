// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/index_attributes.h"

#include <string>

#include "server/tables/table_name.h"

namespace basalt::server {
namespace {

ha_create_table_option index_options[] = {HA_IOPTION_STRING("COLUMN_FAMILY", column_family),
                                          HA_IOPTION_END};

Status Refused(const KEY& key, const std::string& what) {
  return Status(Code::kInvalidArgument,
                "index '" + std::string(key.name.str, key.name.length) + "': " + what);
}

}  // namespace

ha_create_table_option* IndexOptions() { return index_options; }

const char* FamilyAttributeOf(const KEY& key) {
  return key.option_struct == nullptr ? nullptr : key.option_struct->column_family;
}

Status ChooseFamilyOf(const KEY& key, std::string_view table_name, catalog::IndexRequest* request) {
  const std::string_view comment(key.comment.str, key.comment.length);
  const std::string_view partition = PartitionOf(table_name);
  BASALT_RETURN_IF_ERROR(ChooseColumnFamily(comment, partition, request));
  const char* attribute = FamilyAttributeOf(key);
  if (attribute == nullptr) return Status::Ok();
  const std::string family = attribute;
  if (!partition.empty()) {
    return Refused(key, "COLUMN_FAMILY cannot be given in a partitioned table; COMMENT '" +
                            std::string(partition) + "_cfname=" + family + "' can");
  }
  if (family.find(';') != std::string::npos) {
    return Refused(key, "the name of a column family cannot have ';'");
  }
  // A comment without "cfname=" is the name as a whole, as far as that goes.
  const std::string by_comment = request->column_family;
  const bool named = !comment.empty() && by_comment != comment;
  BASALT_RETURN_IF_ERROR(ChooseColumnFamily("cfname=" + family, partition, request));
  if (!named || by_comment == request->column_family) return Status::Ok();
  return Refused(key,
                 "COLUMN_FAMILY='" + family + "', but cfname=" + by_comment + " in its comment");
}

}  // namespace basalt::server
