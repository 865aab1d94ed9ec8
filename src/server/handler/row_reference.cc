// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/row_reference.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "codec/reference_copy.h"
#include "server/foreign_keys/foreign_key_lists.h"
#include "server/foreign_keys/statement_foreign_keys.h"
#include "server/tables/file_names.h"

namespace basalt::server {

namespace {

bool Differ(const Field& field, const uchar* one, const uchar* other) {
  const bool null = field.is_null_in_record(one);
  if (null != field.is_null_in_record(other)) return true;
  return !null && field.cmp_binary(field.ptr_in_record(one), field.ptr_in_record(other)) != 0;
}

}  // namespace

RowReference::RowReference(OpenTable* table, Side side, std::string child,
                           catalog::ForeignKey foreign)
    : table_(table), side_(side), child_(std::move(child)), foreign_(std::move(foreign)) {
  if (!FindOwnColumns()) return;
  watched_ = own_columns_;
  has_own_index_ = FindOwnIndex();
}

bool RowReference::FindOwnIndex() {
  const codec::TableDescriptor& own = table_->data()->descriptor();
  const std::optional<size_t> index = engine::FindReferenceIndex(own, own_columns_);
  own_index_ = index.value_or(own.primary);
  if (side_ == Side::kChild) {
    AddWatched(own_index_);
    AddWatched(own.primary);
  }
  return index.has_value();
}

void RowReference::AddWatched(size_t index) {
  for (const codec::KeyPart& part : table_->data()->descriptor().indexes[index].parts) {
    if (part.column < table_->server_table()->s->fields) watched_.push_back(part.column);
  }
}

server::Side RowReference::OwnNames() const {
  using Columns = catalog::ForeignKey::Columns;
  return side_ == Side::kChild ? &Columns::child : &Columns::parent;
}

server::Side RowReference::OtherNames() const {
  using Columns = catalog::ForeignKey::Columns;
  return side_ == Side::kChild ? &Columns::parent : &Columns::child;
}

bool RowReference::FindOwnColumns() {
  if (!own_columns_.empty()) return true;
  auto found = FindColumns(*table_->server_table(), foreign_, OwnNames());
  if (found) own_columns_ = std::move(*found);
  return found.has_value();
}

// Without a table or an index that fits there is no look-up: with foreign_key_checks=0 a parent can
// be missing, or be another table than it was.
void RowReference::MakeLookup(const std::shared_ptr<engine::Table>& other,
                              const std::vector<uint32_t>& other_columns) {
  if (side_ == Side::kParent && !has_own_index_) return;
  const codec::TableDescriptor& own = table_->data()->descriptor();
  const auto pairs = codec::MakePairs(own_columns_, other_columns);
  const std::optional<size_t> index = engine::FindReferenceIndex(*other, other_columns);
  child_lacks_index_ = side_ == Side::kParent && !index;
  if (!index || !codec::TypesMatch(own, other->descriptor(), pairs)) return;
  other_index_ = *index;
  lookup_ = std::make_unique<engine::ReferenceCheck>(own, other, *index, pairs);
}

// How the dictionary has the foreign key by now; none when its child has another name.
std::optional<catalog::ForeignKey> RowReference::Current(const engine::Database& database) const {
  const catalog::ForeignKeyMap::Keys keys = database.catalog()->foreign_keys().OfChild(child_);
  if (keys == nullptr) return std::nullopt;
  for (const catalog::ForeignKey& current : keys->keys) {
    if (current.name == foreign_.name) return current;
  }
  return std::nullopt;
}

// A RENAME of the other table does not wait for statements that write this one, and may be what the
// lock has waited for. A foreign key follows its parent, whose old name may be another table's. Of
// a child that is gone nobody knows the rows.
Status RowReference::LockOther(const engine::Database& database) {
  THD* thd = table_->server_table()->in_use;
  for (;;) {
    if (LockRelatedTable(thd, other_name(), MDL_SHARED_READ, MDL_TRANSACTION) != 0) {
      return Status(Code::kLockTimeout);
    }
    std::optional<catalog::ForeignKey> current = Current(database);
    if (current == foreign_) return Status::Ok();
    if (!current || side_ == Side::kParent) return ChildNotOpen();
    foreign_ = std::move(*current);
    related_.reset();
  }
}

Status RowReference::OpenOther(engine::Database* database) {
  THD* thd = table_->server_table()->in_use;
  BASALT_RETURN_IF_ERROR(LockOther(*database));
  if (related_ != nullptr && own_ == table_->data() &&
      related_->IsCurrent(*database->catalog(), other_name())) {
    return Status::Ok();
  }
  lookup_.reset();
  child_lacks_index_ = false;
  Status found = FindRelatedTable(thd, database, other_name(), &related_);
  if (found.code() == Code::kNotFound) return Status::Ok();
  BASALT_RETURN_IF_ERROR(std::move(found));
  const auto columns = related_->FindColumns(foreign_, OtherNames());
  if (columns) MakeLookup(related_->table, *columns);
  return Status::Ok();
}

void RowReference::LookUpItself() {
  if (lookup_ != nullptr && own_ == table_->data()) return;
  lookup_.reset();
  child_lacks_index_ = false;
  const auto columns = FindColumns(*table_->server_table(), foreign_, OtherNames());
  if (columns) MakeLookup(table_->engine_table(), *columns);
}

Status RowReference::Begin(engine::Database* database, txn::Transaction* transaction) {
  if (begun_ || !FindOwnColumns()) return Status::Ok();
  if (is_of_itself()) {
    LookUpItself();
  } else {
    BASALT_RETURN_IF_ERROR(OpenOther(database));
  }
  own_ = table_->data();
  if (transaction == nullptr) transaction = table_->session()->transaction();
  if (lookup_ != nullptr) lookup_->Begin(transaction);
  begun_ = true;
  return Status::Ok();
}

void RowReference::End() {
  gathered_.reset();
  if (begun_ && lookup_ != nullptr) lookup_->End();
  begun_ = false;
}

bool RowReference::Changes(const uchar* before, const uchar* after) const {
  for (const uint32_t column : watched_) {
    if (ChangesColumn(column, before, after)) return true;
  }
  return false;
}

bool RowReference::ChangesColumn(uint32_t column, const uchar* before, const uchar* after) const {
  return Differ(*table_->server_table()->field[column], before, after);
}

bool RowReference::HasNull(const uchar* record) const {
  return std::any_of(own_columns_.begin(), own_columns_.end(), [&](uint32_t column) {
    return table_->server_table()->field[column]->is_null_in_record(record);
  });
}

Status RowReference::Check(const uchar* record, Bytes except) {
  using Match = engine::ReferenceCheck::Match;
  if (lookup_ == nullptr) return HasNull(record) ? Status::Ok() : Refused();
  // A row may be its own parent before it is in the table: as in InnoDB, which writes an entry to
  // one index after the other, where the parent's comes first.
  if (is_of_itself() && side_ == Side::kChild && other_index_ < own_index_ &&
      lookup_->Matches(record, record)) {
    return Status::Ok();
  }
  Match match = Match::kNull;
  BASALT_RETURN_IF_ERROR(lookup_->Check(record, except, &match));
  if (match == Match::kNull) return Status::Ok();
  return (match == Match::kFound) == (side_ == Side::kChild) ? Status::Ok() : Refused();
}

Status RowReference::Gather(const uchar* record) {
  using Match = engine::ReferenceCheck::Match;
  if (lookup_ == nullptr) return Check(record);
  if (gathered_ == nullptr) gathered_ = std::make_unique<engine::ReferenceBatch>(lookup_.get());
  if (gathered_->Add(record) == Match::kAbsent) return Refused();
  return gathered_->full() ? CheckGathered() : Status::Ok();
}

Status RowReference::CheckGathered() {
  if (gathered_ == nullptr) return Status::Ok();
  bool missing = false;
  BASALT_RETURN_IF_ERROR(gathered_->Check(&missing));
  return missing ? Refused() : Status::Ok();
}

Status RowReference::Refused() const {
  THD* thd = table_->server_table()->in_use;
  // The client knows nothing of the copy that an ALTER makes.
  const std::string child = catalog::IsTemporaryName(child_) ? NameOfAlteredTable(thd) : child_;
  const std::string text = DescribeObstacle(thd, child, foreign_);
  return Status(side_ == Side::kChild ? Code::kNoReferencedRow : Code::kRowIsReferenced, text);
}

Status RowReference::ChildNotOpen() const {
  THD* thd = table_->server_table()->in_use;
  push_warning_printf(thd, Sql_condition::WARN_LEVEL_WARN, ER_LOCK_DEADLOCK,
                      "ROCKSDB: foreign keys of %s changed while the statement opened its tables",
                      QuotedTableName(child_).c_str());
  return Status(Code::kDeadlock);
}

}  // namespace basalt::server
