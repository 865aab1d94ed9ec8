// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/database.h"
#include "engine/rows/row_access.h"
#include "engine/table.h"
#include "server/connections/read_lock.h"
#include "server/connections/session.h"
#include "server/handler/auto_increment.h"
#include "server/handler/cascade.h"
#include "server/handler/full_text_reader.h"
#include "server/handler/index_reader.h"
#include "server/handler/measured_call.h"
#include "server/handler/multi_range_reader.h"
#include "server/handler/open_table.h"
#include "server/handler/readable_parts.h"
#include "server/handler/row_references.h"
#include "server/handler/row_versions.h"
#include "server/handler/table_load.h"
#include "server/server_headers.h"

namespace basalt::server {

// One open instance of a table for one connection: the face of the engine towards the server's
// executor. The server calls it from the connection's thread only (store_lock excepted).
// Its parts do the work: OpenTable is what they share, IndexReader and MultiRangeReader read,
// TableLoad fills empty tables, AutoIncrement counts. Its functions stand in files by what is done:
//   handler_open.cc   open, close, clone, flags          handler_ddl.cc   create, drop, rename, ...
//   handler_lock.cc   statement and transaction framing  handler_info.cc  statistics, costs
//   handler_read.cc   reads                              handler_write.cc insert, update, delete
//   handler_alter.cc  ALTER TABLE in place               handler_check.cc CHECK and REPAIR TABLE
//   handler_references.cc  foreign keys, and what becomes of children
// No exception leaves a function of this class; error_map.cc makes handler errors of statuses.
class Handler final : public ::handler {
 public:
  // The database outlives the handler: the server ends the engine when none is left.
  Handler(handlerton* hton, TABLE_SHARE* share, engine::Database& database);
  ~Handler() override;

  // --- handler_open.cc ---
  int open(const char* name, int mode, uint test_if_locked) override;
  int close() override;
  Table_flags table_flags() const override;
  ulong index_flags(uint index, uint part, bool all_parts) const override;
  const char* index_type(uint index) override;
  uint max_supported_record_length() const override { return HA_MAX_REC_LENGTH; }
  uint max_supported_keys() const override { return MAX_KEY; }
  uint max_supported_key_parts() const override { return MAX_REF_PARTS; }
  uint max_supported_key_length() const override;
  uint max_supported_key_part_length() const override;
  uint8 table_cache_type() override { return HA_CACHE_TBL_NOCACHE; }  // it knows no snapshots
  const key_map* keys_to_use_for_scanning() override { return &key_map_full; }
  int reset() override;
  int extra(enum ha_extra_function operation) override;

  // --- handler_ddl.cc; check_if_incompatible_data is for EXCHANGE PARTITION ---
  int create(const char* name, TABLE* form, HA_CREATE_INFO* create_info) override;
  int delete_table(const char* name) override;
  int rename_table(const char* from, const char* to) override;
  int truncate() override;
  void update_create_info(HA_CREATE_INFO* create_info) override;
  bool check_if_incompatible_data(HA_CREATE_INFO* create_info, uint changes) override;
  int optimize(THD* thd, HA_CHECK_OPT* check_opt) override;
  int analyze(THD* thd, HA_CHECK_OPT* check_opt) override;
  ulonglong table_version() const override;

  // --- handler_alter.cc ---
  bool can_convert_nocopy(const Field& field, const Column_definition& wanted) const override;
  Compare_keys compare_key_parts(const Field& old_field, const Column_definition& new_field,
                                 const KEY_PART_INFO& old_part,
                                 const KEY_PART_INFO& new_part) const override;
  enum_alter_inplace_result check_if_supported_inplace_alter(
      TABLE* altered_table, Alter_inplace_info* alter_info) override;
  bool prepare_inplace_alter_table(TABLE* altered_table, Alter_inplace_info* alter_info) override;
  bool inplace_alter_table(TABLE* altered_table, Alter_inplace_info* alter_info) override;
  bool commit_inplace_alter_table(TABLE* altered_table, Alter_inplace_info* alter_info,
                                  bool commit) override;
  void NoteNewDefinition(Bytes frm);  // the .frm bytes that the running ALTER will commit

  // --- handler_check.cc: HA_ADMIN_OK, _CORRUPT, _FAILED ---
  int check(THD* thd, HA_CHECK_OPT* check_opt) override;
  int repair(THD* thd, HA_CHECK_OPT* check_opt) override;

