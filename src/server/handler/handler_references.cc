// SPDX-License-Identifier: GPL-2.0-only
//
// Foreign keys: what the server asks of them, and what becomes of children when the row of a parent
// goes or changes.
#include <algorithm>
#include <functional>
#include <new>
#include <utility>

#include "server/foreign_keys/foreign_key_lists.h"
#include "server/handler/cascade.h"
#include "server/handler/handler.h"
#include "server/measures/statement_progress.h"
#include "server/tables/system_versioning.h"
#include "server/tables/table_name.h"

namespace basalt::server {

namespace {

// InnoDB refuses the fifteenth.
constexpr unsigned kDeepestCascade = 14;

// The server asks for the columns that a statement needs; a row that a foreign key changes is read
// and written as a whole.
class WholeRows {
 public:
  explicit WholeRows(TABLE* table)
      : table_(table), read_(table->read_set), write_(table->write_set) {
    table_->column_bitmaps_set(&table_->s->all_set, &table_->s->all_set);
  }
  ~WholeRows() { table_->column_bitmaps_set(read_, write_); }
  WholeRows(const WholeRows&) = delete;
  WholeRows& operator=(const WholeRows&) = delete;

 private:
  TABLE* const table_;
  MY_BITMAP* const read_;
  MY_BITMAP* const write_;
};

// A replica opens the tables of a statement at its first row event, and the server opens the
// children that events of this kind change. Behind it may come events of another kind: of REPLACE,
// of ON DUPLICATE KEY UPDATE, of triggers on the primary, of a DELETE from a system-versioned
// table. So children are opened here for whatever may come; the server finds them in its list then.
void OpenChildrenForRowEvents(THD* thd, List<FOREIGN_KEY_INFO>* keys) {
  List_iterator<FOREIGN_KEY_INFO> each(*keys);
  while (FOREIGN_KEY_INFO* key = each++) {
    if (!fk_modifies_child(key->delete_method) && !fk_modifies_child(key->update_method)) continue;
    void* room = thd->alloc(sizeof(TABLE_LIST));
    if (room == nullptr) return;
    auto* child = static_cast<TABLE_LIST*>(room);
    child->init_one_table_for_prelocking(
        key->foreign_db, key->foreign_table, nullptr, TL_FIRST_WRITE, TABLE_LIST::PRELOCK_FK,
        nullptr, trg2bit(TRG_EVENT_INSERT) | trg2bit(TRG_EVENT_UPDATE) | trg2bit(TRG_EVENT_DELETE),
        &thd->lex->query_tables_last, 0);
  }
}

// The server opens the children of a child by what the statement does to the first table. But a
// DELETE there that sets NULL here is an UPDATE here, which has actions of its own.
void OpenChildrenOfUpdatedChild(List<FOREIGN_KEY_INFO>* keys) {
  List_iterator<FOREIGN_KEY_INFO> each(*keys);
  while (FOREIGN_KEY_INFO* key = each++) {
    if (!fk_modifies_child(key->delete_method)) key->delete_method = key->update_method;
  }
}

}  // namespace

// --- What the server asks: also of a table of which it has read the definition only ---

std::string Handler::NameInDictionary() const {
  if (open_.is_open()) return table_data()->name();
  std::string name;
  (void)TableNameOf(table_share->normalized_path.str, &name);
  return name;
}

char* Handler::get_foreign_key_create_info() {
  const std::string text = DescribeForeignKeys(ha_thd(), *database_.catalog(), NameInDictionary());
  if (text.empty()) return nullptr;
  char* kept = new (std::nothrow) char[text.size() + 1];
  if (kept != nullptr) memcpy(kept, text.c_str(), text.size() + 1);
  return kept;
}

void Handler::free_foreign_key_create_info(char* text) { delete[] text; }

int Handler::get_foreign_key_list(THD* thd, List<FOREIGN_KEY_INFO>* list) {
  return ListForeignKeys(thd, *database_.catalog(), NameInDictionary(), *table, list);
}

int Handler::get_parent_foreign_key_list(THD* thd, List<FOREIGN_KEY_INFO>* list) {
  children_listed_at_ = database_.catalog()->foreign_keys().generation();
  const int error = ListForeignKeysTo(thd, *database_.catalog(), NameInDictionary(), *table, list);
  const TABLE_LIST* place = table->pos_in_table_list;
  if (error != 0 || place == nullptr) return error;
  if (place->prelocking_placeholder == TABLE_LIST::PRELOCK_FK) OpenChildrenOfUpdatedChild(list);
  if (place->prelocking_placeholder == TABLE_LIST::PRELOCK_NONE &&
      thd->lex->is_stmt_row_injection()) {
    OpenChildrenForRowEvents(thd, list);
  }
  return 0;
}

bool Handler::referenced_by_foreign_key() const noexcept {
  return database_.catalog()->foreign_keys().IsParent(table_data()->name());
}

bool Handler::can_switch_engines() {
  return !referenced_by_foreign_key() &&
         database_.catalog()->foreign_keys().OfChild(NameInDictionary()) == nullptr;
}

bool Handler::get_foreign_dup_key(char* child_table, uint child_table_length, char* child_key,
                                  uint child_key_length) {
  if (duplicate_in_child_.table.empty()) return false;
  snprintf(child_table, child_table_length, "%s", duplicate_in_child_.table.c_str());
  snprintf(child_key, child_key_length, "%s", duplicate_in_child_.key.c_str());
  return true;
}

// --- Rows that an ALTER has copied ---

// The server does this last, and then gives the copy the table's name. Where it fails, the server
// drops the copy, and says nothing of its own.
int Handler::CheckRowsOfCopy() {
  if (!open_.is_open() || !references_.waits_for_all_rows()) return 0;
  StatementProgress progress(ha_thd());
  Status checked = references_.CheckAllRows(&progress);
  if (checked.ok()) return 0;
  const int error = Fail(std::move(checked));
  print_error(error, MYF(0));
  return error;
}

// --- A parent's row goes (`after` null) or changes ---

int Handler::ChangeParent(const uchar* before, const uchar* after,
                          const std::function<int()>& write) {
  if (IsHistory(*table, before)) return write();
  const std::string own_row(rows()->reader().key());
  const std::string own_record = after == nullptr ? RecordForCascades(before) : std::string();
  std::vector<ChildChange> changes;
  for (const auto& reference : references_.children()) {
    if (after != nullptr && !reference->Changes(before, after)) continue;
    Status begun = reference->Begin(&database_);
    if (!begun.ok()) return Fail(std::move(begun));
    ChildChange change;
    if (!PlanChildChange(reference.get(), *table, own_row, before, after, &change)) continue;
    change.parent_record = own_record;
    changes.push_back(std::move(change));
  }
  const bool cascades = std::any_of(changes.begin(), changes.end(),
                                    [](const ChildChange& change) { return change.ChangesRows(); });
  const std::function<int()> change = [&] {
    return after == nullptr ? DeleteWithChildren(changes, write)
                            : UpdateWithChildren(changes, write);
  };
  return cascades ? AsOne(change) : change();
}

// Further steps may come back to a table that is a child, too, and to this record.
std::string Handler::RecordForCascades(const uchar* record) const {
  if (!references_.is_child()) return {};
  return std::string(reinterpret_cast<const char*>(record), table->s->reclength);
}

// What belongs to one row happens or does not: a statement with IGNORE goes on behind it.
int Handler::AsOne(const std::function<int()>& change) {
  txn::Transaction* transaction = session()->transaction();
  txn::Transaction::Savepoint savepoint{};
  const uint64_t versioned_rows = session()->versions()->rows();
  Status set = transaction->SetSavepoint(&savepoint);
  if (!set.ok()) return Fail(std::move(set));
  int error = change();
  if (error != 0 && error != HA_ERR_RECORD_IS_THE_SAME) {
    Status undone = transaction->RollbackToSavepoint(savepoint);
    session()->versions()->RollbackTo(versioned_rows);
    if (!undone.ok()) {
      ha_thd()->mark_transaction_to_rollback(true);
      error = Fail(std::move(undone));
    }
  }
  transaction->ReleaseSavepoint(savepoint);
  return error;
}

// The row goes first: a cascade that comes back to it must not find it again. Without a cascade
// rows that refer to it are looked for before, itself among them.
int Handler::DeleteWithChildren(const std::vector<ChildChange>& changes,
                                const std::function<int()>& write) {
  const bool cascades = std::any_of(changes.begin(), changes.end(),
                                    [](const ChildChange& change) { return change.ChangesRows(); });
  int error = cascades ? write() : 0;
  for (const ChildChange& change : changes) {
    if (error != 0) return error;
    error = React(change, /*deletes=*/true);
  }
  return error != 0 || cascades ? error : write();
}

// As in InnoDB children follow index by index, before the row has its new key there.
int Handler::UpdateWithChildren(const std::vector<ChildChange>& changes,
                                const std::function<int()>& write) {
  references_.ReactWith(&changes,
                        [this](const ChildChange& change) { return React(change, false); });
  int error = write();
  const int reaction = references_.EndReactions();
  return reaction != 0 ? reaction : error;
}

int Handler::React(const ChildChange& change, bool deletes) {
  if (change.ChangesRows() && !change.refused) return ChangeChildren(change, deletes);
  const CascadeStep* step = references_.step();
  if (!change.refused && step != nullptr && step->IsStillReferring(change))
    return Fail(change.reference->Refused());
  Status checked = RowReferences::CheckChild(change);
  return checked.ok() ? 0 : Fail(std::move(checked));
}

int Handler::ChangeChildren(const ChildChange& change, bool deletes) {
  RowReference* reference = change.reference;
  const bool removes = deletes && change.action == catalog::ReferenceAction::kCascade;
  const CascadeStep own{.table = table_data()->name(), .updates = !deletes};
  const CascadeStep step{.from = references_.step() == nullptr ? &own : references_.step(),
                         .table = reference->other_name(),
                         .updates = !removes,
                         .foreign_key = &reference->foreign().name,
                         .parent_row = change.parent_row,
                         .parent_index = reference->own_index(),
                         .parent_record = change.parent_record};
  std::vector<std::string> row_keys;
  Status collected = reference->lookup()->Collect(change.wanted, &row_keys);
  if (!collected.ok()) return Fail(std::move(collected));
  std::erase(row_keys, change.own_row);
  if (row_keys.empty()) return 0;
  if (change.impossible) return Fail(reference->Refused());
  // Where the chain has updated the table before, nobody knows what the rows are to become.
  if (step.updates && step.from->HasUpdated(step.table)) return Fail(reference->Refused());
  if (step.depth() > kDeepestCascade) {
    open_.set_error_text(std::string(reference->Refused().message()));
    push_warning_printf(ha_thd(), Sql_condition::WARN_LEVEL_WARN, HA_ERR_ROW_IS_REFERENCED,
                        "ROCKSDB: rows refer to one another over more than %u foreign keys: %s",
                        kDeepestCascade, open_.error_text().c_str());
    return HA_ERR_FK_DEPTH_EXCEEDED;
  }
  TABLE* child = FindOpenChild(ha_thd(), reference->other_name());
  if (child == nullptr) {
    const bool changed = children_listed_at_ != database_.catalog()->foreign_keys().generation();
    return Fail(changed ? reference->ChildNotOpen() : reference->Refused());
  }
  auto* handler = static_cast<Handler*>(child->file);
  const WholeRows whole(child);
  for (const std::string& row_key : row_keys) {
    if (ha_thd()->killed) return HA_ERR_ABORTED_BY_USER;
    const int error = handler->ChangeByForeignKey(row_key, change, removes, deletes, step);
    if (error != 0) return TakeFailure(*handler, error);
  }
  return 0;
}

// Of the child's handler: changes one of its rows as the parent's asks. Neither triggers nor the
// binary log hear of it: a replica's engine does the same.
int Handler::ChangeByForeignKey(Bytes row_key, const ChildChange& change, bool removes,
                                bool deletes, const CascadeStep& step) {
  StoreReference(row_key, ref);
  int error = ha_rnd_init(/*scan=*/false);
  if (error != 0) return error;
  error = ha_rnd_pos(table->record[0], ref);
  ha_rnd_end();
  if (error == HA_ERR_KEY_NOT_FOUND) return 0;  // an earlier step has removed it
  if (error != 0) return error;
  const CascadeStep* outer = references_.ReplaceStep(&step);
  if (removes && table->versioned(VERS_TIMESTAMP)) {
    store_record(table, record[1]);
    table->vers_update_end();
    error = update_row(table->record[1], table->record[0]);
  } else if (removes) {
    error = delete_row(table->record[0]);
  } else {
    error = UpdateByForeignKey(change, deletes);
  }
  references_.ReplaceStep(outer);
  return error;
}

int Handler::UpdateByForeignKey(const ChildChange& change, bool deletes) {
  store_record(table, record[1]);
  if (!AssignValues(change, deletes, table)) return Fail(change.reference->Refused());
  const bool versioned = table->versioned(VERS_TIMESTAMP);
  if (versioned) table->vers_update_fields();
  if (table->vfield != nullptr && table->update_virtual_fields(this, VCOL_UPDATE_FOR_WRITE) != 0) {
    return HA_ERR_INTERNAL_ERROR;
  }
  const int error = update_row(table->record[1], table->record[0]);
  if (error == HA_ERR_RECORD_IS_THE_SAME) return 0;
  if (error == 0 && versioned) return AddHistory();
  if (error != HA_ERR_FOUND_DUPP_KEY) return error;
  const uint index = session()->duplicate_index();
  duplicate_in_child_ = {table->s->table_name.str,
                         index < table->s->keys ? table->key_info[index].name.str : ""};
  return HA_ERR_FOREIGN_DUPLICATE_KEY;
}

// The row as it was, behind its update; nothing where it began in this statement.
int Handler::AddHistory() {
  restore_record(table, record[1]);
  table->vers_update_end();
  const Field* begin = table->vers_start_field();
  const Field* end = table->vers_end_field();
  return begin->cmp(begin->ptr, end->ptr) >= 0 ? 0 : write_row(table->record[0]);
}

// What the client is told is what has gone wrong at the end of the chain.
int Handler::TakeFailure(const Handler& child, int error) {
  if (&child == this) return error;
  open_.set_error_text(child.open_.error_text());
  duplicate_in_child_ = child.duplicate_in_child_;
  return error;
}

}  // namespace basalt::server
