// SPDX-License-Identifier: GPL-2.0-only
#include "txn/ingested_writes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "catalog/catalog.h"
#include "txn/ingestion.h"
#include "txn/transaction_manager.h"

namespace basalt::txn {
namespace {

constexpr size_t kLeastLoadBytes = 1u << 20;

}  // namespace

BulkLoad* IngestedWrites::AddLoad(std::vector<LoadIndex> indexes, const LoadOptions& options,
                                  WriteSet* written) {
  const uint64_t number = manager_->catalog()->ingest_jobs().NewNumber();
  loads_.push_back(
      std::make_unique<BulkLoad>(manager_->store(), written, number, std::move(indexes), options));
  const size_t share = std::max(options.buffer_bytes / loads_.size(), kLeastLoadBytes);
  for (auto& each : loads_) each->set_buffer_bytes(share);
  return loads_.back().get();
}

bool IngestedWrites::owns_tables() const {
  return std::any_of(loads_.begin(), loads_.end(),
                     [](const auto& load) { return !load->has_checked_rows(); });
}

// A load that did not end would be lost without a word. The files of loads come first: RocksDB then
// finds them apart from each other and puts them into the last level, and what else the transaction
// has written, whose range may hold all of theirs, above.
Status IngestedWrites::AddLoadFiles(catalog::IngestJob* job) const {
  for (const auto& load : loads_) {
    if (!load->finished()) return Status(Code::kInternal, "a bulk load was cut off");
  }
  std::vector<catalog::IngestJob::File> files;
  for (const auto& load : loads_) {
    for (BulkLoad::File& file : load->TakeFiles()) {
      files.push_back({file.column_family, std::move(file.file.name)});
    }
  }
  job->files.insert(job->files.begin(), files.begin(), files.end());
  return Status::Ok();
}

Status IngestedWrites::Build(WriteSet* writes, rocksdb::WriteBatchBase* batch) {
  catalog::IngestJob job;
  job.number = manager_->catalog()->ingest_jobs().NewNumber();
  std::set<IndexId> taken;
  for (const auto& load : loads_) load->AppendTaken(&taken);
  BASALT_RETURN_IF_ERROR(BuildIngestFiles(manager_->store(), writes, taken, &job));
  Status replaced = AddLoadFiles(&job);
  if (replaced.ok()) replaced = writes->DiscardContent();
  if (replaced.ok()) replaced = manager_->catalog()->ingest_jobs().Append(batch, job);
  if (!replaced.ok()) {
    RemoveIngestFiles(manager_->store(), job);
    return replaced;
  }
  job_ = std::make_unique<catalog::IngestJob>(std::move(job));
  return Status::Ok();
}

void IngestedWrites::Forget(bool files) {
  if (files && job_ != nullptr) RemoveIngestFiles(manager_->store(), *job_);
  loads_.clear();
  job_.reset();
}

}  // namespace basalt::txn
