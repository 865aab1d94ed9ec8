// SPDX-License-Identifier: GPL-2.0-only
//
// ALTER TABLE without a copy: docs/ddl.md says which kinds there are.
#include <chrono>
#include <string>
#include <utility>

#include "server/connections/prepared_wait.h"
#include "server/connections/unsynced_definitions.h"
#include "server/error_map.h"
#include "server/foreign_keys/alter_foreign_keys.h"
#include "server/foreign_keys/foreign_key_sides.h"
#include "server/foreign_keys/foreign_key_validation.h"
#include "server/foreign_keys/latest_foreign_key_error.h"
#include "server/foreign_keys/reference_plan.h"
#include "server/handler/handler.h"
#include "server/tables/column_conversion.h"
#include "server/tables/column_plan.h"
#include "server/tables/column_sources.h"
#include "server/tables/create_checks.h"
#include "server/tables/definition_files.h"
#include "server/tables/index_names.h"
#include "server/tables/index_plan.h"
#include "server/tables/inplace_alter.h"
#include "server/tables/rebuild_plan.h"
#include "server/tables/storage_preset.h"
#include "server/tables/time_to_live.h"
#include "server/variables/system_variables.h"

namespace basalt::server {

namespace {

// What a table can be altered in without touching a row: names, defaults, comments and the virtual
// columns that no index has live in the server's definition only.
constexpr alter_table_operations kDefinitionOnly =
    ALTER_ADD_VIRTUAL_COLUMN | ALTER_DROP_VIRTUAL_COLUMN | ALTER_COLUMN_DEFAULT |
    ALTER_COLUMN_NAME | ALTER_RENAME | ALTER_RENAME_INDEX | ALTER_INDEX_ORDER |
    ALTER_INDEX_IGNORABILITY | ALTER_ADD_CHECK_CONSTRAINT | ALTER_DROP_CHECK_CONSTRAINT |
    ALTER_CHANGE_CREATE_OPTION | ALTER_PARTITIONED | ALTER_ADD_FOREIGN_KEY | ALTER_DROP_FOREIGN_KEY;
constexpr alter_table_operations kIndexes =
    ALTER_ADD_NON_UNIQUE_NON_PRIM_INDEX | ALTER_ADD_UNIQUE_INDEX |
    ALTER_DROP_NON_UNIQUE_NON_PRIM_INDEX | ALTER_DROP_UNIQUE_INDEX | ALTER_CHANGE_INDEX_COMMENT |
    ALTER_COLUMN_INDEX_LENGTH;
// Nothing that a table of ours has: no partition takes it.
constexpr alter_table_operations kAskAgain = ALTER_COLUMN_COLUMN_FORMAT;
constexpr ulong kOptionsOfDefinitionOnly =
    HA_CREATE_USED_COMMENT | HA_CREATE_USED_AUTO | HA_CREATE_USED_DEFAULT_CHARSET |
    HA_CREATE_USED_MIN_ROWS | HA_CREATE_USED_MAX_ROWS | HA_CREATE_USED_AVG_ROW_LENGTH |
    HA_CREATE_USED_STATS_PERSISTENT | HA_CREATE_USED_STATS_AUTO_RECALC |
    HA_CREATE_USED_STATS_SAMPLE_PAGES;
// ENGINE= of the same engine is how users ask for rows written anew.
constexpr ulong kOptionsOfRows = HA_CREATE_USED_ENGINE | HA_CREATE_USED_CHARSET |
                                 HA_CREATE_USED_ROW_FORMAT | HA_CREATE_USED_KEY_BLOCK_SIZE;

bool ChangesOptions(const Alter_inplace_info& info, ulong options) {
  return (info.handler_flags & ALTER_CHANGE_CREATE_OPTION) &&
         (info.create_info->used_fields & options);
}

// The plan of one handler: what is wrong with it was found when the server asked.
std::unique_ptr<InplaceAlter> NewAlter(THD* thd, std::shared_ptr<engine::Table> data, TABLE* table,
                                       TABLE* altered, const Alter_inplace_info& info,
                                       IndexPlan plan) {
  std::unique_ptr<RowConverter> converter;
  if (plan.rebuilds) converter = std::make_unique<RowConverter>(table, altered, info);
  return std::unique_ptr<InplaceAlter>(new (thd->mem_root) InplaceAlter(
      std::move(data), altered, std::move(plan), std::move(converter), thd));
}

// Rows of another preset lie in another column family.
bool NeedsNewRows(const TABLE& table, const TABLE& altered, const Alter_inplace_info& info) {
  return (info.handler_flags & kRebuildOperations) || ChangesOptions(info, kOptionsOfRows) ||
         PresetOf(*table.s, table.s->row_type) != PresetOf(*altered.s, altered.s->row_type);
}

// With the rows as they are, or, where that cannot be, with rows written anew.
Status PlanAlter(const engine::Table& data, const TABLE& table, const TABLE& altered,
                 const Alter_inplace_info& info, IndexPlan* plan) {
  const bool compatible = MyRocksCompatibleFormat(current_thd);
  if (!NeedsNewRows(table, altered, info)) {
    Status planned = PlanIndexes(data, table, altered, info, compatible, plan);
    if (planned.code() != Code::kNotSupported) return planned;
    *plan = IndexPlan();
  }
  return PlanRebuild(data, table, altered, info, compatible, plan);
}

// And what new foreign keys ask of the rows.
Status PlanAll(THD* thd, const std::shared_ptr<engine::Table>& data, const AlteredTable& altered,
               IndexPlan* plan) {
  BASALT_RETURN_IF_ERROR(PlanAlter(*data, altered.before, altered.after, altered.info, plan));
  return PlanReferences(thd, data, altered, *plan, &plan->references);
}

// The contexts of all partitions, or the one of a table without any. All partitions have one, or
// none has.
std::vector<InplaceAlter*> AltersOf(const Alter_inplace_info& info) {
  std::vector<InplaceAlter*> alters;
  if (info.group_commit_ctx == nullptr) {
    if (info.handler_ctx != nullptr) alters.push_back(static_cast<InplaceAlter*>(info.handler_ctx));
    return alters;
  }
  for (inplace_alter_handler_ctx** each = info.group_commit_ctx; *each != nullptr; ++each) {
    alters.push_back(static_cast<InplaceAlter*>(*each));
  }
  return alters;
}

const char* KeepReason(std::string_view reason) {
  return thd_strmake(current_thd, reason.data(), reason.size());
}

// What rows have stored of it, or the partition that they are in, is right no more.
bool AnyOutdated(const TABLE& altered, const Alter_inplace_info& info) {
  const std::vector<const Create_field*> definitions = DefinitionsOf(info);
  for (size_t i = 0; i < definitions.size() && i < altered.s->fields; ++i) {
    const Field& field = *altered.field[i];
    if (!IsComputedFromOthers(field, definitions)) continue;
    const bool tells_partition = (definitions[i]->field->flags & FIELD_IN_PART_FUNC_FLAG) != 0;
    if (field.stored_in_db() || tells_partition) return true;
  }
  return false;
}

// Whatever the indexes and rows become; null: nothing is against doing without a copy.
const char* WhyItCopies(const engine::Table& data, const TABLE& table, const TABLE& altered,
                        const Alter_inplace_info& info) {
  constexpr alter_table_operations kInPlace =
      kDefinitionOnly | kIndexes | kColumnOperations | kRebuildOperations;
  if (info.handler_flags & ~kInPlace) return "ROCKSDB does this by copying";
  if (ChangesOptions(info, ~(kOptionsOfDefinitionOnly | kOptionsOfRows))) {
    return "an option of the table that is changed by copying";
  }
  if (ChangesTimeToLive(table, altered, data.name(), info.handler_flags & ALTER_COLUMN_NAME)) {
    return "another time to live of rows";
  }
  if (AnyOutdated(altered, info)) {
    return "a generated column that is stored, or tells the partition, from other columns";
  }
  // The copy refuses it with its own words.
  if ((info.handler_flags & ALTER_ADD_VIRTUAL_COLUMN) && MyRocksCompatibleFormat(current_thd)) {
    return "a column that MyRocks cannot read";
  }
  // A counter can go up at once; how far it may go down only the rows tell.
  const uint64_t counter = data.counters().auto_increment();
  if (ChangesOptions(info, HA_CREATE_USED_AUTO) &&
      (altered.found_next_number_field == nullptr || counter == 0 ||
       info.create_info->auto_increment_value < counter)) {
    return "AUTO_INCREMENT= that may be below values of rows";
  }
  return nullptr;
}

// What the plan would come to.
enum_alter_inplace_result ResultOf(const engine::Table& data, const IndexPlan& plan,
                                   Alter_inplace_info* alter_info) {
  if ((plan.changes || plan.checks_rows || !plan.references.empty()) && data.lockless()) {
    alter_info->unsupported_reason = "a temporary table, or a sequence";
    return HA_ALTER_INPLACE_NOT_SUPPORTED;
  }
  if (plan.checks_rows) {
    if (alter_info->ignore) {
      alter_info->unsupported_reason = "IGNORE: rows that break a CHECK are to go";
      return HA_ALTER_INPLACE_NOT_SUPPORTED;
    }
    alter_info->unsupported_reason = "rows are checked while nobody writes to the table";
    return HA_ALTER_INPLACE_NOCOPY_LOCK;
  }
  if (plan.added.empty() && plan.references.empty()) return HA_ALTER_INPLACE_INSTANT;
  if (ChangesOptions(*alter_info, HA_CREATE_USED_AUTO)) {
    // How far the counter is in the end, nobody knows now.
    alter_info->unsupported_reason = "AUTO_INCREMENT= is set while nobody writes to the table";
    return plan.rebuilds ? HA_ALTER_INPLACE_COPY_LOCK : HA_ALTER_INPLACE_NOCOPY_LOCK;
  }
  alter_info->unsupported_reason = plan.rebuilds ? "ROCKSDB writes all rows anew"
                                   : plan.added.empty()
                                       ? "ROCKSDB looks for the parents of all rows"
                                       : "ROCKSDB makes the entries of a new index from the rows";
  return plan.rebuilds ? HA_ALTER_INPLACE_COPY_NO_LOCK : HA_ALTER_INPLACE_NOCOPY_NO_LOCK;
}

enum_alter_inplace_result CheckPlan(const std::shared_ptr<engine::Table>& data,
                                    const AlteredTable& table, Alter_inplace_info* alter_info) {
  const TABLE& altered = table.after;
  IndexPlan plan;
  const Status planned = PlanAll(current_thd, data, table, &plan);
  if (!planned.ok()) {  // the copy tells errors
    if (planned.code() == Code::kNotSupported) {
      alter_info->unsupported_reason = KeepReason(planned.message());
    }
    return HA_ALTER_INPLACE_NOT_SUPPORTED;
  }
  for (const size_t added : plan.added) {
    if (plan.rebuilds) break;  // looked at as a new table is
    if (RefuseUnsupportedIndex(altered, altered.key_info[added]) != 0) return HA_ALTER_ERROR;
    if (alter_info->ignore && plan.target.indexes[added].unique) {
      alter_info->unsupported_reason = "IGNORE: of rows with the same value one is to stay";
      return HA_ALTER_INPLACE_NOT_SUPPORTED;
    }
  }
  return ResultOf(*data, plan, alter_info);
}

// Instant: nothing is against doing without a copy.
enum_alter_inplace_result CheckForeignKeys(engine::Database* database, const AlteredTable& altered,
                                           Alter_inplace_info* alter_info) {
  THD* thd = current_thd;
  if ((alter_info->handler_flags & ALTER_ADD_FOREIGN_KEY) && MyRocksCompatibleFormat(thd)) {
    RefuseForeignKeysForMyRocks(thd);
    return HA_ALTER_ERROR;
  }
  const char* reason = nullptr;
  const enum_alter_inplace_result result = CheckForeignKeysInPlace(thd, database, altered, &reason);
  if (reason != nullptr) alter_info->unsupported_reason = reason;
  return result;
}

// Under the lock that keeps everybody else from the table: what others have committed since the
// statement was let through, counts too.
bool SettleForeignKeys(const catalog::ForeignKeys& existing, const AlteredTable& altered) {
  THD* thd = current_thd;
  return LockRelatives(thd, existing, altered) == 0 && RefuseLosses(thd, existing, altered) == 0;
}

// False when there is none to keep, or the dictionary has it.
bool ReadNewDefinition(const catalog::Catalog& catalog, const std::string& table, Bytes frm,
                       catalog::TableDefinition* definition, Status* status) {
  if (frm.empty()) return false;
  *status = DefinitionFromFrm(frm, definition);
  if (!status->ok()) return false;
  if (!catalog::IsPartitionName(table)) return true;
  // The partitions are the same as before. Another one of them may have been here already.
  if (catalog.definitions().Has(table, definition->identity)) return false;
  catalog::TableDefinition old;
  if (catalog.definitions().Read(table, &old).ok()) definition->par = std::move(old.par);
  return true;
}

// A pass that is no pause when writers wait for it. Of a few changes each is: what they wait for
// then is the look for them.
constexpr std::chrono::milliseconds kShortPass{20};
constexpr uint64_t kFewChanges = 10;

// Until all of them, the partitions of one table, are nearly up to its writers. While one was
// built, those that were built before it have fallen behind.
Status CatchUp(const std::vector<InplaceAlter*>& alters) {
  while (true) {
    const auto begun = std::chrono::steady_clock::now();
    uint64_t total = 0;
    for (InplaceAlter* alter : alters) {
      uint64_t applied = 0;
      BASALT_RETURN_IF_ERROR(alter->ApplyChanges(&applied));
      total += applied;
    }
    const bool is_short = std::chrono::steady_clock::now() - begun < kShortPass;
    if (is_short || total <= kFewChanges) return Status::Ok();
  }
}

// Then what writers have changed is counted as well, and the optimizer is right at once.
Status CatchUpAndFlush(const std::vector<InplaceAlter*>& alters) {
  BASALT_RETURN_IF_ERROR(CatchUp(alters));
  bool any = false;
  for (InplaceAlter* alter : alters) {
    bool written = false;
    BASALT_RETURN_IF_ERROR(alter->FlushApplied(&written));
    any |= written;
  }
  return any ? CatchUp(alters) : Status::Ok();
}

Status WaitForPrepared(const engine::Table& table, THD* thd) {
  return WaitForDecision(*table.database()->transactions(), thd, table.primary().id);
}

// What is prepared and has no connection writes when it is committed.
Status WaitForWriters(const InplaceAlter& alter, THD* thd) {
  return alter.checks_rows() ? WaitForPrepared(alter.table(), thd) : Status::Ok();
}

// Others write to the parents meanwhile, and what they change is logged from a moment on when
// nobody does.
Status BeginParents(const InplaceAlter& alter, THD* thd) {
  if (alter.references() == nullptr) return Status::Ok();
  WriterBarrier barrier(thd);
  for (const engine::Table* parent : alter.references()->parents()) {
    BASALT_RETURN_IF_ERROR(barrier.Add(parent->name()));
    BASALT_RETURN_IF_ERROR(WaitForPrepared(*parent, thd));
  }
  return alter.references()->BeginParents();
}

// For the rest of the statement. Others go on writing the child, until the server has its lock.
Status EndWritesOfParents(InplaceAlter* alter, THD* thd) {
  if (alter->references() == nullptr) return Status::Ok();
  for (const engine::Table* parent : alter->references()->parents()) {
    BASALT_RETURN_IF_ERROR(WriterBarrier::Keep(thd, parent->name()));
    BASALT_RETURN_IF_ERROR(WaitForPrepared(*parent, thd));
  }
  return CatchUp({alter});
}

// What is prepared and has no connection may have changes that the indexes need.
Status CompleteAll(const std::vector<InplaceAlter*>& alters) {
  for (InplaceAlter* alter : alters) {
    BASALT_RETURN_IF_ERROR(WaitForPrepared(alter->table(), current_thd));
    BASALT_RETURN_IF_ERROR(alter->Complete());
  }
  return Status::Ok();
}

// What a table that is made so would be refused for. The client has been told then.
bool RefuseAsNew(const TABLE& altered, const std::string& name, const HA_CREATE_INFO& info) {
  TimeToLive life;
  return RefuseUnsupported(altered, info) != 0 || ReadTimeToLive(altered, name, &life) != 0;
}

// Of what rows and changes have run into: the server has said what a conversion loses.
bool ClientKnows(const Status& status) {
  return status.code() == Code::kDuplicateKey || current_thd->is_error();
}

// Has it failed? The client has been told then.
bool Failed(const Status& status) {
  if (status.ok()) return false;
  if (ClientKnows(status)) return true;
  if (status.code() != Code::kNoReferencedRow) return ReportError(status, "ALTER TABLE") != 0;
  const std::string text(status.message());
  NoteForeignKeyError(current_thd, text);
  my_error(ER_NO_REFERENCED_ROW_2, MYF(0), text.c_str());
  return true;
}

// A new primary index counts on where the old one was, or from `wanted` on. If the ALTER fails yet,
// what was set goes with the index.
Status TakeCountersOver(const std::vector<InplaceAlter*>& alters, uint64_t wanted) {
  for (const InplaceAlter* alter : alters) {
    const catalog::IndexRecord* primary = alter->new_primary();
    if (primary == nullptr) continue;
    const engine::Table& table = alter->table();
    const uint64_t next = wanted != 0 ? wanted : table.counters().auto_increment();
    if (next == 0) continue;
    BASALT_RETURN_IF_ERROR(table.database()->catalog()->auto_increments().Set(primary->id, next));
  }
  return Status::Ok();
}

uint64_t StoredBytes(const engine::Table& table) {
  const engine::TableStatistics::Sizes sizes = table.statistics().AllSizes();
  return sizes.stored_rows + sizes.stored_entries;
}

// Rows and entries are on disk twice until the old ones are dropped. Sorting needs as much again,
// for a while and not always: that refuses nothing. `prepared`: the partitions before this one.
Status CheckSpaceFor(const engine::Table& table, const std::vector<InplaceAlter*>& prepared) {
  uint64_t wanted = StoredBytes(table);
  for (const InplaceAlter* alter : prepared) wanted += StoredBytes(alter->table());
  const store::DiskSpace disk = table.database()->store()->errors().disk();
  if (disk.total == 0 || disk.free >= wanted) return Status::Ok();
  return Status(Code::kNoSpace, "the disk is too full: writing the rows anew takes about " +
                                    std::to_string(wanted) + " bytes, and " +
                                    std::to_string(disk.free) + " are free");
}

// The indexes are the table's: what fails now is space that comes back later.
void EndLogs(const std::string& table, const std::vector<InplaceAlter*>& alters) {
  for (InplaceAlter* alter : alters) {
    const Status status = alter->EndLog();
    if (status.ok()) continue;
    sql_print_warning("ROCKSDB: table %s: a log of changes stays until the next start: %s",
                      table.c_str(), status.ToString().c_str());
  }
}

void AbortAlter(const std::string& table, InplaceAlter* alter) {
  const Status status = alter->Abort();
  if (status.ok()) return;
  sql_print_warning("ROCKSDB: table %s: an index that was not built stays until the next start: %s",
                    table.c_str(), status.ToString().c_str());
}

}  // namespace

// Where a foreign key has the column, types change as they do with InnoDB, which copies for most.
bool Handler::can_convert_nocopy(const Field& field, const Column_definition& wanted) const {
  return KeepsBytes(field, wanted) || (KeepsValues(field, wanted) &&
                                       !IsInForeignKey(database_.catalog()->foreign_keys(),
                                                       table_data()->name(), field.field_name.str));
}

// Whether such an index has to be built anew, its plan decides.
Compare_keys Handler::compare_key_parts(const Field& old_field, const Column_definition& new_field,
                                        const KEY_PART_INFO& old_part,
                                        const KEY_PART_INFO& new_part) const {
  if (KeepsPart(old_field, new_field, old_part, new_part)) {
    return old_part.length == new_part.length ? Compare_keys::Equal
                                              : Compare_keys::EqualButKeyPartLength;
  }
  return handler::compare_key_parts(old_field, new_field, old_part, new_part);
}

enum_alter_inplace_result Handler::check_if_supported_inplace_alter(
    TABLE* altered_table, Alter_inplace_info* alter_info) {
  // The server takes the least of what partitions answer, and "instant" is less than "not
  // supported". It asks all of them again when one has added a flag: one that none of them takes.
  if (alter_info->handler_flags & kAskAgain) return HA_ALTER_INPLACE_NOT_SUPPORTED;
  const enum_alter_inplace_result result = CheckAlter(altered_table, alter_info);
  if (result == HA_ALTER_INPLACE_NOT_SUPPORTED && (alter_info->handler_flags & ALTER_PARTITIONED)) {
    alter_info->handler_flags |= kAskAgain;
  }
  return result;
}

enum_alter_inplace_result Handler::CheckAlter(TABLE* altered_table,
                                              Alter_inplace_info* alter_info) {
  const AlteredTable altered{table_data()->name(), *table, *altered_table, *alter_info};
  const enum_alter_inplace_result foreign_keys = CheckForeignKeys(&database_, altered, alter_info);
  if (foreign_keys != HA_ALTER_INPLACE_INSTANT) return foreign_keys;
  if (const char* why = WhyItCopies(*table_data(), *table, *altered_table, *alter_info)) {
    alter_info->unsupported_reason = why;
    return HA_ALTER_INPLACE_NOT_SUPPORTED;
  }
  return CheckPlan(open_.engine_table(), altered, alter_info);
}

// Nobody uses the table now: who has written to it has committed.
bool Handler::prepare_inplace_alter_table(TABLE* altered_table, Alter_inplace_info* alter_info) {
  IndexPlan plan;
  Status status = PlanAll(ha_thd(), open_.engine_table(),
                          {table_data()->name(), *table, *altered_table, *alter_info}, &plan);
  if (status.ok() && plan.rebuilds) {
    if (RefuseAsNew(*altered_table, table_data()->name(), *alter_info->create_info)) return true;
    status = CheckSpaceFor(*table_data(), AltersOf(*alter_info));
  }
  // Columns, or the family of an index, may change in some partitions only: then all have an alter
  // to commit, as the server ends its list of them at the first one without.
  if (status.ok() && (plan.changes || plan.checks_rows || !plan.references.empty() ||
                      (alter_info->handler_flags & (kIndexes | kColumnOperations)))) {
    auto alter = NewAlter(ha_thd(), open_.engine_table(), table, altered_table, *alter_info,
                          std::move(plan));
    status = alter->Prepare();
    alter_info->handler_ctx = alter.release();
  }
  return ReportError(status, "ALTER TABLE") != 0;
}

bool Handler::inplace_alter_table(TABLE*, Alter_inplace_info* alter_info) {
  if (alter_info->handler_ctx == nullptr) return false;
  auto* alter = static_cast<InplaceAlter*>(alter_info->handler_ctx);
  const Status status = Measured([&] {
    BASALT_RETURN_IF_ERROR(WaitForWriters(*alter, ha_thd()));
    BASALT_RETURN_IF_ERROR(BeginParents(*alter, ha_thd()));
    BASALT_RETURN_IF_ERROR(alter->Build());
    BASALT_RETURN_IF_ERROR(CatchUpAndFlush(AltersOf(*alter_info)));
    return EndWritesOfParents(alter, ha_thd());
  });
  return Failed(status);
}

void Handler::NoteNewDefinition(Bytes frm) { new_definition_ = frm; }

// All partitions at once, with the definition and foreign keys: one batch.
Status Handler::CommitAlter(const TABLE& altered, const Alter_inplace_info& alter_info) {
  Status status;
  catalog::TableDefinition definition;
  catalog::Catalog* catalog = database_.catalog();
  const bool defined =
      ReadNewDefinition(*catalog, table_data()->name(), new_definition_, &definition, &status);
  BASALT_RETURN_IF_ERROR(std::move(status));
  const catalog::TableDefinition* new_definition = defined ? &definition : nullptr;
  const catalog::NewForeignKeys foreign_keys = ForeignKeysAfter(
      catalog->foreign_keys(), {table_data()->name(), *table, altered, alter_info});
  std::vector<catalog::TableRecord> replacements;
  for (const InplaceAlter* alter : AltersOf(alter_info)) {
    replacements.push_back(alter->Replacement());
  }
  if (!replacements.empty()) {
    return catalog->ReplaceIndexes(replacements, new_definition, foreign_keys);
  }
  if (!foreign_keys.empty()) {
    return catalog->ReplaceForeignKeys(foreign_keys, table_data()->name(), new_definition);
  }
  return defined ? catalog->StoreDefinition(table_data()->name(), definition, /*sync=*/true)
                 : Status::Ok();
}

// The server calls it for one partition, which commits all of them; and for each to roll it back.
bool Handler::commit_inplace_alter_table(TABLE* altered_table, Alter_inplace_info* alter_info,
                                         bool commit) {
  if (!commit) {
    new_definition_.clear();
    if (alter_info->handler_ctx != nullptr) {
      AbortAlter(table_data()->name(), static_cast<InplaceAlter*>(alter_info->handler_ctx));
    }
    return false;
  }
  if (!SettleForeignKeys(database_.catalog()->foreign_keys(),
                         {table_data()->name(), *table, *altered_table, *alter_info})) {
    return true;
  }
  const std::vector<InplaceAlter*> alters = AltersOf(*alter_info);
  Status status = CompleteAll(alters);
  if (Failed(status)) return true;
  const bool counter = ChangesOptions(*alter_info, HA_CREATE_USED_AUTO);
  const uint64_t next = alter_info->create_info->auto_increment_value;
  if (status.ok() && counter && !table_data()->traits().temporary) {
    status = database_.catalog()->auto_increments().Set(table_data()->primary().id, next);
  }
  if (status.ok() && altered_table->found_next_number_field != nullptr) {
    status = TakeCountersOver(alters, counter ? next : 0);
  }
  if (status.ok()) status = CommitAlter(*altered_table, *alter_info);
  new_definition_.clear();
  if (status.code() == Code::kDuplicateKey) {
    // Another statement has taken the name since this one was let through.
    RefuseForeignKeyName(ha_thd(), table_data()->name(), std::string(status.message()));
    return true;
  }
  if (ReportError(status, "ALTER TABLE") != 0) return true;
  EndLogs(table_data()->name(), alters);
  NoteChangedDefinition(database_, table->s->normalized_path.str);
  alter_info->group_commit_ctx = nullptr;  // partitions need nothing more than this
  table_data()->counters().ForgetChange();
  ForgetIndexNames();
  if (counter) table_data()->counters().RaiseAutoIncrement(next);
  return false;
}

}  // namespace basalt::server
