// SPDX-License-Identifier: GPL-2.0-only
#include "engine/loads/explicit_load.h"

#include <utility>

#include "engine/database.h"
#include "engine/entry_name.h"

namespace basalt::engine {

ExplicitLoad::ExplicitLoad(Database* database, txn::BulkLoad::Progress progress,
                           Committer committer)
    : database_(database),
      progress_(std::move(progress)),
      committer_(std::move(committer)),
      transaction_(database->transactions()->NewTransaction()) {}

ExplicitLoad::~ExplicitLoad() = default;

Status ExplicitLoad::BeginPart(const std::shared_ptr<Table>& table, const Settings& settings) {
  if (!transaction_->active()) transaction_->Begin({});
  txn::LoadOptions options;
  options.buffer_bytes = settings.buffer_bytes;
  options.beside_rows = true;
  Part added;
  added.table = table;
  Status begun = BulkInsert::Begin(table, transaction_.get(), options, &added.insert);
  if (begun.code() == Code::kLockBusy) problem_ = Problem::kInUse;
  if (begun.ok()) {
    parts_.push_back(std::move(added));
  } else {
    Abort();
  }
  return begun;
}

Status ExplicitLoad::PartOf(const std::shared_ptr<Table>& table, const Settings& settings,
                            Part** part) {
  for (Part& known : parts_) {
    if (known.table != table) continue;
    *part = &known;
    return Status::Ok();
  }
  if (!parts_.empty() && catalog::TableOfPartition(parts_.front().table->name()) !=
                             catalog::TableOfPartition(table->name())) {
    bool lost = false;
    BASALT_RETURN_IF_ERROR(Finish(&lost));
  }
  BASALT_RETURN_IF_ERROR(BeginPart(table, settings));
  *part = &parts_.back();
  return Status::Ok();
}

// Of the first two keys either may be the greater one: who loads into a column family that runs
// backwards sorts the other way.
bool ExplicitLoad::ComesInOrder(Part* part, Bytes key) {
  const int direction = part->last.empty() ? 1 : key.compare(part->last) < 0 ? -1 : 1;
  if (!part->last.empty()) {
    if (key == part->last) return false;
    if (part->direction != 0 && direction != part->direction) return false;
    part->direction = direction;
  }
  part->last.assign(key);
  return true;
}

ExplicitLoad::Problem ExplicitLoad::CheckKey(Part* part, Bytes key, bool sorted) {
  if (sorted) return ComesInOrder(part, key) ? Problem::kOther : Problem::kOutOfOrder;
  if (part->keys.size() < kKnownKeys) {
    return part->keys.emplace(key).second ? Problem::kOther : Problem::kKnownKey;
  }
  return part->keys.contains(std::string(key)) ? Problem::kKnownKey : Problem::kOther;
}

Status ExplicitLoad::Insert(const std::shared_ptr<Table>& table, const uint8_t* record,
                            const Settings& settings) {
  problem_ = Problem::kOther;
  Part* part = nullptr;
  BASALT_RETURN_IF_ERROR(PartOf(table, settings, &part));
  if (!table->hidden_primary()) {
    problem_ = CheckKey(part, part->insert->PrimaryKeyOf(record), settings.sorted);
    if (problem_ == Problem::kOutOfOrder) {
      return Status(Code::kInvalidArgument, "rows are not in the order of the primary key");
    }
    if (problem_ == Problem::kKnownKey) return Status(Code::kDuplicateKey);
  }
  Status added = part->insert->Insert(record);
  if (added.ok()) [[likely]]
    return added;
  if (added.code() == Code::kDuplicateKey) {
    problem_ = Problem::kDuplicate;
    added = Status(Code::kDuplicateKey, part->insert->NameOfDuplicate());
  }
  Abort();
  return added;
}

// It may have another name by now. While indexes of it are built they would miss the rows.
bool ExplicitLoad::IsPresent(const Table& table) const {
  if (table.counters().change_log().is_open()) return false;
  size_t position = 0;
  const auto record = database_->catalog()->FindIndex(table.primary().id, &position);
  if (record == nullptr || record->indexes.size() != table.index_count()) return false;
  for (size_t i = 0; i < table.index_count(); ++i) {
    if (record->indexes[i].id != table.index(i).id) return false;
  }
  return true;
}

Status ExplicitLoad::FinishParts(bool* lost) {
  for (const Part& part : parts_) {
    if (!IsPresent(*part.table)) {
      *lost = true;
      return Status::Ok();
    }
    Status finished = part.insert->Finish(progress_);
    if (finished.code() == Code::kDuplicateKey) {
      problem_ = Problem::kDuplicate;
      return Status(Code::kDuplicateKey, part.insert->NameOfDuplicate());
    }
    if (finished.code() == Code::kInvalidArgument) problem_ = Problem::kOverlapping;
    BASALT_RETURN_IF_ERROR(std::move(finished));
  }
  BASALT_RETURN_IF_ERROR(
      committer_([this] { return transaction_->Commit(txn::Durability::kSync); }));
  for (const Part& part : parts_) part.table->counters().NoteLoaded();
  return Status::Ok();
}

void ExplicitLoad::Abort() {
  parts_.clear();
  if (transaction_->active()) (void)transaction_->Rollback();  // nothing of it was written
}

Status ExplicitLoad::Finish(bool* lost) {
  *lost = false;
  problem_ = Problem::kOther;
  if (parts_.empty()) return Status::Ok();
  Status status = FinishParts(lost);
  parts_.clear();
  if (transaction_->active()) {
    Status undone = transaction_->Rollback();
    if (status.ok()) status = std::move(undone);
  }
  return status;
}

}  // namespace basalt::engine
