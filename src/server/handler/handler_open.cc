// SPDX-License-Identifier: GPL-2.0-only
//
// Opening and closing, and what the engine says of itself.
#include <algorithm>
#include <string>
#include <utility>

#include "server/connections/changing_statement.h"
#include "server/error_map.h"
#include "server/handler/handler.h"
#include "server/tables/table_descriptor_builder.h"
#include "server/tables/table_name.h"
#include "server/variables/system_variables.h"

namespace basalt::server {

namespace {

// Only what is true; HA_BINLOG_STMT_CAPABLE comes and goes, see table_flags(). Rows are read in
// full before they are written; HA_REQUIRES_KEY_COLUMNS_FOR_DELETE makes the server compute the
// virtual columns of old rows that indexes have.
constexpr ::handler::Table_flags kTableFlags =
    HA_BINLOG_ROW_CAPABLE | HA_REC_NOT_IN_SEQ | HA_NULL_IN_KEY | HA_CAN_INDEX_BLOBS |
    HA_PARTIAL_COLUMN_READ | HA_TABLE_SCAN_ON_INDEX | HA_PRIMARY_KEY_IN_READ_INDEX |
    HA_PRIMARY_KEY_REQUIRED_FOR_POSITION | HA_CAN_SKIP_LOCKED | HA_CAN_ONLINE_BACKUPS |
    HA_ONLINE_ANALYZE | HA_CONCURRENT_OPTIMIZE | HA_DUPLICATE_POS | HA_CAN_VIRTUAL_COLUMNS |
    HA_CAN_GEOMETRY | HA_CAN_RTREEKEYS | HA_REQUIRES_KEY_COLUMNS_FOR_DELETE | HA_CAN_REPAIR |
    HA_CAN_SQL_HANDLER | HA_CAN_TABLES_WITHOUT_ROLLBACK | HA_CAN_FULLTEXT | HA_CAN_FULLTEXT_EXT;

constexpr uint kMaxKeyBytes = 3072;
constexpr uint kMaxPartBytesWithoutLargePrefix = 767;

// While the server reads a table's definition, primary_key is still 0 whatever the first index is.
// This is its own rule for what will be the primary key.
bool FirstIndexIsPrimary(const TABLE_SHARE& share) {
  const char* const name = share.keynames.type_names[0];
  // The server spells it as it does itself; a comparison by the charset takes ten times as long.
  if (strcmp(name, primary_key_name.str) == 0) [[likely]]
    return true;
  if (my_strcasecmp(system_charset_info, name, primary_key_name.str) == 0) return true;
  const KEY& key = share.key_info[0];
  if ((key.flags & HA_NOSAME) == 0 || key.algorithm == HA_KEY_ALG_LONG_HASH) return false;
  for (uint i = 0; i < key.user_defined_key_parts; ++i) {
    const Field& field = *share.field[key.key_part[i].fieldnr - 1];
    if (field.real_maybe_null()) return false;
    const bool whole_blob =
        field.type() == MYSQL_TYPE_BLOB && field.field_length == key.key_part[i].length;
    if (!whole_blob && field.key_length() != key.key_part[i].length) return false;
  }
  return true;
}

bool HasFullTextIndex(const TABLE_SHARE* share) {
  if (share == nullptr || share->key_info == nullptr) return false;
  return std::any_of(share->key_info, share->key_info + share->keys,
                     [](const KEY& key) { return (key.flags & HA_FULLTEXT) != 0; });
}

// Does the statement change rows by what a MATCH finds? That locks the rows, and no range. What
// replicas apply their primary has allowed.
bool ChangesByMatch(const THD& thd) {
  if (!ChangesByReading(thd.lex->sql_command) || thd.slave_thread) return false;
  for (SELECT_LEX* each = thd.lex->all_selects_list; each != nullptr;
       each = each->next_select_in_list()) {
    if (each->ftfunc_list->elements != 0) return true;
  }
  return false;
}

// Does the server reset a table because its use ends? A replica resets its temporary tables in the
// middle of a statement as well, when the server has read tables of its own for it (statistics,
// time zones). It reads these as if no table were locked; where none is, external_lock() comes.
bool ResetEndsUse(const THD& thd, const TABLE_SHARE& share) {
  return share.tmp_table == NO_TMP_TABLE || thd.locked_tables_mode != LTM_NONE;
}

}  // namespace

Handler::Handler(handlerton* hton, TABLE_SHARE* share, engine::Database& database)
    : ::handler(hton, share), database_(database) {
  thr_lock_data_init(nullptr, &lock_data_, nullptr);
}

Handler::~Handler() = default;

int Handler::open(const char* name, int, uint) {
  Handler_share* made = nullptr;
  lock_shared_ha_data();
  std::shared_ptr<TableShare> share;
  Status status = ShareOf(database_, name, *table, get_ha_share_ptr(), &share, &made);
  if (made != nullptr) set_ha_share_ptr(made);
  unlock_shared_ha_data();
  if (!status.ok()) {
    if (status.code() != Code::kNotFound) return Fail(std::move(status));
    // Not "no such table": the server would remove the .frm file, and with it what is known of the
    // table, because this engine can discover tables.
    my_printf_error(ER_UNKNOWN_ERROR,
                    "ROCKSDB: the store in %s has no table '%s', only its .frm file is there; DROP "
                    "TABLE removes it",
                    MYF(0), DataDirectory(), name);
    return kErrorDataDirectory;
  }
  open_.Open(std::move(share), MYSQL_SCHEMA_NAME.streq(table_share->db));
  // A scan of the whole table goes along the primary key: the server must know it, or an UPDATE
  // that moves rows in it would meet them again.
  key_used_on_scan = table_share->primary_key;
  ref_length =
      static_cast<uint>(table_data()->primary().codec->max_key_bytes() + kRowReferenceLengthBytes);
  return info(HA_STATUS_NO_LOCK | HA_STATUS_VARIABLE | HA_STATUS_CONST);
}

int Handler::close() {
  open_.Close();
  return 0;
}

// Statements may be logged where they lock the ranges they read: replayed in the order of their
// commits they then find the rows that they found here. What a replica applies its primary has
// allowed already. The server asks again for each statement.
::handler::Table_flags Handler::table_flags() const {
  THD* thd = ha_thd();
  if (thd == nullptr) return kTableFlags;
  if (UnsafeForBinlog(thd)) return kTableFlags | HA_BINLOG_STMT_CAPABLE;
  if (HasFullTextIndex(table_share) && ChangesByMatch(*thd)) return kTableFlags;
  if (thd_tx_isolation(thd) < ISO_REPEATABLE_READ) return kTableFlags;
  const Session* session = Session::IfAny(thd);
  const bool locks_ranges = session != nullptr && session->transaction()->active()
                                ? !session->transaction()->detects_conflicts()
                                : !HasMyRocksLockingStyle(thd);
  const bool logs_statements = locks_ranges || thd->slave_thread;
  return logs_statements ? kTableFlags | HA_BINLOG_STMT_CAPABLE : kTableFlags;
}

const char* Handler::index_type(uint index) {
  if (table_share->key_info[index].flags & HA_SPATIAL) return "SPATIAL";
  if (table_share->key_info[index].flags & HA_FULLTEXT) return "FULLTEXT";
  return IndexTypeIsLsmTree() ? "LSMTREE" : "BTREE";
}

uint Handler::max_supported_key_length() const { return kMaxKeyBytes; }
uint Handler::max_supported_key_part_length() const {
  return LargePrefix() ? kMaxKeyBytes : kMaxPartBytesWithoutLargePrefix;
}

// Of a table that is not open, too. What the dictionary does not know by this name is a table about
// to be made, or one with partitions, each of which has versions of its own: the newest gives most
// columns back, and what an entry does not hold is read from the row.
uint16_t Handler::FormatVersionOf(uint index) const {
  if (open_.is_open()) return table_data()->descriptor().indexes[index].kv_format_version;
  std::string name;
  if (!TableNameOf(table_share->normalized_path.str, &name).ok()) return codec::kKvFormatNewest;
  catalog::Catalog* catalog = database_.catalog();
  const auto record =
      IsTemporaryTable(name) ? catalog->temporary_tables()->Find(name) : catalog->FindTable(name);
  const bool known = record != nullptr && index < record->indexes.size();
  return known ? record->indexes[index].key_value_format_version : codec::kKvFormatNewest;
}

// Asked before the table is open, so it looks at the server's definition only. Once it is open, the
// optimizer asks eight times for an UPDATE by the primary key.
ulong Handler::index_flags(uint index, uint part, bool all_parts) const {
  if (table_share->key_info[index].flags & HA_FULLTEXT) return 0;  // searched with MATCH only
  // Searched with a window only; entries come in no order that SQL knows.
  if (table_share->key_info[index].flags & HA_SPATIAL) {
    return HA_READ_NEXT | HA_READ_RANGE | HA_KEY_SCAN_NOT_ROR;
  }
  ulong flags =
      HA_READ_NEXT | HA_READ_PREV | HA_READ_ORDER | HA_READ_RANGE | HA_DO_RANGE_FILTER_PUSHDOWN;
  if (table_share->partition_info_str_len != 0 &&
      LikeBounds::LosesBackwards(*table_share, table_share->key_info[index])) {
    flags &= ~static_cast<ulong>(HA_READ_PREV);
  }
  const bool primary =
      index == table_share->primary_key && (index != 0 || FirstIndexIsPrimary(*table_share));
  if (primary) return flags | HA_CLUSTERED_INDEX | HA_KEYREAD_ONLY;
  flags |= HA_DO_INDEX_COND_PUSHDOWN;
  const uint16_t version = FormatVersionOf(index);
  for (uint i = all_parts ? 0 : part; i <= part; ++i) {
    const bool readable =
        open_.is_open()
            ? readable_parts_.Has(*table_share, index, i, version)
            : IndexGivesColumnBack(*table_share, table_share->key_info[index], i, version);
    if (!readable) return flags;
  }
  return flags | HA_KEYREAD_ONLY;
}

int Handler::reset() {
  if (!open_.is_open()) return 0;
  if (rows()->bound() && !ResetEndsUse(*ha_thd(), *table_share)) return 0;
  CloseScan();
  // Under LOCK TABLES no external_lock() ends the statement.
  EndStatement();
  load_.Reset();
  rows()->unique().set_duplicate_mode(txn::LockMode::kShared);
  open_.ClearError();
  return 0;
}

int Handler::extra(enum ha_extra_function operation) {
  switch (operation) {
    case HA_EXTRA_KEYREAD:
    case HA_EXTRA_NO_KEYREAD:
      // The columns decide what is read.
      reader_.ForgetWantedColumns();
      break;
    case HA_EXTRA_IGNORE_DUP_KEY:
      load_.Forbid();
      break;
    case HA_EXTRA_WRITE_CAN_REPLACE:
    case HA_EXTRA_INSERT_WITH_UPDATE:
      load_.Forbid();
      if (open_.is_open()) rows()->unique().set_duplicate_mode(txn::LockMode::kExclusive);
      break;
    case HA_EXTRA_WRITE_CANNOT_REPLACE:
      if (open_.is_open()) rows()->unique().set_duplicate_mode(txn::LockMode::kShared);
      break;
    case HA_EXTRA_BEGIN_COPY:
    case HA_EXTRA_BEGIN_ALTER_IGNORE_COPY:
      if (open_.session() != nullptr && table->versioned(VERS_TRX_ID)) return versions_.BeginCopy();
      break;
    case HA_EXTRA_PREPARE_FOR_RENAME:
      if (int error = CheckRowsOfCopy()) return error;
      [[fallthrough]];
    case HA_EXTRA_PREPARE_FOR_DROP:
    case HA_EXTRA_FORCE_REOPEN:
      if (open_.is_open()) rows()->ReleaseCursors();
      break;
    default:
      break;
  }
  return 0;
}

}  // namespace basalt::server
