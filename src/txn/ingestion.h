// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <functional>
#include <set>
#include <string>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "catalog/catalog.h"
#include "catalog/ingest_job.h"
#include "store/store.h"

namespace basalt::txn {

class WriteSet;

// Commit of a large transaction: its writes become sorted table files which the store takes over as
// they are, without passing through the log and the memtables.
//
//   1 BuildIngestFiles   writes and syncs the files; nothing refers to them yet
//   2 the transaction commits a batch that holds only the job record (with two-phase commit the
//     record is prepared first): from here on the outcome is decided
//   3 RunIngestJob       hands the files over; visible to all at once
//   4 the record is removed; only then are the row locks released
//
// A crash after 2 is finished by Recover at the next start. Running a job twice is safe because of
// 4: no other transaction can have changed the same rows before the record was removed.

// Files of ingest jobs have names that end so. Not ".bulk_load.tmp", which MyRocks uses: such files
// are removed whenever a store opens, and these may still be needed then.
inline constexpr char kIngestFileSuffix[] = ".ingest";

// Writes everything in `writes` but what is in indexes of `taken` to files, each as large as those
// of its column family get, and fills in `job`. On failure no file stays.
Status BuildIngestFiles(store::Store* store, WriteSet* writes, const std::set<IndexId>& taken,
                        catalog::IngestJob* job);

// Calls `found` with the index and the key of every entry of the job's files, deletions with
// `put` false. For a job whose transaction is still undecided.
Status ReadIngestFiles(store::Store* store, const catalog::IngestJob& job,
                       const std::function<void(IndexId index, Bytes key, bool put)>& found);

// Hands the files to the store, all or none. Ok also when an earlier run has done it already.
Status RunIngestJob(store::Store* store, const catalog::IngestJob& job);

// Removes the files of a job that was rolled back.
void RemoveIngestFiles(store::Store* store, const catalog::IngestJob& job);

// Removes left-over ingest files that are not among `kept` (names inside the directory).
Status RemoveOrphanedIngestFiles(store::Store* store, const std::set<std::string>& kept);

}  // namespace basalt::txn
