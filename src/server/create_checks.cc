// SPDX-License-Identifier: GPL-2.0-only
#include "server/create_checks.h"

#include <string>

#include "server/storage_preset.h"
#include "server/system_variables.h"

namespace basalt::server {

namespace {

int RefuseOption(const char* option) {
  my_error(ER_ILLEGAL_HA_CREATE_OPTION, MYF(0), "ROCKSDB", option);
  return HA_WRONG_CREATE_OPTION;
}

int RefuseFeature(const std::string& feature) {
  my_error(ER_NOT_SUPPORTED_YET, MYF(0), ("ROCKSDB: " + feature).c_str());
  return HA_ERR_UNSUPPORTED;
}

// Foreign keys are not in the table's definition: the server leaves them to the engine, which has
// to look at the statement.
bool StatementHasForeignKey() {
  const THD* thd = current_thd;
  switch (thd->lex->sql_command) {
    case SQLCOM_CREATE_TABLE:
    case SQLCOM_ALTER_TABLE:
    case SQLCOM_CREATE_INDEX:
      break;
    default:
      return false;
  }
  List_iterator<Key> keys(thd->lex->alter_info.key_list);
  while (const Key* key = keys++) {
    if (key->type == Key::FOREIGN_KEY && !key->old) return true;
  }
  return false;
}

const std::string& ReasonOfMyRocks() {
  static const std::string reason = " with rocksdb_myrocks_compatible_format=ON";
  return reason;
}

// MyRocks refuses to open a table with a generated column, and dies of one with a GEOMETRY column.
int RefuseColumnForMyRocks(const Field& field) {
  const std::string name = std::string("column '") + field.field_name.str + "'";
  if (field.vcol_info != nullptr) return RefuseFeature("generated " + name + ReasonOfMyRocks());
  if (field.type() == MYSQL_TYPE_GEOMETRY) {
    return RefuseFeature(name + " of a GEOMETRY type" + ReasonOfMyRocks());
  }
  return 0;
}

// What an index that MyRocks can read cannot have.
int RefuseIndexForMyRocks(const TABLE& form, const KEY& key, const std::string& name) {
  const std::string& reason = ReasonOfMyRocks();
  for (uint part = 0; part < key.user_defined_key_parts; ++part) {
    const KEY_PART_INFO& info = key.key_part[part];
    if (info.key_part_flag & HA_REVERSE_SORT) {
      return RefuseFeature("descending part of index '" + name + "'" + reason);
    }
    const Field& field = *form.field[info.fieldnr - 1];
    CHARSET_INFO* charset = field.charset();
    if ((charset->state & MY_CS_NOPAD) && field.has_charset() && charset != &my_charset_bin) {
      return RefuseFeature("index '" + name + "' on column '" + field.field_name.str +
                           "' with NO PAD collation " + charset->coll_name.str + reason);
    }
  }
  return 0;
}

int RefuseIndex(const TABLE& form, const KEY& key) {
  const std::string name(key.name.str, key.name.length);
  if (key.algorithm == HA_KEY_ALG_FULLTEXT || (key.flags & HA_FULLTEXT)) {
    return RefuseFeature("full-text index '" + name + "'");
  }
  if (key.flags & HA_SPATIAL) return RefuseFeature("spatial index '" + name + "'");
  return MyRocksCompatibleFormat(current_thd) ? RefuseIndexForMyRocks(form, key, name) : 0;
}

void WarnOfNeedlessOptions(const TABLE& form, const HA_CREATE_INFO& create_info) {
  THD* thd = current_thd;
  if ((create_info.used_fields & HA_CREATE_USED_ROW_FORMAT) &&
      create_info.row_type != ROW_TYPE_DEFAULT && create_info.row_type != ROW_TYPE_DYNAMIC &&
      create_info.row_type != ROW_TYPE_COMPRESSED) {
    push_warning(thd, Sql_condition::WARN_LEVEL_WARN, ER_ILLEGAL_HA_CREATE_OPTION,
                 "ROCKSDB: of the row formats only COMPRESSED has an effect");
  }
  if ((create_info.options & HA_LEX_CREATE_TMP_TABLE) &&
      PresetOf(*form.s, create_info.row_type) != store::StoragePreset::kDefault) {
    push_warning(thd, Sql_condition::WARN_LEVEL_WARN, ER_ILLEGAL_HA_CREATE_OPTION,
                 "ROCKSDB: COMPRESSION has no effect on a temporary table");
  }
  if ((create_info.used_fields & HA_CREATE_USED_KEY_BLOCK_SIZE) && create_info.key_block_size) {
    push_warning(thd, Sql_condition::WARN_LEVEL_WARN, ER_ILLEGAL_HA_CREATE_OPTION,
                 "ROCKSDB: KEY_BLOCK_SIZE has no effect");
  }
}

}  // namespace

int RefuseUnsupported(const TABLE& form, const HA_CREATE_INFO& create_info) {
  if (create_info.data_file_name != nullptr) return RefuseOption("DATA DIRECTORY");
  if (create_info.index_file_name != nullptr) return RefuseOption("INDEX DIRECTORY");
  if (StatementHasForeignKey()) return RefuseFeature("foreign keys");
  // With the record of one in the dictionary MyRocks does not start.
  if (create_info.sequence && MyRocksCompatibleFormat(current_thd)) {
    return RefuseFeature("sequences" + ReasonOfMyRocks());
  }
  for (uint i = 0; i < form.s->fields && MyRocksCompatibleFormat(current_thd); ++i) {
    if (int error = RefuseColumnForMyRocks(*form.field[i])) return error;
  }
  for (uint i = 0; i < form.s->keys; ++i) {
    if (int error = RefuseIndex(form, form.key_info[i])) return error;
  }
  WarnOfNeedlessOptions(form, create_info);
  return 0;
}

}  // namespace basalt::server
