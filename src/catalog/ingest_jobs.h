// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "catalog/ingest_job.h"
#include "store/store.h"

namespace rocksdb {
class WriteBatchBase;
}

namespace basalt::catalog {

// The ingest jobs in the dictionary, see IngestJob: who commits one adds its record to the
// transaction's batch, and removes it when the files have been ingested. A part of the catalog.
//
// Thread-safety: any thread.
class IngestJobs {
 public:
  // Borrows the store. All numbers so far are smaller than `next`.
  IngestJobs(store::Store* store, uint64_t next) : store_(store), next_(next) {}

  // A number no other job has, also across restarts.
  uint64_t NewNumber() { return next_.fetch_add(1); }
  // Adds the record of a job to the batch. kInvalidArgument when a file's name cannot be kept.
  Status Append(rocksdb::WriteBatchBase* batch, const IngestJob& job) const;
  // Adds the removal of a job's record to the batch.
  Status AppendRemoval(rocksdb::WriteBatchBase* batch, uint64_t number) const;
  // Committed jobs that were not removed yet, by number.
  Status Pending(std::vector<IngestJob>* jobs) const;

 private:
  store::Store* const store_;
  std::atomic<uint64_t> next_;
};

}  // namespace basalt::catalog
