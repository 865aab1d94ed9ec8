// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "catalog/ingest_job.h"
#include "txn/bulk_load.h"
#include "txn/write_set.h"

namespace rocksdb {
class WriteBatchBase;
}

namespace basalt::txn {

class TransactionManager;

// What a transaction commits as table files instead of in its batch: its loads, and its writes when
// they have spilled. The batch then holds a record of the files only (catalog::IngestJob).
//
// The transaction's thread. Borrows the manager.
class IngestedWrites {
 public:
  explicit IngestedWrites(TransactionManager* manager) : manager_(manager) {}

  // Adds a load; owned by this. The memory of all loads together stays within
  // options.buffer_bytes, but for what files need at least. `written`: the transaction's writes.
  BulkLoad* AddLoad(std::vector<LoadIndex> indexes, const LoadOptions& options, WriteSet* written);
  bool has_loads() const { return !loads_.empty(); }
  // Has it one that others know nothing of but that they are kept away from its table?
  bool owns_tables() const;
  void ClearLoads() { loads_.clear(); }

  // Makes the files, from the loads and what `writes` has besides, and puts the record of them in
  // the place of what the batch held. On error nothing is left behind.
  Status Build(WriteSet* writes, rocksdb::WriteBatchBase* batch);
  // The record, once it is built or was found at start; else null.
  const catalog::IngestJob* job() const { return job_.get(); }
  void Adopt(std::unique_ptr<catalog::IngestJob> job) { job_ = std::move(job); }
  // The transaction has ended. `files`: they go too, because nothing was committed.
  void Forget(bool files);

 private:
  Status AddLoadFiles(catalog::IngestJob* job) const;

  TransactionManager* const manager_;
  std::vector<std::unique_ptr<BulkLoad>> loads_;
  std::unique_ptr<catalog::IngestJob> job_;
};

}  // namespace basalt::txn
