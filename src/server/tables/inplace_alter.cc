// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/inplace_alter.h"

#include <utility>

#include "codec/row_layout_record.h"
#include "engine/database.h"
#include "server/tables/constraint_check.h"
#include "server/variables/system_variables.h"

namespace basalt::server {

namespace {

// Of a build: reading the rows, merging the entries, and applying what others have changed.
constexpr unsigned kStagesOfBuild = 3;

unsigned StagesOf(const IndexPlan& plan) {
  const bool builds = !plan.added.empty();
  const unsigned of_references = plan.references.empty() ? 0 : builds ? 1 : 2;
  return (plan.checks_rows ? 1 : 0) + of_references + (builds ? kStagesOfBuild : 0);
}

}  // namespace

InplaceAlter::InplaceAlter(std::shared_ptr<engine::Table> table, TABLE* altered, IndexPlan plan,
                           std::unique_ptr<RowConverter> converter, THD* thd)
    : table_(std::move(table)),
      altered_(altered),
      plan_(std::move(plan)),
      converter_(std::move(converter)),
      thd_(thd),
      virtual_parts_(altered) {}

Status InplaceAlter::Prepare() {
  if (StagesOf(plan_) != 0) progress_ = std::make_unique<StatementProgress>(thd_);
  if (!plan_.references.empty()) {
    references_ =
        std::make_unique<engine::NewReferences>(table_.get(), plan_.references, progress_.get());
  }
  if (!plan_.added.empty()) BASALT_RETURN_IF_ERROR(BeginBuild());
  if (references_ == nullptr) return Status::Ok();
  return references_->BeginChild(plan_.target, Replacement().indexes,
                                 /*log_changes=*/build_ == nullptr);
}

Status InplaceAlter::BeginBuild() {
  virtual_parts_.Open(plan_.target, plan_.added);
  engine::IndexBuild::Options options;
  options.buffer_bytes = MergeBufferBytes(thd_);
  options.log_changes = true;
  options.also = references_.get();
  build_ = std::make_unique<engine::IndexBuild>(
      table_.get(), plan_.target, options, progress_.get(),
      virtual_parts_.any() ? &virtual_parts_ : nullptr, converter_.get());
  return build_->Begin(plan_.added, plan_.requests);
}

Status InplaceAlter::Build() {
  if (progress_ != nullptr) progress_->Start(StagesOf(plan_));
  BASALT_RETURN_IF_ERROR(CheckRows());
  BASALT_RETURN_IF_ERROR(LookForParents());
  if (build_ == nullptr) return Status::Ok();
  Status status = build_->Fill();
  filled_ = status.ok();
  if (converter_ != nullptr) converter_->BeginChanges();
  return ReportDuplicate(std::move(status));
}

Status InplaceAlter::CheckRows() {
  if (!plan_.checks_rows) return Status::Ok();
  ConstraintCheck check(table_.get(), &plan_.target, altered_, progress_.get());
  BASALT_RETURN_IF_ERROR(check.Run());
  if (build_ != nullptr || references_ != nullptr) progress_->NextStage();
  return Status::Ok();
}

Status InplaceAlter::LookForParents() {
  if (references_ == nullptr) return Status::Ok();
  BASALT_RETURN_IF_ERROR(references_->Search());
  if (build_ != nullptr) progress_->NextStage();
  return Status::Ok();
}

Status InplaceAlter::ApplyChanges(uint64_t* applied) {
  *applied = 0;
  if (filled_) BASALT_RETURN_IF_ERROR(ReportDuplicate(build_->ApplyChanges(applied)));
  return LookAtChanges(applied);
}

// The child's indexes have been brought up to its writers.
Status InplaceAlter::LookAtChanges(uint64_t* applied) {
  if (references_ == nullptr) return Status::Ok();
  uint64_t looked_at = 0;
  BASALT_RETURN_IF_ERROR(references_->ApplyChanges(&looked_at));
  *applied += looked_at;
  return Status::Ok();
}

Status InplaceAlter::FlushApplied(bool* written) {
  *written = false;
  return filled_ ? build_->FlushApplied(written) : Status::Ok();
}

Status InplaceAlter::Complete() {
  if (filled_) BASALT_RETURN_IF_ERROR(ReportDuplicate(build_->Complete()));
  uint64_t applied = 0;
  return LookAtChanges(&applied);
}

const catalog::IndexRecord* InplaceAlter::new_primary() const {
  return plan_.rebuilds ? &build_->built()[plan_.target.primary] : nullptr;
}

Status InplaceAlter::EndLog() {
  Status ended = build_ == nullptr ? Status::Ok() : build_->EndLog();
  if (references_ == nullptr) return ended;
  Status others = references_->End();
  return ended.ok() ? std::move(others) : std::move(ended);
}

Status InplaceAlter::ReportDuplicate(Status status) {
  if (status.code() != Code::kDuplicateKey) return status;
  BASALT_RETURN_IF_ERROR(build_->ReadDuplicate(altered_->record[0]));
  print_keydup_error(altered_, &altered_->key_info[build_->duplicate_position()], MYF(0));
  return status;
}

catalog::TableRecord InplaceAlter::Replacement() const {
  const auto record = table_->database()->catalog()->FindTable(table_->name());
  catalog::TableRecord replacement{table_->name(), {}};
  size_t next_built = 0;
  for (const size_t origin : plan_.origins) {
    replacement.indexes.push_back(origin == IndexPlan::kNew ? build_->built()[next_built++]
                                                            : record->indexes[origin]);
  }
  const auto& layout = plan_.target.row_layout;  // none of a table that is rebuilt
  replacement.indexes[plan_.target.primary].row_layout =
      layout == nullptr ? "" : codec::EncodeRowLayout(*layout);
  return replacement;
}

Status InplaceAlter::Abort() {
  Status aborted = build_ == nullptr ? Status::Ok() : build_->Abort();
  if (references_ == nullptr) return aborted;
  Status others = references_->End();
  return aborted.ok() ? std::move(others) : std::move(aborted);
}

}  // namespace basalt::server
