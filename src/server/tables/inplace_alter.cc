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
  if (plan_.checks_rows || !plan_.added.empty()) {
    progress_ = std::make_unique<StatementProgress>(thd_);
  }
  if (plan_.added.empty()) return Status::Ok();
  virtual_parts_.Open(plan_.target, plan_.added);
  engine::IndexBuild::Options options;
  options.buffer_bytes = MergeBufferBytes(thd_);
  options.log_changes = true;
  build_ = std::make_unique<engine::IndexBuild>(
      table_.get(), plan_.target, options, progress_.get(),
      virtual_parts_.any() ? &virtual_parts_ : nullptr, converter_.get());
  return build_->Begin(plan_.added, plan_.requests);
}

Status InplaceAlter::Build() {
  if (progress_ != nullptr) {
    progress_->Start((plan_.checks_rows ? 1 : 0) + (build_ != nullptr ? kStagesOfBuild : 0));
  }
  BASALT_RETURN_IF_ERROR(CheckRows());
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
  if (build_ != nullptr) progress_->NextStage();
  return Status::Ok();
}

Status InplaceAlter::ApplyChanges(uint64_t* applied) {
  *applied = 0;
  return filled_ ? ReportDuplicate(build_->ApplyChanges(applied)) : Status::Ok();
}

Status InplaceAlter::FlushApplied(bool* written) {
  *written = false;
  return filled_ ? build_->FlushApplied(written) : Status::Ok();
}

Status InplaceAlter::Complete() {
  return filled_ ? ReportDuplicate(build_->Complete()) : Status::Ok();
}

const catalog::IndexRecord* InplaceAlter::new_primary() const {
  return plan_.rebuilds ? &build_->built()[plan_.target.primary] : nullptr;
}

Status InplaceAlter::EndLog() { return build_ == nullptr ? Status::Ok() : build_->EndLog(); }

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

Status InplaceAlter::Abort() { return build_ == nullptr ? Status::Ok() : build_->Abort(); }

}  // namespace basalt::server
