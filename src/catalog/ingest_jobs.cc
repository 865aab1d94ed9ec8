// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/ingest_jobs.h"

#include <string>
#include <utility>

#include <rocksdb/write_batch_base.h>

#include "catalog/dictionary_reader.h"
#include "catalog/dictionary_records.h"
#include "store/errors/status_map.h"

namespace basalt::catalog {

Status IngestJobs::Append(rocksdb::WriteBatchBase* batch, const IngestJob& job) const {
  for (const IngestJob::File& file : job.files) {
    if (file.name.empty() || file.name.size() > UINT16_MAX ||
        file.name.find('/') != std::string::npos) {
      return Status(Code::kInvalidArgument, "'" + file.name + "' is no name for an ingested file");
    }
  }
  return store::MapStatus(
      batch->Put(store_->system(), IngestJobKey(job.number), EncodeIngestJob(job)));
}

Status IngestJobs::AppendRemoval(rocksdb::WriteBatchBase* batch, uint64_t number) const {
  return store::MapStatus(batch->Delete(store_->system(), IngestJobKey(number)));
}

Status IngestJobs::Pending(std::vector<IngestJob>* jobs) const {
  jobs->clear();
  return ReadRecords(store_, RecordType::kIngestJob, "reading ingest jobs",
                     [jobs](Bytes key, Bytes value) {
                       IngestJob job;
                       BASALT_RETURN_IF_ERROR(DecodeIngestJob(key, value, &job));
                       jobs->push_back(std::move(job));
                       return Status();
                     });
}

}  // namespace basalt::catalog
