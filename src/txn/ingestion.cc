// SPDX-License-Identifier: GPL-2.0-only
#include "txn/ingestion.h"

#include <rocksdb/env.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/types_util.h>

#include <memory>
#include <vector>

#include "store/status_map.h"
#include "txn/overlay_source.h"
#include "txn/write_set.h"

namespace basalt::txn {
namespace {

using Sources = std::vector<std::unique_ptr<OverlaySource>>;

std::string PathOf(store::Store* store, const std::string& name) {
  return store->options().directory + "/" + name;
}

// Writes the entries of one column family to one file, in the order of that column family.
class FileBuilder {
 public:
  FileBuilder(store::Store* store, rocksdb::ColumnFamilyHandle* family, bool reverse)
      : options_(store->base()->GetOptions(family)),
        writer_(rocksdb::EnvOptions(), options_, family),
        forward_(!reverse) {}

  Status Build(const std::string& path, Sources* sources) {
    BASALT_RETURN_IF_ERROR(store::MapStatus(writer_.Open(path), "opening " + path));
    const std::string end(forward_ ? 0 : kHighestKeyBytes, '\xff');
    for (auto& source : *sources) source->Seek(end, forward_);
    while (OverlaySource* next = Next(sources)) {
      const rocksdb::Status added =
          next->deleted() ? writer_.Delete(next->key()) : writer_.Put(next->key(), next->value());
      BASALT_RETURN_IF_ERROR(store::MapStatus(added, "writing " + path));
      key_.assign(next->key());
      for (auto& source : *sources) {
        if (source->Valid() && source->key() == key_) source->Move(forward_);
      }
    }
    for (auto& source : *sources) BASALT_RETURN_IF_ERROR(source->status());
    return store::MapStatus(writer_.Finish(), "finishing " + path);
  }

 private:
  // No key of an index is above this many 0xff bytes: index numbers do not reach 0xffffffff.
  static constexpr size_t kHighestKeyBytes = 8;

  // The source with the next entry, the newest among equals; null at the end.
  OverlaySource* Next(Sources* sources) {
    OverlaySource* next = nullptr;
    for (auto& source : *sources) {
      if (!source->Valid()) continue;
      if (next == nullptr ||
          (forward_ ? source->key() < next->key() : source->key() > next->key())) {
        next = source.get();
      }
    }
    return next;
  }

  rocksdb::Options options_;
  rocksdb::SstFileWriter writer_;
  const bool forward_;
  std::string key_;
};

// Makes the names of new files survive a power cut.
Status SyncDirectory(store::Store* store) {
  std::unique_ptr<rocksdb::Directory> directory;
  rocksdb::Status done =
      store->base()->GetEnv()->NewDirectory(store->options().directory, &directory);
  if (done.ok()) done = directory->Fsync();
  return store::MapStatus(done, "syncing the store's directory");
}

Status BuildAll(store::Store* store, WriteSet* writes, catalog::IngestJob* job) {
  for (const uint32_t id : writes->families()) {
    rocksdb::ColumnFamilyHandle* family = store->FindColumnFamily(id);
    const bool reverse = store::Store::IsReverse(family);
    Sources sources;
    MakeOverlaySources(writes, family, reverse, IndexId{id, 0}, &sources);
    const std::string name =
        std::to_string(job->number) + "-" + std::to_string(id) + kIngestFileSuffix;
    job->files.push_back({id, name});
    BASALT_RETURN_IF_ERROR(
        FileBuilder(store, family, reverse).Build(PathOf(store, name), &sources));
  }
  return SyncDirectory(store);
}

}  // namespace

Status BuildIngestFiles(store::Store* store, WriteSet* writes, catalog::IngestJob* job) {
  job->files.clear();
  Status built = BuildAll(store, writes, job);
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
  return store->Ingest(arguments);
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
