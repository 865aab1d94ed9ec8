// SPDX-License-Identifier: GPL-2.0-only
#include "txn/bulk_load.h"

#include <rocksdb/advanced_cache.h>

#include <algorithm>
#include <utility>

#include "store/errors/status_map.h"
#include "store/format/index_bounds.h"
#include "store/options/database_defaults.h"
#include "store/store.h"
#include "txn/buffer_source.h"
#include "txn/index_merge.h"
#include "txn/memory_runs.h"
#include "txn/write_set.h"
#include "txn/written_entries.h"

namespace basalt::txn {
namespace {

// So large a part of the block cache may go to sorted runs, and to what transactions have written.
constexpr uint64_t kShareOfMemoryRuns = 4;
// Keys of each buffer that are looked at where its entries are divided among threads.
constexpr size_t kSamples = 32;

// Of a buffer's entries, in whatever order they are. Buffers are of about one size.
void AddSamples(const EntryBuffer& entries, std::vector<std::string>* samples) {
  const size_t count = std::min(kSamples, entries.count());
  for (size_t i = 0; i < count; ++i) {
    samples->emplace_back(entries.key(entries.count() * i / count));
  }
}

// What the transaction has written to the index before, and stays where it is.
class WrittenSource final : public MergeSource {
 public:
  explicit WrittenSource(WrittenEntries entries) : entries_(std::move(entries)) {
    in_place_ = true;
    Show();
  }
  void Next() override {
    entries_.Next();
    Show();
  }
  Status status() const override { return entries_.status(); }

 private:
  void Show() {
    while (entries_.Valid() && entries_.deleted()) entries_.Next();
    valid_ = entries_.Valid();
    if (!valid_) return;
    key_ = entries_.key();
    value_ = entries_.value();
  }

  WrittenEntries entries_;
};

// Looks for entries of an index that are committed. What is asked for comes in the order of the
// index, so that a step or two are often enough.
class CommittedEntries {
 public:
  CommittedEntries(store::Store* store, const LoadIndex& index, bool reverse)
      : reverse_(reverse), bounds_(index.id, reverse) {
    rocksdb::ReadOptions options;
    bounds_.Confine(&options);
    options.fill_cache = false;
    iterator_.reset(store->base()->NewIterator(options, index.family));
  }

  // Is there an entry whose key begins with `prefix`?
  Status HasPrefix(Bytes prefix, bool* has) {
    target_.assign(prefix);
    if (reverse_) MakeSuccessor(&target_);  // of no entry, since entries are longer
    Approach();
    *has = iterator_->Valid() && key().starts_with(prefix);
    return store::MapStatus(iterator_->status(), "reading an index");
  }
  // Is there an entry between the two keys, them included?
  Status HasBetween(Bytes first, Bytes last, bool* has) {
    target_.assign(first);
    Approach();
    *has = iterator_->Valid() && !ComesBefore(last, key(), reverse_);
    return store::MapStatus(iterator_->status(), "reading an index");
  }

 private:
  static constexpr int kSteps = 4;

  Bytes key() const { return iterator_->key().ToStringView(); }
  // To the first entry that does not come before the target.
  void Approach() {
    for (int step = 0; step < kSteps && iterator_->Valid(); ++step) {
      if (!ComesBefore(key(), target_, reverse_)) return;
      iterator_->Next();
    }
    if (!iterator_->Valid() || ComesBefore(key(), target_, reverse_)) {
      iterator_->Seek(target_);
    }
  }

  const bool reverse_;
  const store::IndexBounds bounds_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
  std::string target_;
};

}  // namespace

struct BulkLoad::IndexLoad {
  IndexLoad(size_t position_in_load, LoadIndex described, store::Store* store,
            store::MemoryCharge* memory, uint64_t number)
      : position(position_in_load),
        index(std::move(described)),
        reverse(store::IsReverse(index.family)),
        prefix(std::to_string(number) + "-" + std::to_string(index.id.column_family) + "-" +
               std::to_string(index.id.number)),
        buffer(std::make_unique<EntryBuffer>(reverse)),
        flushing(std::make_unique<EntryBuffer>(reverse)),
        files(store, index.id, SortedFiles::Purpose::kFinal, prefix),
        memory_runs(memory, store->block_cache()->GetCapacity() / kShareOfMemoryRuns),
        runs(store, index.id, SortedFiles::Purpose::kRun, prefix + "-run") {}

  bool has_runs() const { return !memory_runs.empty() || !runs.files().empty(); }
  // Of entries that are about to leave their buffer.
  void NoteEntries(const EntryBuffer& entries) {
    AddSamples(entries, &samples);
    flushed += entries.count();
  }

