// SPDX-License-Identifier: GPL-2.0-only
#include "txn/sorted_files.h"

#include <rocksdb/env.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <utility>

#include "store/errors/status_map.h"
#include "store/options/database_defaults.h"
#include "store/options/memory_budget.h"
#include "store/store.h"
#include "txn/entry_buffer.h"
#include "txn/ingestion.h"

namespace basalt::txn {
namespace {

// Bytes that a reader of a file asks for at a time: seldom enough for a disk with a slow start,
// little enough for hundreds of runs at once.
constexpr size_t kReadAheadBytes = 256u << 10;

rocksdb::Options RunOptions(store::Store* store, rocksdb::ColumnFamilyHandle* family) {
  rocksdb::Options options = store->base()->GetOptions(family);
  options.compression = rocksdb::kLZ4Compression;
  options.compression_opts = rocksdb::CompressionOptions();  // a level for ZSTD would mean LZ4HC
  options.bottommost_compression = rocksdb::kDisableCompressionOption;
  options.compression_per_level.clear();
  options.table_properties_collector_factories.clear();
  options.use_direct_reads = false;  // they were written a moment ago, through the page cache
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  table.block_size = 64u << 10;
  table.format_version = 5;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

constexpr uint64_t kLargeFileBytes = 64ull << 20;

// Most of what a file costs is ZSTD. RocksDB has other threads do it. Small files are not worth
// that, and would miss their size by the blocks that are being compressed.
void CompressInParallel(const store::Store& store, uint64_t file_bytes, rocksdb::Options* options) {
  constexpr int kMostThreads = 4;
  if (options->bottommost_compression != rocksdb::kZSTD || file_bytes < kLargeFileBytes) return;
  const auto threads =
      static_cast<uint32_t>(std::min(store::BackgroundJobs(store.options()), kMostThreads));
  options->compression_opts.parallel_threads = threads;
  options->bottommost_compression_opts.parallel_threads = threads;
}

// By default files grow from level to level. These go to the last one, as a rule, and stay as they
// are, so they have a size that is right there.
uint64_t FullFileBytes(const store::Store& store, const rocksdb::Options& options) {
  const uint64_t bytes = options.target_file_size_base;
  return bytes == store::TableFileBytes(store.options()) ? std::max(bytes, kLargeFileBytes) : bytes;
}

class FileSource final : public MergeSource {
 public:
  FileSource(const rocksdb::Options& options, const KeyRange& range, bool reverse)
      : reader_(options), range_(range), reverse_(reverse) {}

  Status Open(const std::string& path) {
    BASALT_RETURN_IF_ERROR(store::MapStatus(reader_.Open(path), "opening " + path));
    rocksdb::ReadOptions options;
    options.total_order_seek = true;
    options.fill_cache = false;
    options.readahead_size = kReadAheadBytes;
    iterator_.reset(reader_.NewIterator(options));
    if (range_.begin.empty()) {
      iterator_->SeekToFirst();
    } else {
      iterator_->Seek(range_.begin);
    }
    Show();
    return status();
  }

  void Next() override {
    iterator_->Next();
    Show();
  }
  Status status() const override {
    return store::MapStatus(iterator_->status(), "reading a temporary file");
  }

 private:
  void Show() {
    valid_ = iterator_->Valid();
    if (!valid_) return;
    key_ = iterator_->key().ToStringView();
    value_ = iterator_->value().ToStringView();
    valid_ = !range_.EndsBefore(key_, reverse_);
  }

  rocksdb::SstFileReader reader_;
  const KeyRange range_;
  const bool reverse_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace

SortedFiles::SortedFiles(store::Store* store, IndexId index, Purpose purpose, std::string prefix)
    : store_(store),
      family_(store->FindColumnFamily(index.column_family)),
      reverse_(store::IsReverse(family_)),
      purpose_(purpose),
      prefix_(std::move(prefix)) {}

SortedFiles::~SortedFiles() { RemoveFiles(); }

std::string SortedFiles::PathOf(const std::string& name) const {
  return store_->options().directory + "/" + name;
}

Status SortedFiles::BeginFile() {
  BASALT_RETURN_IF_ERROR(store_->CheckWritingAllowed());
  const bool run = purpose_ == Purpose::kRun;
  rocksdb::Options options =
      run ? RunOptions(store_, family_) : store_->base()->GetOptions(family_);
  file_bytes_ = run ? UINT64_MAX : FullFileBytes(*store_, options);
  if (!run) CompressInParallel(*store_, file_bytes_, &options);
  writing_ = prefix_ + "-" + std::to_string(next_file_++) + kIngestFileSuffix;
  writer_ = std::make_unique<rocksdb::SstFileWriter>(rocksdb::EnvOptions(), options, family_);
  const rocksdb::Status opened = writer_->Open(PathOf(writing_));
  if (!opened.ok()) writer_.reset();
  return store::MapStatus(opened, "opening " + PathOf(writing_));
}

Status SortedFiles::Add(Bytes key, Bytes value) {
  BASALT_RETURN_IF_ERROR(EnsureFile(key));
  return AfterEntry(writer_->Put(key, value));
}

Status SortedFiles::AddDeletion(Bytes key) {
  BASALT_RETURN_IF_ERROR(EnsureFile(key));
  return AfterEntry(writer_->Delete(key));
}

Status SortedFiles::EnsureFile(Bytes key) {
  if (writer_ != nullptr) return Status::Ok();
  BASALT_RETURN_IF_ERROR(BeginFile());
  files_.push_back({writing_, std::string(key), {}});
  return Status::Ok();
}

Status SortedFiles::AfterEntry(const rocksdb::Status& added) {
  if (!added.ok()) return store::MapStatus(added, "writing " + PathOf(writing_));
  if (writer_->FileSize() < file_bytes_) return Status::Ok();
  return EndFile();
}

Status SortedFiles::EndFile() {
  if (writer_ == nullptr) return Status::Ok();
  rocksdb::ExternalSstFileInfo written;
  const rocksdb::Status finished = writer_->Finish(&written);
  writer_.reset();
  files_.back().last = written.largest_key;
  return store::MapStatus(finished, "finishing " + PathOf(writing_));
}

std::vector<SortedFile> SortedFiles::TakeFiles() { return std::exchange(files_, {}); }

void SortedFiles::RemoveFiles() {
  writer_.reset();
  // A file that cannot be removed goes at the next start.
  for (const SortedFile& file : files_) {
    (void)store_->base()->GetEnv()->DeleteFile(PathOf(file.name));
  }
  files_.clear();
}

void SortedFiles::Adopt(SortedFiles* other) {
  for (SortedFile& file : other->TakeFiles()) files_.push_back(std::move(file));
}

Status SortedFiles::Read(const KeyRange& range,
                         std::vector<std::unique_ptr<MergeSource>>* sources) const {
  const rocksdb::Options options = RunOptions(store_, family_);
  for (const SortedFile& file : files_) {
    auto source = std::make_unique<FileSource>(options, range, reverse_);
    BASALT_RETURN_IF_ERROR(source->Open(PathOf(file.name)));
    sources->push_back(std::move(source));
  }
  return Status::Ok();
}

Status SortedFiles::Find(Bytes key, std::string* value) const {
  for (const SortedFile& file : files_) {
    if (ComesBefore(key, file.first, reverse_) || ComesBefore(file.last, key, reverse_)) continue;
    rocksdb::SstFileReader reader(RunOptions(store_, family_));
    const std::string path = PathOf(file.name);
    BASALT_RETURN_IF_ERROR(store::MapStatus(reader.Open(path), "opening " + path));
    rocksdb::ReadOptions options;
    options.total_order_seek = true;
    const std::unique_ptr<rocksdb::Iterator> entry(reader.NewIterator(options));
    entry->Seek(key);
    if (!entry->Valid() || entry->key().ToStringView() != key) continue;
    value->assign(entry->value().data(), entry->value().size());
    return Status::Ok();
  }
  return Status(Code::kNotFound);
}

}  // namespace basalt::txn
