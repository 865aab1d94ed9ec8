// SPDX-License-Identifier: GPL-2.0-only
#include "txn/ingestion.h"

#include <rocksdb/env.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/utilities/types_util.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "store/errors/status_map.h"
#include "txn/sorted_files.h"
#include "txn/write_set.h"
#include "txn/written_entries.h"

namespace basalt::txn {
namespace {

std::string PathOf(store::Store* store, const std::string& name) {
  return store->options().directory + "/" + name;
}

// Writes the newest entry of each key, in the order of a column family, but those of `taken`.
Status WriteEntries(WrittenEntries* entry, uint32_t family, const std::set<IndexId>& taken,
                    SortedFiles* files) {
  for (; entry->Valid(); entry->Next()) {
    if (taken.contains(IndexId{family, LoadBigEndian32(entry->key().data())})) continue;
    BASALT_RETURN_IF_ERROR(entry->deleted() ? files->AddDeletion(entry->key())
                                            : files->Add(entry->key(), entry->value()));
  }
  BASALT_RETURN_IF_ERROR(entry->status());
  return files->EndFile();
}

// Makes the names of new files survive a power cut.
Status SyncDirectory(store::Store* store) {
  std::unique_ptr<rocksdb::Directory> directory;
  rocksdb::Status done =
      store->base()->GetEnv()->NewDirectory(store->options().directory, &directory);
  if (done.ok()) done = directory->Fsync();
  return store::MapStatus(done, "syncing the store's directory");
}

// Cut to the size of the column family's files: while one is written, RocksDB keeps 8 bytes of each
// of its keys for the filter, so that one file of 30 million entries alone would take 240 MB.
Status BuildAll(store::Store* store, WriteSet* writes, const std::set<IndexId>& taken,
                catalog::IngestJob* job) {
  for (const uint32_t id : writes->families()) {
    rocksdb::ColumnFamilyHandle* family = store->FindColumnFamily(id);
    WrittenEntries entries(writes, family, store::IsReverse(family), IndexId{id, 0});
    SortedFiles files(store, IndexId{id, 0}, SortedFiles::Purpose::kFinal,
                      std::to_string(job->number) + "-" + std::to_string(id));
    BASALT_RETURN_IF_ERROR(WriteEntries(&entries, id, taken, &files));
    for (SortedFile& file : files.TakeFiles()) job->files.push_back({id, std::move(file.name)});
  }
  return SyncDirectory(store);
}

}  // namespace

Status BuildIngestFiles(store::Store* store, WriteSet* writes, const std::set<IndexId>& taken,
                        catalog::IngestJob* job) {
  job->files.clear();
  Status built = BuildAll(store, writes, taken, job);
  if (!built.ok()) RemoveIngestFiles(store, *job);
  return built;
}

Status ReadIngestFiles(store::Store* store, const catalog::IngestJob& job,
                       const std::function<void(IndexId index, Bytes key, bool put)>& found) {
  for (const catalog::IngestJob::File& file : job.files) {
    rocksdb::ColumnFamilyHandle* family = store->FindColumnFamily(file.column_family);
    if (family == nullptr) {
      return Status(Code::kCorruption, "ingest job " + std::to_string(job.number) +
                                           " names a column family that does not exist");
    }
    rocksdb::SstFileReader reader(store->base()->GetOptions(family));
    const std::string path = PathOf(store, file.name);
    BASALT_RETURN_IF_ERROR(store::MapStatus(reader.Open(path), "opening " + path));
    const std::unique_ptr<rocksdb::Iterator> entry = reader.NewTableIterator();
    for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
      rocksdb::ParsedEntryInfo parsed;
      BASALT_RETURN_IF_ERROR(store::MapStatus(
          rocksdb::ParseEntry(entry->key(), family->GetComparator(), &parsed), "reading " + path));
      const Bytes key(parsed.user_key.data(), parsed.user_key.size());
      if (key.size() < kIndexNumberBytes) continue;
      found(IndexId{file.column_family, LoadBigEndian32(key.data())}, key,
            parsed.type == rocksdb::kEntryPut);
    }
    BASALT_RETURN_IF_ERROR(store::MapStatus(entry->status(), "reading " + path));
  }
  return Status::Ok();
}

namespace {

rocksdb::IngestExternalFileOptions IngestOptions() {
  rocksdb::IngestExternalFileOptions options;
  options.move_files = true;
  options.snapshot_consistency = true;
  options.allow_global_seqno = true;
  options.allow_blocking_flush = true;
  return options;
}

// All files of a column family go into one argument.
Status AddToArguments(store::Store* store, const catalog::IngestJob& job,
                      const catalog::IngestJob::File& file,
                      std::vector<rocksdb::IngestExternalFileArg>* arguments) {
  rocksdb::ColumnFamilyHandle* family = store->FindColumnFamily(file.column_family);
  if (family == nullptr) {
    return Status(Code::kCorruption, "ingest job " + std::to_string(job.number) +
                                         " names a column family that does not exist");
  }
  for (rocksdb::IngestExternalFileArg& argument : *arguments) {
    if (argument.column_family != family) continue;
    argument.external_files.push_back(PathOf(store, file.name));
    return Status::Ok();
  }
  rocksdb::IngestExternalFileArg argument;
  argument.column_family = family;
  argument.external_files = {PathOf(store, file.name)};
  argument.options = IngestOptions();
  arguments->push_back(std::move(argument));
  return Status::Ok();
}

}  // namespace

Status RunIngestJob(store::Store* store, const catalog::IngestJob& job) {
  std::vector<rocksdb::IngestExternalFileArg> arguments;
  for (const catalog::IngestJob::File& file : job.files) {
    const std::string path = PathOf(store, file.name);
    const rocksdb::Status exists = store->base()->GetEnv()->FileExists(path);
    if (exists.IsNotFound()) {
      // Files go one after the other, and only once all of them belong to the store.
      RemoveIngestFiles(store, job);
      return Status::Ok();
    }
    BASALT_RETURN_IF_ERROR(store::MapStatus(exists, "looking for " + path));
    BASALT_RETURN_IF_ERROR(AddToArguments(store, job, file, &arguments));
  }
  if (arguments.empty()) return Status::Ok();
  // RocksDB locks the families in the order of the arguments: the same one for all threads.
  std::sort(arguments.begin(), arguments.end(), [](const auto& one, const auto& other) {
    return one.column_family->GetID() < other.column_family->GetID();
  });
  return store->compactions().Ingest(arguments);
}

void RemoveIngestFiles(store::Store* store, const catalog::IngestJob& job) {
  for (const catalog::IngestJob::File& file : job.files) {
    // A file that cannot be removed is an orphan of the next start.
    (void)store->base()->GetEnv()->DeleteFile(PathOf(store, file.name));
  }
}

Status RemoveOrphanedIngestFiles(store::Store* store, const std::set<std::string>& kept) {
  std::vector<std::string> names;
  rocksdb::Env* env = store->base()->GetEnv();
  BASALT_RETURN_IF_ERROR(store::MapStatus(env->GetChildren(store->options().directory, &names),
                                          "listing the store's directory"));
  for (const std::string& name : names) {
    if (!name.ends_with(kIngestFileSuffix) || kept.contains(name)) continue;
    BASALT_RETURN_IF_ERROR(
        store::MapStatus(env->DeleteFile(PathOf(store, name)), "removing " + name));
  }
  return Status::Ok();
}

}  // namespace basalt::txn