  // --- handler_references.cc. Texts are the caller's until free_foreign_key_create_info ---
  char* get_foreign_key_create_info() override;
  void free_foreign_key_create_info(char* text) override;
  int get_foreign_key_list(THD* thd, List<FOREIGN_KEY_INFO>* list) override;
  int get_parent_foreign_key_list(THD* thd, List<FOREIGN_KEY_INFO>* list) override;
  bool referenced_by_foreign_key() const noexcept override;
  bool can_switch_engines() override;
  bool get_foreign_dup_key(char* child_table, uint child_table_length, char* child_key,
                           uint child_key_length) override;

  // --- handler_lock.cc ---
  int external_lock(THD* thd, int lock_type) override;
  int start_stmt(THD* thd, thr_lock_type lock_type) override;
  THR_LOCK_DATA** store_lock(THD* thd, THR_LOCK_DATA** to, thr_lock_type lock_type) override;
  uint lock_count() const override { return 0; }
  bool autoinc_lock_mode_stmt_unsafe() const override;  // handler_write.cc

  // --- handler_info.cc ---
  int info(uint flag) override;
  ha_rows records_in_range(uint index, const key_range* min_key, const key_range* max_key,
                           page_range* pages) override;
  double scan_time() override;
  double read_time(uint index, uint ranges, ha_rows rows) override;
  double keyread_time(uint index, uint ranges, ha_rows rows) override;
  ha_rows estimate_rows_upper_bound() override;
  bool get_error_message(int error, String* text) override;

  // --- handler_read.cc ---
  int rnd_init(bool scan) override;
  int rnd_end() override;
  int rnd_next(uchar* record) override;
  int rnd_pos(uchar* record, uchar* position) override;
  int rnd_pos_by_record(uchar* record) override;
  void position(const uchar* record) override;
  int index_init(uint index, bool sorted) override;
  int index_end() override;
  int index_read_map(uchar* record, const uchar* key, key_part_map parts,
                     enum ha_rkey_function find) override;
  int index_read_last_map(uchar* record, const uchar* key, key_part_map parts) override;
  int index_read_idx_map(uchar* record, uint index, const uchar* key, key_part_map parts,
                         enum ha_rkey_function find) override;
  int index_next(uchar* record) override;
  int index_prev(uchar* record) override;
  int index_first(uchar* record) override;
  int index_last(uchar* record) override;
  int index_next_same(uchar* record, const uchar* key, uint key_bytes) override;
  int read_range_first(const key_range* start, const key_range* end, bool eq_range,
                       bool sorted) override;
  int read_range_next() override;
  int prepare_range_scan(const key_range* start, const key_range* end) override;
  Item* idx_cond_push(uint index, Item* condition) override;
  bool rowid_filter_push(Rowid_filter* filter) override;
  void unlock_row() override;
  // UPDATE under READ COMMITTED waits only for those locked rows that it is going to change.
  void try_semi_consistent_read(bool yes) override;
  bool was_semi_consistent_read() override;
  void column_bitmaps_signal() override;

  int multi_range_read_init(RANGE_SEQ_IF* sequence, void* parameter, uint ranges, uint mode,
                            HANDLER_BUFFER* buffer) override;
  int multi_range_read_next(range_id_t* range_info) override;
  // Searches of FULLTEXT indexes; ft_handler is the one whose rows are read.
  FT_INFO* ft_init_ext(uint flags, uint index, String* query) override;
  int ft_init() override { return texts_.Begin(ft_handler); }  // before the first row, or again
  int ft_read(uchar* record) override;                         // the next row that matches
  OpenTable* open_table() { return &open_; }  // for CountQuery, which reads in the server's place

  // --- handler_write.cc ---
  int write_row(const uchar* record) override;
  int update_row(const uchar* before, const uchar* after) override;
  int delete_row(const uchar* record) override;
  void get_auto_increment(ulonglong offset, ulonglong increment, ulonglong wanted, ulonglong* first,
                          ulonglong* reserved) override;
  void start_bulk_insert(ha_rows rows, uint flags) override;
  int end_bulk_insert() override;

 private:
  // Bytes at the end of a row reference that hold the length of its key.
  static constexpr size_t kRowReferenceLengthBytes = 2;

