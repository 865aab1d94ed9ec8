// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "engine/database.h"
#include "server/server_headers.h"
#include "txn/transaction.h"

namespace basalt::server {

// The rocksdb_* variables. They stand in tables (variables/variable_table.h): here those of the
// engine itself, in variables/ the rest by subject. What the border needs of their values is below.
// Names are those of MyRocks wherever it has the variable; docs/variables.md lists them.

// For the plugin's declaration.
st_mysql_sys_var** SystemVariables();

// What the global variables say about opening the store. Logs values that are not taken as given.
engine::Database::Options DatabaseOptionsFromVariables();

// rocksdb_datadir: where the store lies, relative to the server's data directory or absolute.
const char* DataDirectory();
// rocksdb_flush_log_at_trx_commit.
txn::Durability CommitDurability();
// rocksdb_lock_wait_timeout of the connection, in seconds.
uint64_t LockWaitSeconds(THD* thd);
// rocksdb_myrocks_compatible_format of the connection: new indexes are such that MyRocks reads
// them.
bool MyRocksCompatibleFormat(THD* thd);
// --- variables/session_variables.cc; those with a THD are the connection's ---
// Deadlocks that are remembered.
uint32_t KeptDeadlocks();
// rocksdb_debug_optimizer_n_rows: the rows of every table, to the optimizer; 0: as they are.
uint64_t RowsToldToOptimizer();
// OFF by rocksdb_no_create_column_family: indexes go into families that are there.
bool MayCreateColumnFamilies();
// rocksdb_unsafe_for_binlog: statements are logged as such, whatever they lock.
bool UnsafeForBinlog(THD* thd);
// rocksdb_warn_without_effect: what is accepted for the sake of old scripts is said to be so.
// Global: where a global variable is set, the connection's own cannot be read.
bool WarnsWithoutEffect();
bool PrintSnapshotConflicts();
bool RollbackOnTimeout();
// What every range is to be estimated at; 0: look.
uint64_t RecordsInRange(THD* thd, bool forced_index);
bool LockScannedRows(THD* thd);
uint32_t ManualCompactionThreads(THD* thd);
// 0 to 5, in MyRocks' numbers.
int PerfContextLevel(THD* thd);
bool SkipFillCache(THD* thd);

// --- Options of RocksDB that variables hand on as they are ---
void AdjustDatabase(store::StoreOptions* options);
void AdjustTableFiles(store::StoreOptions* options);

// rocksdb_large_prefix: index parts may have 3072 bytes, not only 767.
bool LargePrefix();
// rocksdb_index_type_lsmtree: what SHOW INDEX says of the kind of indexes.
bool IndexTypeIsLsmTree();
// rocksdb_validate_tables: what happens at start when the dictionary and the .frm files disagree.
enum class TableValidation : unsigned long { kOff = 0, kRefuse = 1, kMend = 2 };
TableValidation ValidateTables();
// rocksdb_start_server_without_engine: a store that cannot be opened does not stop the server.
bool ServerMayStartWithoutEngine();
// rocksdb_read_free_rpl: in which tables a replica changes rows without reading them.
enum class ReadFreeApply : unsigned long { kOff = 0, kWithoutSecondary = 1, kAnyTable = 2 };
ReadFreeApply ReadFreeApplyMode();
// rocksdb_locking_style of the connection: what its next transaction will do.
bool HasMyRocksLockingStyle(THD* thd);

// --- variables/bulk_load_variables.cc; of the connection ---
// rocksdb_bulk_load: rows of INSERT and LOAD DATA are gathered;
bool BulkLoad(THD* thd);
// ... and need not come in the order of the primary key.
bool BulkLoadAllowsUnsorted(THD* thd);
// rocksdb_auto_bulk_load of the connection: large statements fill empty tables by table files.
bool AutoBulkLoad(THD* thd);
// rocksdb_merge_buf_size of the connection: bytes that a load sorts in memory.
size_t MergeBufferBytes(THD* thd);
// What ends the load of a connection that turns rocksdb_bulk_load off. Set once, at start.
using LoadFinisher = void (*)(THD* thd);
void FinishLoadsBy(LoadFinisher finish);

}  // namespace basalt::server
