// SPDX-License-Identifier: GPL-2.0-only
//
// CREATE, DROP, RENAME, TRUNCATE, ANALYZE, OPTIMIZE; ALTER in place is in handler_alter.cc.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "codec/kv_format.h"
#include "server/connections/unsynced_definitions.h"
#include "server/definitions/table_dropper.h"
#include "server/error_map.h"
#include "server/foreign_keys/foreign_key_lists.h"
#include "server/foreign_keys/foreign_key_validation.h"
#include "server/foreign_keys/relatives_validation.h"
#include "server/foreign_keys/statement_foreign_keys.h"
#include "server/handler/handler.h"
#include "server/measures/statement_progress.h"
#include "server/plugin_state.h"
#include "server/tables/create_checks.h"
#include "server/tables/definition_files.h"
#include "server/tables/discovery.h"
#include "server/tables/file_names.h"
#include "server/tables/index_requests.h"
#include "server/tables/index_words.h"
#include "server/tables/storage_preset.h"
#include "server/tables/table_descriptor_builder.h"
#include "server/tables/table_name.h"
#include "server/tables/time_to_live.h"
#include "server/variables/system_variables.h"
#include "store/format/index_bounds.h"

namespace basalt::server {

namespace {

Status CreateTemporary(engine::Database& database, const codec::TableDescriptor& descriptor,
                       const TABLE& form, uint64_t auto_increment) {
  std::vector<catalog::IndexRecord> indexes(descriptor.indexes.size());
  for (size_t i = 0; i < indexes.size(); ++i) {
    indexes[i].kind = static_cast<catalog::IndexKind>(descriptor.indexes[i].kind);
    indexes[i].key_value_format_version = descriptor.indexes[i].kv_format_version;
    if (!IsFullText(descriptor.indexes[i])) continue;
    BASALT_RETURN_IF_ERROR(
        MakeWordRules(current_thd, &database, form.key_info[i], &indexes[i].word_rules));
  }
  catalog::TemporaryTables* tables = database.catalog()->temporary_tables();
  BASALT_RETURN_IF_ERROR(tables->Create(descriptor.name, std::move(indexes)));
  if (auto_increment != 0) {
    const IndexId primary = tables->Find(descriptor.name)->Primary()->id;
    database.CountersOf(primary)->SetAutoIncrement(auto_increment);
  }
  return Status::Ok();
}

Status CreateByName(engine::Database& database, const std::string& name, const TABLE& form,
                    const TimeToLive& life, store::StoragePreset preset, uint64_t auto_increment,
                    const catalog::ForeignKeySet& foreign_keys) {
  codec::TableDescriptor descriptor;
  BASALT_RETURN_IF_ERROR(BuildTableDescriptor(form, name, &descriptor));
  if (!MyRocksCompatibleFormat(current_thd)) codec::ChooseKvFormats(&descriptor);
  BASALT_RETURN_IF_ERROR(CheckKeys(descriptor));
  if (IsTemporaryTable(name)) return CreateTemporary(database, descriptor, form, auto_increment);
  std::vector<catalog::IndexRequest> requests;
  BASALT_RETURN_IF_ERROR(
      RequestIndexes(&database, descriptor, form, life.seconds, preset, &requests));
  catalog::TableDefinition definition;
  const bool defined = DefinitionOfNewTable(*database.catalog(), *form.s, name, &definition);
  return database.catalog()->CreateTable(name, requests, auto_increment, nullptr,
                                         defined ? &definition : nullptr, &foreign_keys);
}

Status CompactIndex(const engine::Table& table, const engine::Index& index,
                    StatementProgress* progress) {
  const store::IndexBounds bounds(index.id, index.reverse);
  store::ManualCompaction compaction;
  compaction.family = index.family;
  compaction.first = &bounds.lower();
  compaction.past_last = &bounds.upper();
  compaction.report = [progress](uint64_t done, uint64_t expected) {
    return progress->Report(done, expected);
  };
  return table.database()->store()->compactions().Compact(compaction);
}

bool HasFullTextIndex(const TABLE& table) {
  return std::any_of(table.key_info, table.key_info + table.s->keys,
                     [](const KEY& key) { return (key.flags & HA_FULLTEXT) != 0; });
}

// Words of rows that were written one by one come into blocks when the rows are written anew. Then
// OPTIMIZE TABLE leaves the work to the server, which makes it ALTER TABLE .. FORCE and ANALYZE
// TABLE. Tables that it would copy, while writers wait, are compacted only.
bool IsToBeWrittenAnew(const TABLE& table) {
  const bool is_copied =
      table.s->tmp_table != NO_TMP_TABLE || table.versioned() || table.s->long_unique_table;
  return HasFullTextIndex(table) && !is_copied;
}

// For RepairDefinitions.
void NoteRenameInRecovery(const std::string& old_name, const std::string& new_name) {
  for (const std::string& name : {old_name, new_name}) {
    State().ddl_recovery.renamed.insert(catalog::WholeOf(name));
  }
}

}  // namespace

int Handler::create(const char* name, TABLE* form, HA_CREATE_INFO* create_info) {
  if (int error = RefuseUnsupported(*form, *create_info)) return error;
  std::string table_name;
  Status status = TableNameOf(name, &table_name);
  if (!status.ok()) return ReportError(status, "creating the table");
  if (database_.catalog()->FindTable(table_name) != nullptr) return HA_ERR_TABLE_EXIST;
  TimeToLive life;
  if (int error = ReadTimeToLive(*form, table_name, &life)) return error;
  if (life.seconds != 0 && HasFullTextIndex(*form)) {
    my_error(ER_NOT_SUPPORTED_YET, MYF(0), "ROCKSDB: a FULLTEXT index of rows with a time to live");
    return HA_ERR_UNSUPPORTED;
  }
  const uint64_t auto_increment =
      form->found_next_number_field == nullptr ? 0 : create_info->auto_increment_value;
  catalog::ForeignKeySet foreign_keys;
  if (int error = ReadNewForeignKeys(*form, table_name, *create_info, &foreign_keys)) return error;
  status = CreateByName(database_, table_name, *form, life,
                        PresetOf(*form->s, create_info->row_type), auto_increment, foreign_keys);
  if (status.ok()) {
    if (catalog::IsPartitionName(table_name)) {
      NoteChangedDefinition(database_, name);  // its .par file
    }
    if (IsTemporaryTable(table_name) || catalog::IsPartitionName(table_name)) return 0;
    const int error = WriteFrmOfNewTable(form->s);
    if (error != 0) (void)DropTableByName(database_, table_name);
    return error;
  }
  if (status.code() == Code::kDuplicateKey) {
    return WarnOfForeignKeyName(ha_thd(), std::string(status.message()));
  }
  if (status.code() == Code::kNotSupported) {
    my_error(ER_NOT_SUPPORTED_YET, MYF(0), ("ROCKSDB: " + std::string(status.message())).c_str());
    return HandlerError(status);
  }
  if (status.code() == Code::kInvalidArgument) {
    my_error(ER_WRONG_ARGUMENTS, MYF(0), ("ROCKSDB: " + std::string(status.message())).c_str());
    return HandlerError(status);
  }
  return ReportError(status, "creating the table");
}

// The foreign keys that a new table is to have: those of the statement, and those that the copy of
// an ALTER keeps. The copy is checked against other tables when it gets their place.
int Handler::ReadNewForeignKeys(const TABLE& form, const std::string& name,
                                const HA_CREATE_INFO& create_info, catalog::ForeignKeySet* set) {
  if (create_info.alter_info == nullptr || catalog::IsPartitionName(name)) return 0;
  THD* thd = ha_thd();
  const Alter_info& alter = *create_info.alter_info;
  const DisplayNames names = NamesOfNewTable(thd, form, name);
  const NewChild child{DictionaryNameOf(names), &form, IsTemporaryTable(name)};
  catalog::ForeignKeySet before;
  if (catalog::IsTemporaryName(name)) {
    const std::string altered = NameOfAlteredTable(thd);
    const catalog::ForeignKeyMap::Keys keys = database_.catalog()->foreign_keys().OfChild(altered);
    if (keys != nullptr) before = *keys;
    set->keys = KeptForeignKeys(alter, before);
    for (catalog::ForeignKey& foreign : set->keys) {
      if (foreign.parent == altered) foreign.parent = child.name;
    }
  }
  std::vector<catalog::ForeignKey> added = ReadAddedForeignKeys(alter, names, /*in_place=*/false);
  NameAddedForeignKeys(names, before, &added);
  if (!added.empty() && MyRocksCompatibleFormat(thd)) {
    return RefuseForeignKeysForMyRocks(thd);
  }
  if (int error = ValidateForeignKeys(thd, &database_, child, &added)) return error;
  if (int error = ValidateNames(thd, *database_.catalog(), child, &added)) return error;
  set->keys.insert(set->keys.end(), added.begin(), added.end());
  return catalog::IsTemporaryName(name) ? 0 : ValidateRelatives(thd, &database_, child, {});
}

int Handler::delete_table(const char* path) {
  Status status = DropTableByPath(database_, path);
  if (status.ok()) return 0;
  if (status.code() == Code::kNotFound) return HA_ERR_NO_SUCH_TABLE;
  return Fail(std::move(status));
}

int Handler::rename_table(const char* from, const char* to) {
  std::string old_name;
  std::string new_name;
  Status status = TableNameOf(from, &old_name);
  if (status.ok()) status = TableNameOf(to, &new_name);
  if (status.ok()) {
    // The path of a partition is that of its table and the partition's name.
    const std::string_view table = catalog::TableOfPartition(old_name);
    const std::string path(from, std::strlen(from) - (old_name.size() - table.size()));
    if (!IsTemporaryTable(old_name)) StoreDefinitionOfFile(*database_.catalog(), path, old_name);
    status = SyncFormerRenames(from, to);
  }
  if (status.ok() && !catalog::IsTemporaryName(new_name) && State().recovered) {
    if (int error = ValidateRelativesOfRename(ha_thd(), &database_, old_name, new_name))
      return error;
  }
  if (status.ok()) {
    const catalog::ChildNames names{DisplayNamesOf(old_name).table, DisplayNamesOf(new_name).table};
    status = database_.catalog()->RenameTable(old_name, new_name, names);
  }
  if (status.code() == Code::kDuplicateKey) {
    WarnOfForeignKeyName(ha_thd(), std::string(status.message()));
    my_error(ER_TABLE_EXISTS_ERROR, MYF(0), to);  // as in InnoDB
    return HA_ERR_TABLE_EXIST;
  }
  if (!State().recovered) NoteRenameInRecovery(old_name, new_name);
  NoteChangedDefinition(database_, from);
  NoteChangedDefinition(database_, to);
  if (status.ok()) return 0;
  if (status.code() == Code::kNotFound) return HA_ERR_NO_SUCH_TABLE;
  if (status.code() == Code::kInvalidArgument) return HA_ERR_TABLE_EXIST;
  // The server shows a number and its own text, never ours.
  if (status.code() == Code::kNoSpace) return HA_ERR_DISK_FULL;
  return Fail(std::move(status));
}

// Gives the table new indexes. Other instances of it, which the metadata lock keeps idle, find out
// when they enter their next statement.
int Handler::truncate() {
  codec::TableDescriptor descriptor = table_data()->descriptor();
  const engine::ReadIntent intent = rows()->intent();
  EndStatement();
  Status status = EmptyTableByName(database_, table_data()->name());
  std::shared_ptr<engine::Table> renewed;
  if (status.ok()) {
    status =
        engine::Table::Open(&database_, std::move(descriptor), table_data()->traits(), &renewed);
  }
  UseRenewedTable(std::move(renewed), intent);
  return status.ok() ? 0 : Fail(std::move(status));
}

// `renewed` null: nothing has changed after all.
void Handler::UseRenewedTable(std::shared_ptr<engine::Table> renewed,
                              const engine::ReadIntent& intent) {
  if (renewed != nullptr) open_.Exchange(std::move(renewed));
  reader_.Reset();
  ranges_.End();
  rows()->Bind(session()->transaction(), intent);
}

void Handler::update_create_info(HA_CREATE_INFO* create_info) {
  if (create_info->used_fields & HA_CREATE_USED_AUTO) return;
  if (table->found_next_number_field == nullptr) return;
  info(HA_STATUS_AUTO);
  create_info->auto_increment_value = stats.auto_increment_value;
}

// Asked of the table that EXCHANGE PARTITION is to exchange; `other` is the partitioned one.
bool Handler::check_if_incompatible_data(HA_CREATE_INFO* other, uint changes) {
  // The server has compared columns and options and will compare the keys. What else a table has
  // (index numbers, layout versions) goes with its rows when it changes its name.
  if (changes != IS_EQUAL_YES) return COMPATIBLE_DATA_NO;
  List<const char>& partitions = ha_thd()->lex->alter_info.partition_names;
  const char* partition = partitions.is_empty() ? "" : partitions.head();
  const std::string_view comment(other->comment.str, other->comment.length);
  return LivesLikePartition(*table, comment, partition) ? COMPATIBLE_DATA_YES : COMPATIBLE_DATA_NO;
}

int Handler::analyze(THD*, HA_CHECK_OPT*) {
  Status status = Measured([&] { return table_data()->statistics().Refresh(); });
  if (!status.ok()) {
    Fail(std::move(status));
    return HA_ADMIN_FAILED;
  }
  info(HA_STATUS_CONST | HA_STATUS_VARIABLE);
  return HA_ADMIN_OK;
}

int Handler::optimize(THD* thd, HA_CHECK_OPT*) {
  if (IsToBeWrittenAnew(*table)) return HA_ADMIN_TRY_ALTER;
  StatementProgress progress(thd);
  progress.Start(static_cast<unsigned>(table_data()->index_count()));
  for (size_t i = 0; i < table_data()->index_count(); ++i) {
    if (thd->killed) return HA_ADMIN_FAILED;
    if (i != 0) progress.NextStage();
    const Status status = CompactIndex(*table_data(), table_data()->index(i), &progress);
    if (status.ok()) continue;
    ReportError(status, "OPTIMIZE TABLE");
    return HA_ADMIN_FAILED;
  }
  return HA_ADMIN_OK;
}

}  // namespace basalt::server
