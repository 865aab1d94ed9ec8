// SPDX-License-Identifier: GPL-2.0-only
#include "engine/checks/table_repair.h"

#include <rocksdb/write_batch.h>

#include "engine/database.h"
#include "engine/indexes/index_rebuild.h"
#include "store/errors/status_map.h"

namespace basalt::engine {
namespace {

// Rows taken out with one write.
constexpr size_t kRowsInBatch = 1000;

}  // namespace

TableRepair::TableRepair(std::shared_ptr<Table> table, RepairDepth depth, TaskProgress* progress,
                         VirtualColumns* virtual_columns)
    : table_(std::move(table)),
      depth_(depth),
      progress_(progress),
      virtual_columns_(virtual_columns) {}

// Two checks, and building in between.
unsigned TableRepair::max_stages() const {
  return static_cast<unsigned>(2 * (2 * table_->index_count() + 1) + 3);
}

Status TableRepair::Check(std::unique_ptr<TableCheck>* check, std::vector<std::string>* lines) {
  const auto reader = table_->database()->transactions()->NewTransaction();
  reader->Begin({});
  *check = std::make_unique<TableCheck>(table_.get(), reader.get(), CheckDepth::kMedium, progress_,
                                        virtual_columns_);
  BASALT_RETURN_IF_ERROR((*check)->Run());
  *lines = (*check)->findings().Lines();
  healthy_ = lines->empty();
  return Status::Ok();
}

std::vector<size_t> TableRepair::IndexesToBuild(const TableCheck& check) const {
  std::vector<size_t> indexes;
  for (size_t i = 0; i < table_->index_count(); ++i) {
    if (i == table_->primary_position()) continue;
    if (depth_ != RepairDepth::kQuick || check.findings().damaged()[i]) indexes.push_back(i);
  }
  return indexes;
}

Status TableRepair::Run() {
  std::unique_ptr<TableCheck> check;
  BASALT_RETURN_IF_ERROR(Check(&check, &found_));
  if (!check->rows_complete()) {
    left_ = {"the rows cannot be read to their end; nothing was changed"};
    return Status::Ok();
  }
  const bool undecodable =
      check->findings().count(table_->primary_position(), Finding::kUndecodable) > 0;
  if (undecodable && depth_ != RepairDepth::kExtended) {
    left_ = {
        "there are rows that cannot be decoded; nothing was changed; REPAIR TABLE ... EXTENDED "
        "takes them out"};
    return Status::Ok();
  }
  const std::vector<size_t> indexes = IndexesToBuild(*check);
  progress_->NextStage();
  if (!indexes.empty()) BASALT_RETURN_IF_ERROR(Rebuild(indexes));
  if (undecodable) BASALT_RETURN_IF_ERROR(RemoveUndecodable());
  if (indexes.empty() && !undecodable) {
    left_ = found_;
    return Status::Ok();
  }
  progress_->NextStage();
  return Check(&check, &left_);
}

Status TableRepair::Rebuild(const std::vector<size_t>& indexes) {
  IndexRebuild rebuild(table_.get(), progress_, virtual_columns_);
  BASALT_RETURN_IF_ERROR(rebuild.Run(indexes));
  std::string names;
  for (const size_t index : indexes) {
    names += (names.empty() ? "" : ", ") + table_->descriptor().indexes[index].name;
  }
  done_.push_back("built anew from " + std::to_string(rebuild.rows()) + " rows: " + names);
  std::shared_ptr<Table> renewed;
  BASALT_RETURN_IF_ERROR(
      Table::Open(table_->database(), table_->descriptor(), table_->traits(), &renewed));
  table_ = std::move(renewed);
  return Status::Ok();
}

// First to the file, durably, then out of the table.
Status TableRepair::RemoveUndecodable() {
  store::Store* store = table_->database()->store();
  RemovedRows removed(store->options().directory + "/" + table_->name() + "." +
                      std::to_string(table_->primary().id.number) + ".removed_rows");
  const auto reader = table_->database()->transactions()->NewTransaction();
  reader->Begin({});
  IndexWalk walk(*table_, table_->primary_position(), reader.get());
  RowImage row(*table_, virtual_columns_);
  rocksdb::WriteBatch batch;
  uint64_t rows = 0;
  Status status = walk.Next();
  for (; status.ok(); status = walk.Next()) {
    if (row.Decode(walk.key(), walk.value())) continue;
    BASALT_RETURN_IF_ERROR(removed.Add(walk.key(), walk.value()));
    BASALT_RETURN_IF_ERROR(
        store::MapStatus(batch.Delete(table_->primary().family, walk.key()), "removing a row"));
    ++rows;
    if (batch.Count() >= kRowsInBatch) BASALT_RETURN_IF_ERROR(RemoveBatch(&batch, &removed));
  }
  if (status.code() != Code::kEndOfRange) return status;
  BASALT_RETURN_IF_ERROR(RemoveBatch(&batch, &removed));
  done_.push_back("took out " + std::to_string(rows) +
                  " rows that cannot be decoded; they are in " + removed.path());
  return Status::Ok();
}

Status TableRepair::RemoveBatch(rocksdb::WriteBatch* batch, RemovedRows* removed) {
  BASALT_RETURN_IF_ERROR(removed->Sync());
  BASALT_RETURN_IF_ERROR(table_->database()->store()->Write(batch, /*sync=*/true));
  batch->Clear();
  return Status::Ok();
}

}  // namespace basalt::engine
