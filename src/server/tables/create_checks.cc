// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/create_checks.h"

#include <string>

#include "server/tables/index_attributes.h"
#include "server/tables/storage_preset.h"
#include "server/variables/system_variables.h"

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

// For SHOW WARNINGS behind an error of MyRocks, which does not know of the switch.
void WarnThatFormatForbids() {
  push_warning(
      current_thd, Sql_condition::WARN_LEVEL_NOTE, ER_UNKNOWN_ERROR,
      "ROCKSDB: refused because of rocksdb_myrocks_compatible_format=ON: MyRocks could not "
      "read such an index");
}

// What an index that MyRocks can read cannot have, with the errors of MyRocks.
int RefuseIndexForMyRocks(const TABLE& form, const KEY& key) {
  if (key.flags & HA_SPATIAL) {
    return RefuseFeature("spatial index '" + std::string(key.name.str, key.name.length) + "'" +
                         ReasonOfMyRocks());
  }
  if (key.flags & HA_FULLTEXT) {
    return RefuseFeature("full-text index '" + std::string(key.name.str, key.name.length) + "'" +
                         ReasonOfMyRocks());
  }
  for (uint part = 0; part < key.user_defined_key_parts; ++part) {
    const KEY_PART_INFO& info = key.key_part[part];
    if (info.key_part_flag & HA_REVERSE_SORT) {
      WarnThatFormatForbids();
      return RefuseOption("DESC");
    }
    const Field& field = *form.field[info.fieldnr - 1];
    CHARSET_INFO* charset = field.charset();
    if ((charset->state & MY_CS_NOPAD) && field.has_charset() && charset != &my_charset_bin) {
      WarnThatFormatForbids();
      my_error(ER_MYROCKS_CANT_NOPAD_COLLATION, MYF(0));
      return HA_WRONG_CREATE_OPTION;
    }
  }
  return 0;
}

// The server looks at a table's attributes itself, and at those of partitions without a word: this
// asks it to speak. Where it would only warn, of a table's, nothing is said here.
int RefuseAttributesOfPartitions() {
  THD* thd = current_thd;
  partition_info* partitions = thd->lex->part_info;
  if (partitions == nullptr || thd->slave_thread ||
      (thd->variables.sql_mode & MODE_IGNORE_BAD_TABLE_OPTIONS)) {
    return 0;
  }
  List_iterator<partition_element> each(partitions->partitions);
  while (partition_element* partition = each++) {
    void* values = nullptr;
    if (partition->option_list != nullptr &&
        parse_option_list(thd, &values, &partition->option_list, TableOptions(),
                          /*suppress_warning=*/false, thd->mem_root)) {
      return HA_WRONG_CREATE_OPTION;
    }
  }
  return 0;
}

// The server refuses ENCRYPTED in CREATE TABLE. It keeps it in silence when a table moves here from
// another engine: what was encrypted would not be so any more, and nobody would know.
int RefuseEncryption(const HA_CREATE_INFO& create_info) {
  const THD* thd = current_thd;
  if (!(create_info.used_fields & HA_CREATE_USED_ENGINE) || thd->slave_thread ||
      (thd->variables.sql_mode & MODE_IGNORE_BAD_TABLE_OPTIONS)) {
    return 0;
  }
  for (const engine_option_value* option = create_info.option_list; option != nullptr;
       option = option->next) {
    if (my_strcasecmp(system_charset_info, option->name.str, "ENCRYPTED") == 0 &&
        option->value.str != nullptr &&
        my_strcasecmp(system_charset_info, option->value.str, "YES") == 0) {
      return RefuseOption("ENCRYPTED=YES");
    }
  }
  return 0;
}

bool HasIndexAttributes(const TABLE& form) {
  for (uint i = 0; i < form.s->keys; ++i) {
    if (FamilyAttributeOf(form.key_info[i]) != nullptr) return true;
  }
  return false;
}

void WarnOfNeedlessOptions(const TABLE& form, const HA_CREATE_INFO& create_info) {
  THD* thd = current_thd;
  if (!WarnsWithoutEffect()) return;
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
  if ((create_info.options & HA_LEX_CREATE_TMP_TABLE) && HasIndexAttributes(form)) {
    push_warning(thd, Sql_condition::WARN_LEVEL_WARN, ER_ILLEGAL_HA_CREATE_OPTION,
                 "ROCKSDB: COLUMN_FAMILY has no effect on a temporary table");
  }
  if ((create_info.used_fields & HA_CREATE_USED_KEY_BLOCK_SIZE) && create_info.key_block_size) {
    push_warning(thd, Sql_condition::WARN_LEVEL_WARN, ER_ILLEGAL_HA_CREATE_OPTION,
                 "ROCKSDB: KEY_BLOCK_SIZE has no effect");
  }
}

// What TokuDB's words mean there is not what they mean here.
void NoteWordOfTokuDb(const TABLE_SHARE& share, row_type format) {
  const char* word = WordOfTokuDb(share);
  if (word == nullptr) return;
  const bool small = PresetOf(share, format) == store::StoragePreset::kSmall;
  push_warning_printf(current_thd, Sql_condition::WARN_LEVEL_NOTE, ER_ILLEGAL_HA_CREATE_OPTION,
                      "ROCKSDB: COMPRESSION=%s is TokuDB's; the table is stored as with "
                      "COMPRESSION=%s",
                      word, small ? "small" : "default");
}

}  // namespace

int RefuseUnsupportedIndex(const TABLE& form, const KEY& key) {
  for (uint part = 0; (key.flags & HA_FULLTEXT) && part < key.user_defined_key_parts; ++part) {
    const Field& field = *form.field[key.key_part[part].fieldnr - 1];
    if (field.stored_in_db()) continue;
    return RefuseFeature("a FULLTEXT index of the virtual column '" +
                         std::string(field.field_name.str) + "'");
  }
  return MyRocksCompatibleFormat(current_thd) ? RefuseIndexForMyRocks(form, key) : 0;
}

int RefuseUnsupported(const TABLE& form, const HA_CREATE_INFO& create_info) {
  if (create_info.data_file_name != nullptr) return RefuseOption("DATA DIRECTORY");
  if (create_info.index_file_name != nullptr) return RefuseOption("INDEX DIRECTORY");
  if (int error = RefuseEncryption(create_info)) return error;
  if (int error = RefuseAttributesOfPartitions()) return error;
  // With the record of one in the dictionary MyRocks does not start.
  if (create_info.sequence && MyRocksCompatibleFormat(current_thd)) {
    return RefuseFeature("sequences" + ReasonOfMyRocks());
  }
  if (form.versioned(VERS_TRX_ID) && MyRocksCompatibleFormat(current_thd)) {
    return RefuseFeature("system versioning by transaction" + ReasonOfMyRocks());
  }
  for (uint i = 0; i < form.s->fields && MyRocksCompatibleFormat(current_thd); ++i) {
    if (int error = RefuseColumnForMyRocks(*form.field[i])) return error;
  }
  for (uint i = 0; i < form.s->keys; ++i) {
    if (int error = RefuseUnsupportedIndex(form, form.key_info[i])) return error;
  }
  WarnOfNeedlessOptions(form, create_info);
  NoteWordOfTokuDb(*form.s, create_info.row_type);
  return 0;
}

}  // namespace basalt::server