  const size_t position;
  const LoadIndex index;
  const bool reverse;
  const std::string prefix;
  std::unique_ptr<EntryBuffer> buffer;          // is being filled
  std::unique_ptr<EntryBuffer> flushing;        // the one before it, on its way to a file
  SortedFiles files;                            // what came in order, or the result
  MemoryRuns memory_runs;                       // what did not
  SortedFiles runs;                             // what did not and found no room in memory
  std::unique_ptr<CommittedEntries> committed;  // made at need; asked in the order of the index
  std::vector<std::string> samples;             // keys of what has left the buffers
  uint64_t flushed = 0;                         // entries of that
  uint64_t appended = 0;                        // entries of `files`, before a merge
  std::string last;      // the last key of `files`, or of what was written before; empty: none
  bool started = false;  // `last` is known
};

BulkLoad::BulkLoad(store::Store* store, WriteSet* written, uint64_t number,
                   std::vector<LoadIndex> indexes, LoadOptions options)
    : store_(store), written_(written), number_(number), options_(options) {
  for (LoadIndex& index : indexes) {
    loads_.push_back(std::make_unique<IndexLoad>(loads_.size(), std::move(index), store,
                                                 written->memory(), number_));
  }
}

BulkLoad::~BulkLoad() = default;

// Whether an entry of the table shares what is unique with the key. The primary keys of the two lie
// apart, which CheckApart sees to.
Status BulkLoad::CheckCommitted(IndexLoad* load, Bytes key, Bytes value) {
  if (!options_.beside_rows || load->position == 0 || !load->index.unique_bytes) [[likely]] {
    return Status::Ok();
  }
  const size_t unique = load->index.unique_bytes(key);
  if (unique == 0) return Status::Ok();
  if (load->committed == nullptr) {
    load->committed = std::make_unique<CommittedEntries>(store_, load->index, load->reverse);
  }
  bool has = false;
  BASALT_RETURN_IF_ERROR(load->committed->HasPrefix(key.substr(0, unique), &has));
  if (!has) return Status::Ok();
  duplicate_ = {load->position, std::string(key), std::string(value)};
  return Status(Code::kDuplicateKey);
}

Status BulkLoad::Add(size_t index, Bytes key, Bytes value) {
  IndexLoad* load = loads_[index].get();
  const size_t before = load->buffer->bytes();
  load->buffer->Add(key, value);
  bytes_ += load->buffer->bytes() - before;
  ++entries_;
  written_->CountAdded(key.size() + value.size());
  if (bytes_ < options_.buffer_bytes / 2) [[likely]]
    return Status::Ok();
  return BeginFlush();
}

// What it needs of the transaction, whose thread this is, it is given before.
Status BulkLoad::BeginFlush() {
  BASALT_RETURN_IF_ERROR(flush_.Wait());
  for (auto& load : loads_) {
    if (load->buffer->count() == 0) continue;
    BASALT_RETURN_IF_ERROR(Start(load.get()));
    std::swap(load->buffer, load->flushing);
  }
  bytes_ = 0;
  flush_.Start([this] { return Flush(); });
  return Status::Ok();
}

Status BulkLoad::Flush() {
  for (auto& load : loads_) BASALT_RETURN_IF_ERROR(Flush(load.get()));
  return Status::Ok();
}

// Before anything else goes to a file.
Status BulkLoad::Start(IndexLoad* load) {
  if (std::exchange(load->started, true)) return Status::Ok();
  return options_.beside_rows ? FindLastWritten(load) : TakeWritten(load);
}

Status BulkLoad::TakeWritten(IndexLoad* load) {
  WrittenEntries entry(written_, load->index.family, load->reverse, load->index.id);
  for (; entry.Valid(); entry.Next()) {
    // Of nothing that is committed.
    if (entry.deleted()) continue;
    BASALT_RETURN_IF_ERROR(load->files.Add(entry.key(), entry.value()));
    load->last.assign(entry.key());
  }
  return entry.status();
}

// Behind it the order of the entries begins.
Status BulkLoad::FindLastWritten(IndexLoad* load) {
  WrittenEntries entry(written_, load->index.family, load->reverse, load->index.id,
                       WrittenEntries::Order::kFromItsEnd);
  while (entry.Valid() && entry.deleted()) entry.Next();
  if (entry.Valid()) load->last.assign(entry.key());
  return entry.status();
}

Status BulkLoad::Flush(IndexLoad* load) {
  const EntryBuffer& entries = *load->flushing;
  if (entries.count() == 0) return Status::Ok();
  load->NoteEntries(entries);
  const bool in_order =
      !load->has_runs() && entries.in_order() &&
      (load->last.empty() || ComesBefore(load->last, entries.key(0), load->reverse));
  if (!in_order) return MakeRun(load);
  BASALT_RETURN_IF_ERROR(AppendInOrder(load, entries, nullptr));
  load->flushing->Clear();
  return Status::Ok();
}

Status BulkLoad::AddSorted(size_t index, std::unique_ptr<EntryBuffer>* entries) {
  IndexLoad* load = loads_[index].get();
  BASALT_RETURN_IF_ERROR(Start(load));
  entries_ += (*entries)->count();
  written_->CountAdded((*entries)->bytes());
  std::swap(load->flushing, *entries);
  load->NoteEntries(*load->flushing);
  return MakeRun(load);
}

// Of the entries on their way, in memory if it has room.
Status BulkLoad::MakeRun(IndexLoad* load) {
  load->flushing->Sort();
  if (load->memory_runs.HasRoomFor(load->flushing->bytes())) {
    load->memory_runs.Add(
        std::exchange(load->flushing, std::make_unique<EntryBuffer>(load->reverse)));
    return Status::Ok();
  }
  BASALT_RETURN_IF_ERROR(WriteRun(load));
  load->flushing->Clear();
  return Status::Ok();
}

Status BulkLoad::AppendInOrder(IndexLoad* load, const EntryBuffer& entries,
                               const Progress* progress) {
  for (size_t i = 0; i < entries.count(); ++i) {
    const Bytes key = entries.key(i);
    const Bytes value = entries.value(i);
    if (load->index.AreAlike(load->last, key)) {
      duplicate_ = {load->position, std::string(key), std::string(value)};
      return Status(Code::kDuplicateKey);
    }
    BASALT_RETURN_IF_ERROR(CheckCommitted(load, key, value));
    BASALT_RETURN_IF_ERROR(load->files.Add(key, value));
    load->last.assign(key);
    ++load->appended;
    BASALT_RETURN_IF_ERROR(CountAppended(progress));
  }
  return Status::Ok();
}

// Two equal keys meet here already, and a file cannot hold both. Where any number of entries may
// share what they have, two rows have the same primary key, which its own index is going to tell.
Status BulkLoad::WriteRun(IndexLoad* load) {
  const EntryBuffer& entries = *load->flushing;
  Bytes last;
  for (size_t i = 0; i < entries.count(); ++i) {
    const Bytes key = entries.key(i);
    const Bytes value = entries.value(i);
    if (key == last) {
      if (!load->index.AreAlike(last, key)) continue;
      duplicate_ = {load->position, std::string(key), std::string(value)};
      return Status(Code::kDuplicateKey);
    }
    BASALT_RETURN_IF_ERROR(load->runs.Add(key, value));
    last = key;
  }
  return load->runs.EndFile();
}

Status BulkLoad::Finish(const Progress& progress) {
  BASALT_RETURN_IF_ERROR(flush_.Wait());
  for (auto& load : loads_) load->flushing->Release();
  for (auto& load : loads_) BASALT_RETURN_IF_ERROR(FinishIndex(load.get(), progress));
  finished_ = true;
  return Status::Ok();
}

Status BulkLoad::FinishIndex(IndexLoad* load, const Progress& progress) {
  BASALT_RETURN_IF_ERROR(Start(load));
  EntryBuffer& entries = *load->buffer;
  entries.Sort();
  const bool behind = entries.count() == 0 || load->last.empty() ||
                      ComesBefore(load->last, entries.key(0), load->reverse);
  if (!load->has_runs() && behind) {
    BASALT_RETURN_IF_ERROR(AppendInOrder(load, entries, &progress));
  } else {
    BASALT_RETURN_IF_ERROR(MergeAll(load, progress));
  }
  BASALT_RETURN_IF_ERROR(load->files.EndFile());
  if (options_.beside_rows && load->position == 0) BASALT_RETURN_IF_ERROR(CheckApart(*load));
  bytes_ -= std::min(bytes_, entries.bytes());
  entries.Release();
  return Interrupted(progress);
}

Status BulkLoad::CheckApart(const IndexLoad& load) const {
  if (load.files.files().empty()) return Status::Ok();
  CommittedEntries committed(store_, load.index, load.reverse);
  bool among = false;
  const auto& files = load.files.files();
  BASALT_RETURN_IF_ERROR(committed.HasBetween(files.front().first, files.back().last, &among));
  if (!among) return Status::Ok();
  return Status(Code::kInvalidArgument, "rows of a bulk load lie among rows of the table");
}

Status BulkLoad::CountAppended(const Progress* progress) {
  if (++merged_ % kEntriesPerReport != 0 || progress == nullptr) return Status::Ok();
  return Interrupted(*progress);
}

Status BulkLoad::Interrupted(const Progress& progress) {
  if (progress(merged_, entries_)) return Status::Ok();
  return Status(Code::kInterrupted, "the load was interrupted");
}

Status BulkLoad::CollectSources(const IndexLoad& load, const KeyRange& range,
                                std::vector<std::unique_ptr<MergeSource>>* sources) const {
  BASALT_RETURN_IF_ERROR(load.files.Read(range, sources));
  BASALT_RETURN_IF_ERROR(load.runs.Read(range, sources));
  load.memory_runs.Read(range, sources);
  sources->push_back(std::make_unique<BufferSource>(*load.buffer, range));
  if (options_.beside_rows) {
    sources->push_back(std::make_unique<WrittenSource>(
        WrittenEntries(written_, load.index.family, load.reverse, load.index.id)));
  }
  return Status::Ok();
}

// Where the entries are divided among threads. Beside rows, what the transaction has written and
// the rows themselves are one thread's to look at.
std::vector<std::string> BulkLoad::Borders(const IndexLoad& load) const {
  constexpr uint64_t kMostThreads = 4;
  const auto jobs = static_cast<uint64_t>(std::max(1, store::BackgroundJobs(store_->options())));
  const uint64_t parts = (load.flushed + load.buffer->count()) / options_.entries_per_merge;
  const uint64_t ranges = options_.beside_rows ? 1 : std::min({kMostThreads, jobs, parts});
  std::vector<std::string> samples = load.samples;
  AddSamples(*load.buffer, &samples);
  std::sort(samples.begin(), samples.end(), [&load](const std::string& a, const std::string& b) {
    return ComesBefore(a, b, load.reverse);
  });
  std::vector<std::string> borders;
  for (uint64_t i = 1; i < ranges; ++i) borders.push_back(samples[samples.size() * i / ranges]);
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

Status BulkLoad::MergeAll(IndexLoad* load, const Progress& progress) {
  BASALT_RETURN_IF_ERROR(load->files.EndFile());
  IndexMerge::Input input{store_, &load->index, load->reverse, load->prefix + "-merged", {}, {}};
  input.open = [this, load](const KeyRange& range, auto* sources) {
    return CollectSources(*load, range, sources);
  };
  if (options_.beside_rows) {
    input.check = [this, load](Bytes key, Bytes value) { return CheckCommitted(load, key, value); };
  }
  IndexMerge merge(std::move(input), Borders(*load));
  load->committed.reset();                      // from the beginning
  merged_ -= std::exchange(load->appended, 0);  // they come again
  Status merged = merge.Run([&](uint64_t done) { return progress(merged_ + done, entries_); });
  merged_ += merge.entries();
  if (merge.duplicate()) {
    duplicate_ = {load->position, merge.duplicate()->key, merge.duplicate()->value};
  }
  if (!merged.ok()) return merged;
  load->files.RemoveFiles();
  load->runs.RemoveFiles();
  load->memory_runs.Release();
  merge.MoveTo(&load->files);
  return Status::Ok();
}

// A flush that has found a duplicate has left its entries where they were.
Status BulkLoad::FindLoaded(size_t index, Bytes key, std::string* value) {
  IndexLoad& load = *loads_[index];
  WriteKind kind;
  BASALT_RETURN_IF_ERROR(written_->Get(load.index.family, key, &kind, value));
  if (kind == WriteKind::kPut) return Status::Ok();
  for (const EntryBuffer* entries : {load.buffer.get(), load.flushing.get()}) {
    if (entries->Find(key, value)) return Status::Ok();
  }
  if (load.memory_runs.Find(key, value)) return Status::Ok();
  BASALT_RETURN_IF_ERROR(load.files.EndFile());
  Status found = load.files.Find(key, value);
  return found.code() == Code::kNotFound ? load.runs.Find(key, value) : std::move(found);
}

void BulkLoad::AppendTaken(std::set<IndexId>* indexes) const {
  if (options_.beside_rows) return;
  for (const auto& load : loads_) indexes->insert(load->index.id);
}

std::vector<BulkLoad::File> BulkLoad::TakeFiles() {
  std::vector<File> taken;
  for (auto& load : loads_) {
    for (SortedFile& file : load->files.TakeFiles()) {
      taken.push_back({load->index.id.column_family, std::move(file)});
    }
  }
  return taken;
}

}  // namespace basalt::txn
