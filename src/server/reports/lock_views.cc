// SPDX-License-Identifier: GPL-2.0-only
#include "server/reports/lock_views.h"

#include <ctime>
#include <unordered_map>

#include "server/connections/session.h"
#include "server/information_schema/view.h"
#include "server/tables/index_names.h"
#include "server/variables/system_variables.h"

namespace basalt::server {

namespace {

constexpr uint kKeyLength = kTextLength;
constexpr uint kModeLength = 32;

ST_FIELD_INFO transaction_fields[] = {
    Show::Column("TRANSACTION_ID", Show::SLonglong(), NOT_NULL),
    Show::Column("STATE", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("WRITE_COUNT", Show::SLonglong(), NOT_NULL),
    Show::Column("LOCK_COUNT", Show::SLonglong(), NOT_NULL),
    Show::Column("TIMEOUT_SEC", Show::SLong(), NOT_NULL),
    Show::Column("WAITING_KEY", Show::Varchar(kKeyLength), NOT_NULL),
    Show::Column("WAITING_COLUMN_FAMILY_ID", Show::SLong(), NOT_NULL),
    Show::Column("IS_REPLICATION", Show::SLong(), NOT_NULL),
    Show::Column("SKIP_TRX_API", Show::SLong(), NOT_NULL),
    Show::Column("READ_ONLY", Show::SLong(), NOT_NULL),
    Show::Column("HAS_DEADLOCK_DETECTION", Show::SLong(), NOT_NULL),
    Show::Column("NUM_ONGOING_BULKLOAD", Show::SLong(), NOT_NULL),
    Show::Column("THREAD_ID", Show::SLong(), NOT_NULL),
    Show::Column("QUERY", Show::Varchar(kNameLength), NOT_NULL),
    Show::CEnd(),
};

ST_FIELD_INFO lock_fields[] = {
    Show::Column("COLUMN_FAMILY_ID", Show::SLong(), NOT_NULL),
    Show::Column("TRANSACTION_ID", Show::SLong(), NOT_NULL),
    Show::Column("KEY", Show::Varchar(kKeyLength), NOT_NULL),
    Show::Column("MODE", Show::Varchar(kModeLength), NOT_NULL),
    Show::CEnd(),
};

ST_FIELD_INFO deadlock_fields[] = {
    Show::Column("DEADLOCK_ID", Show::SLonglong(), NOT_NULL),
    Show::Column("TIMESTAMP", Show::SLonglong(), NOT_NULL),
    Show::Column("TRANSACTION_ID", Show::SLonglong(), NOT_NULL),
    Show::Column("CF_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("WAITING_KEY", Show::Varchar(kKeyLength), NOT_NULL),
    Show::Column("LOCK_TYPE", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("INDEX_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("TABLE_NAME", Show::Varchar(kNameLength), NOT_NULL),
    Show::Column("ROLLED_BACK", Show::SLonglong(), NOT_NULL),
    Show::CEnd(),
};

std::string HexKey(Bytes key) { return HexOf(key, kKeyLength); }

// Only the hash of a locked row's key is known.
std::string HashedKey(IndexId index, txn::LockHash hash) {
  std::string bytes;
  AppendBigEndian32(&bytes, index.number);
  std::string text = HexOf(bytes) + "#";
  bytes.clear();
  AppendBigEndian64(&bytes, hash);
  return text + HexOf(bytes);
}

const char* NameOfKind(txn::LockKind kind) {
  switch (kind) {
    case txn::LockKind::kRowShared:
      return "SHARED";
    case txn::LockKind::kRowExclusive:
      return "EXCLUSIVE";
    case txn::LockKind::kRange:
      return "RANGE";
    case txn::LockKind::kInsert:
      break;
  }
  return "INSERT";
}

// What only the connection of a transaction knows.
struct ConnectionInfo {
  uint64_t thread_id = 0;
  uint64_t lock_wait_seconds = 0;
  bool replica = false;
  bool read_only = false;
  std::string query;
};

std::unordered_map<uint64_t, ConnectionInfo> Connections() {
  std::unordered_map<uint64_t, ConnectionInfo> connections;
  Session::ForEach([&](THD* thd, const Session& session) {
    ConnectionInfo& info = connections[session.transaction()->id()];
    info.thread_id = thd_get_thread_id(thd);
    info.lock_wait_seconds = LockWaitSeconds(thd);
    info.replica = thd->slave_thread != 0;
    info.read_only = thd->tx_read_only;
    char query[kNameLength];
    info.query.assign(query, thd_query_safe(thd, query, sizeof(query)));
  });
  return connections;
}

int FillTransactions(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  if (!MaySeeAll(thd)) return 0;
  const auto connections = Connections();
  for (const txn::TransactionInfo& info : database.transactions()->ActiveTransactions()) {
    const auto known = connections.find(info.id);
    const ConnectionInfo connection = known == connections.end() ? ConnectionInfo() : known->second;
    const bool failed = RowFiller(tables->table)
                            .Number(info.id)
                            .Text(info.prepared ? "PREPARED" : "STARTED")
                            .Text(HexOf(info.name))
                            .Number(info.writes)
                            .Number(info.row_locks)
                            .Number(connection.lock_wait_seconds)
                            .Text(info.waiting ? HexKey(info.wanted_key) : "")
                            .Number(info.waiting ? info.wanted_index.column_family : 0)
                            .Number(connection.replica)
                            .Number(0)
                            .Number(connection.read_only)
                            .Number(1)
                            .Number(0)
                            .Number(connection.thread_id)
                            .Text(connection.query)
                            .Store(thd);
    if (failed) return 1;
  }
  return 0;
}

int FillLocks(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  if (!MaySeeAll(thd)) return 0;
  txn::TransactionManager* transactions = database.transactions();
  for (const txn::LockTable::HeldLock& lock : transactions->locks()->HeldLocks()) {
    std::string bytes;
    AppendBigEndian32(&bytes, lock.index.number);
    std::string mode = lock.mode == txn::LockMode::kExclusive ? "X" : "S";
    if (lock.whole_index) mode += ",INDEX";
    const bool failed =
        RowFiller(tables->table)
            .Number(lock.index.column_family)
            .Number(lock.transaction)
            .Text(lock.whole_index ? HexOf(bytes) : HashedKey(lock.index, lock.hash))
            .Text(mode)
            .Store(thd);
    if (failed) return 1;
  }
  for (const txn::RangeLocks::HeldRange& range : transactions->ranges()->HeldRanges()) {
    const bool failed = RowFiller(tables->table)
                            .Number(range.index.column_family)
                            .Number(range.transaction)
                            .Text(HexOf(range.start) + ".." + HexOf(range.end))
                            .Text("RANGE")
                            .Store(thd);
    if (failed) return 1;
  }
  return 0;
}

int FillDeadlocks(const engine::Database& database, THD* thd, TABLE_LIST* tables) {
  if (!MaySeeAll(thd)) return 0;
  for (const txn::DeadlockReport& report : database.transactions()->waits()->Deadlocks()) {
    for (size_t i = report.members.size(); i-- > 0;) {  // the victim last, as MyRocks has it
      const txn::DeadlockReport::Member& member = report.members[i];
      const IndexName name = NameOfIndex(database, member.index);
      const bool failed = RowFiller(tables->table)
                              .Number(report.number)
                              .Number(static_cast<uint64_t>(report.unix_seconds))
                              .Number(member.transaction)
                              .Text(ColumnFamilyName(database, member.index.column_family))
                              .Text(HexKey(member.key))
                              .Text(NameOfKind(member.wanted))
                              .Text(name.index)
                              .Text(name.table)
                              .Number(i == 0)
                              .Store(thd);
      if (failed) return 1;
    }
  }
  return 0;
}

}  // namespace

int InitTransactionView(void* table) noexcept {
  return InitView(table, transaction_fields, FillTransactions);
}

int InitLockView(void* table) noexcept { return InitView(table, lock_fields, FillLocks); }

int InitDeadlockView(void* table) noexcept {
  return InitView(table, deadlock_fields, FillDeadlocks);
}

std::string LastDeadlockText(const engine::Database& database) {
  const std::vector<txn::DeadlockReport> reports = database.transactions()->waits()->Deadlocks();
  if (reports.empty()) return {};
  const txn::DeadlockReport& last = reports.back();
  const std::time_t when = last.unix_seconds;
  std::tm local{};
  localtime_r(&when, &local);
  char time[32];
  std::strftime(time, sizeof(time), "%F %T", &local);
  std::string text =
      "Deadlock " + std::to_string(last.number) + " since the start, at " + time + "\n";
  for (size_t i = 0; i < last.members.size(); ++i) {
    const txn::DeadlockReport::Member& member = last.members[i];
    const txn::DeadlockReport::Member& blocker = last.members[(i + 1) % last.members.size()];
    const IndexName name = NameOfIndex(database, member.index);
    text += "Transaction " + std::to_string(member.transaction) + " waited for transaction " +
            std::to_string(blocker.transaction) + ": " + NameOfKind(member.wanted) + " on " +
            name.table + ", index " + name.index + ", key " + HexKey(member.key) +
            (i == 0 ? "; it was rolled back\n" : "\n");
  }
  return text;
}

}  // namespace basalt::server