  engine::Table* table_data() const { return open_.data(); }
  engine::RowAccess* rows() const { return open_.rows(); }
  Session* session() const { return open_.session(); }
  int Fail(Status status) { return open_.Fail(std::move(status)); }
  // Runs what reads: while the statement measures, its reads are counted to the table.
  template <typename Work>
  [[gnu::always_inline]] auto Measured(const Work& work,
                                       Direction direction = Direction::kForward) const {
    return server::Measured(open_, active_index, direction, work);
  }
  // handler_open.cc: the kv_format_version of an index.
  uint16_t FormatVersionOf(uint index) const;
  // handler_lock.cc: makes the session and the read intent ready for the statement, and back.
  int BeginStatement(THD* thd, thr_lock_type lock_type, bool opens);
  void EndStatement();
  // handler_alter.cc: can an ALTER do without a copy, and how; its end.
  enum_alter_inplace_result CheckAlter(TABLE* altered, Alter_inplace_info* alter_info);
  Status CommitAlter(const TABLE& altered, const Alter_inplace_info& alter_info);
  // handler_ddl.cc: what the statement says of them, checked
  int ReadNewForeignKeys(const TABLE& form, const std::string& name,
                         const HA_CREATE_INFO& create_info, catalog::ForeignKeySet* set);
  // The statement goes on with the table's other indexes.
  void UseRenewedTable(std::shared_ptr<engine::Table> renewed, const engine::ReadIntent& intent);
  // handler_info.cc:
  void FillRowsPerKey();              // rows that share a value, for every part of every index
  uint EntryBytes(uint index) const;  // of a secondary index, roughly
  // handler_read.cc
  void CloseScan();  // of either reader
  bool IsOnlyReadOfTransaction() const;
  bool EntryGivesColumnsOf(uint index, Item* condition) const;
  // ref_length bytes at `reference`: the key, zeros, and the key's length at the end.
  void StoreReference(Bytes row_key, uchar* reference) const;
  // handler_write.cc
  int FailWrite(Status status, size_t duplicate);  // `duplicate`: the index, of kDuplicateKey
  int InsertRow(const uchar* record);
  int UpdateRow(const uchar* before, const uchar* after);  // and nothing of other tables
  int DeleteRow(const uchar* record);
  // handler_references.cc
  std::string NameInDictionary() const;
  int CheckRowsOfCopy();  // an ALTER has copied all of them; tells the client of an error
  // Writes a row that others may refer to (`after` null: it goes), and changes or asks these.
  int ChangeParent(const uchar* before, const uchar* after, const std::function<int()>& write);
  std::string RecordForCascades(const uchar* record) const;
  int AsOne(const std::function<int()>& change);  // as a whole, or not at all
  int DeleteWithChildren(const std::vector<ChildChange>& changes,
                         const std::function<int()>& write);
  int UpdateWithChildren(const std::vector<ChildChange>& changes,
                         const std::function<int()>& write);
  int React(const ChildChange& change, bool deletes);  // one child: refuses, or changes its rows
  int ChangeChildren(const ChildChange& change, bool deletes);
  int ChangeByForeignKey(Bytes row_key, const ChildChange& change, bool removes, bool deletes,
                         const CascadeStep& step);  // of the child's handler: one of its rows
  int UpdateByForeignKey(const ChildChange& change, bool deletes);
  int AddHistory();  // of a system-versioned child
  int TakeFailure(const Handler& child, int error);
  // Where a cascade has failed: a key of a child, which has the value already.
  struct DuplicateInChild {
    std::string table;
    std::string key;
  };
  engine::Database& database_;
  // The parts. Those that come first outlive the others, which borrow them.
  OpenTable open_{this};
  IndexReader reader_{&open_};
  MultiRangeReader ranges_{&open_, &reader_};
  FullTextReader texts_{&open_, &reader_};
  RowReferences references_{&open_, &database_};
  RowVersions versions_{&open_};
  TableLoad load_{&open_, &references_};
  AutoIncrement counter_{&open_, &reader_};
  mutable ReadableParts readable_parts_;  // what index_flags() has been asked
  DuplicateInChild duplicate_in_child_;
  uint64_t children_listed_at_ = 0;      // generation of the foreign keys that the server knows
  THR_LOCK_DATA lock_data_{};            // unused by the engine; the server wants one to exist
  thr_lock_type lock_type_ = TL_IGNORE;  // as settled by store_lock
  ReadLock read_lock_;                   // what it means for rows that are read
  bool only_read_ = false;               // the running look-up is all that the transaction reads
  std::string new_definition_;           // from NoteNewDefinition to the end of the ALTER
};

}  // namespace basalt::server
