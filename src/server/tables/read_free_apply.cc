// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/read_free_apply.h"
#include "server/variables/system_variables.h"

// Replication's headers, which nothing else in the engine needs.
// clang-format off
#include <log_event.h>
#include <rpl_mi.h>
#include <rpl_rli.h>
#include <slave.h>
// clang-format on

namespace basalt::server {

namespace {

UnreadChange ChangeOf(Log_event_type type) {
  switch (type) {
    case UPDATE_ROWS_EVENT_V1:
    case UPDATE_ROWS_EVENT:
    case UPDATE_ROWS_COMPRESSED_EVENT_V1:
    case UPDATE_ROWS_COMPRESSED_EVENT:
      return UnreadChange::kUpdate;
    case DELETE_ROWS_EVENT_V1:
    case DELETE_ROWS_EVENT:
    case DELETE_ROWS_COMPRESSED_EVENT_V1:
    case DELETE_ROWS_COMPRESSED_EVENT:
      return UnreadChange::kDelete;
    default:
      return UnreadChange::kNone;
  }
}

// A row event has one bitmap for its before images; the table's read set says less, because it has
// the columns of the after images and of this server's own binary log, too.
bool HasWholeBeforeImages(const Rows_log_event& event, const TABLE& table) {
  return event.get_width() == table.s->fields && bitmap_is_set_all(event.get_cols());
}

// The server goes on to the search when it could not unpack the image; it has reported it then.
bool HasUnpackedImage(const rpl_group_info& group, TABLE* table) {
  table_def* definition = nullptr;
  TABLE* conversion = nullptr;
  return group.rli->last_error().number == 0 &&
         group.get_table_data(table, &definition, &conversion) && conversion == nullptr;
}

// Where an error may be passed over, the missing row that causes it is to be missed.
bool StopsAtErrors() {
  return slave_exec_mode_options == SLAVE_EXEC_MODE_STRICT && !use_slave_mask;
}

bool HasFurtherEffects(const TABLE& table) {
  const bool runs_triggers =
      table.triggers != nullptr && slave_run_triggers_for_rbr != SLAVE_RUN_TRIGGERS_FOR_RBR_NO;
  return runs_triggers || table.versioned() || table.s->period.unique_keys != 0;
}

bool EntriesFollowFromImage(const engine::Table& data) {
  return !data.lockless() && !data.hidden_primary() && !data.counters().change_log().is_open() &&
         !data.has_virtual_parts() && !data.primary().codec->has_ttl();
}

// An event that is applied once more, because the position was lost that its transaction had been
// committed with, would put entries twice that are removed once.
bool PositionsAreRows(const rpl_group_info& group) {
  return group.rli->mi->using_gtid != Master_info::USE_GTID_NO;
}

bool ModeAllows(const rpl_group_info& group, const engine::Table& data) {
  if (data.index_count() == 1) return true;
  return ReadFreeApplyMode() == ReadFreeApply::kAnyTable && PositionsAreRows(group);
}

}  // namespace

UnreadChange ChangeWithoutReading(TABLE* table, const engine::Table& data) {
  if (ReadFreeApplyMode() == ReadFreeApply::kOff) [[likely]]
    return UnreadChange::kNone;
  THD* const thd = table->in_use;
  // A BINLOG statement has another place for its group of events.
  rpl_group_info* const group = thd->slave_thread ? thd->rgi_slave : nullptr;
  if (group == nullptr || group->current_event == nullptr) return UnreadChange::kNone;
  const UnreadChange change = ChangeOf(group->current_event->get_type_code());
  if (change == UnreadChange::kNone) return change;
  const auto& event = static_cast<const Rows_log_event&>(*group->current_event);
  const bool allowed = group->m_table_map.get_table(event.get_table_id()) == table &&
                       ModeAllows(*group, data) && EntriesFollowFromImage(data) &&
                       HasWholeBeforeImages(event, *table) && HasUnpackedImage(*group, table) &&
                       StopsAtErrors() && !HasFurtherEffects(*table) &&
                       !MYSQL_SCHEMA_NAME.streq(table->s->db);
  return allowed ? change : UnreadChange::kNone;
}

}  // namespace basalt::server
