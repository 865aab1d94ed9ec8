// SPDX-License-Identifier: GPL-2.0-only
#include "engine/table_statistics.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "engine/database.h"
#include "engine/table.h"
#include "store/errors/status_map.h"
#include "store/format/index_bounds.h"
#include "store/memtables/memtable_composition.h"
#include "store/memtables/memtable_estimate.h"
#include "store/reports/store_reports.h"

namespace basalt::engine {
namespace {

// Entries up to which an index is counted instead of estimated: about half a millisecond, and some
// thirty for ANALYZE. Memtables only know a rough number of their entries.
constexpr uint64_t kCountedEntries = 4096;
constexpr uint64_t kCountedByAnalyze = 1u << 18;
// Far more than that, and a statement would feel it; as many are worth a right number.
constexpr uint64_t kDeadForEach = 64;
// What an entry of a memtable has beside its key and value: number and type of the write (8 bytes),
// and the two lengths.
constexpr uint64_t kMemtableOverhead = 10;
// Below this many changes a renewal is not worth its cost.
constexpr uint64_t kMinimumChanges = 64;
constexpr unsigned kMaximumParts = 32;
// A range is looked at more closely when memory holds more than this share of what files do.
constexpr double kMuchInMemory = 0.125;
// Fewer entries are counted anyway, by those who ask: see RangeEstimator.
constexpr double kFewEntries = 1024;
// Of each row in files so many entries: then what is true of the whole is not of a range.
constexpr double kManyDeadInFiles = 1.5;

// In the order of the column family, which may be the reverse of that of the bytes.
rocksdb::Range StoreRange(const Index& index, Bytes begin, Bytes end) {
  if (index.reverse) std::swap(begin, end);
  return rocksdb::Range(begin, end);
}

// Of what files hold of an index, how much lies in a part of it: between 0 and 1.
double ShareOfFiles(const store::Store& store, const Index& index, const rocksdb::Range& part) {
  const store::IndexBounds whole(index.id, index.reverse);
  const auto all = static_cast<double>(store::DiskBytesOf(store, index.family, whole.range()));
  const auto bytes = static_cast<double>(store::DiskBytesOf(store, index.family, part));
  return all == 0 ? 0 : std::min(1.0, bytes / all);
}

// Left to chance: see EstimateMemtableEntries.
double RoughEntriesInMemory(const store::Store& store, const Index& index,
                            const rocksdb::Range& range) {
  return static_cast<double>(store::MemtableShareOf(store, index.family, range).entries);
}

// Of a range of which memory holds about `rough` entries: how many, and the share of deletions.
// Deletions stand side by side, and say nothing of those of another range.
struct PartInMemory {
  double entries;
  double deleted;
};
PartInMemory LookAtMemory(const store::Store& store, const Index& index,
                          const rocksdb::Range& range, const StoredAmount& rough, double deleted) {
  const PartInMemory known{rough.in_memory, deleted};
  if (rough.in_memory <= rough.in_files * kMuchInMemory) return known;
  if (deleted > 0) {
    const store::MemtableComposition found =
        store::EstimateMemtables(store.base(), index.family, range);
    return {static_cast<double>(found.entries), found.DeletedShare()};
  }
  if (rough.in_files + rough.in_memory < kFewEntries) return known;
  const uint64_t found = store::EstimateMemtableEntries(store.base(), index.family, range);
  return {static_cast<double>(found), deleted};
}

// All that memory holds of an index, of which it holds about `rough.in_memory`. What is known is as
// exact as can be, unless it is of another time.
double AllInMemory(const store::Store& store, const Index& index, const StoredAmount& rough,
                   const std::optional<double>& known) {
  constexpr double kAgrees = 2;
  if (known && *known <= rough.in_memory * kAgrees && rough.in_memory <= *known * kAgrees)
    return *known;
  if (rough.in_memory <= rough.in_files * kMuchInMemory) return rough.in_memory;
  const store::IndexBounds whole(index.id, index.reverse);
  return static_cast<double>(
      store::EstimateMemtableEntries(store.base(), index.family, whole.range()));
}

}  // namespace

TableStatistics::TableStatistics(const Table* table) : table_(table) {}

uint64_t TableStatistics::Changes() const {
  return inserted_.load(std::memory_order_relaxed) + updated_.load(std::memory_order_relaxed) +
         deleted_.load(std::memory_order_relaxed);
}

// The rows of a load were noted when nobody could see them, so what was measured before its end
// does not go with what is noted since.
bool TableStatistics::WasLoaded() const { return table_->counters().loads() != loads_then_; }

uint64_t TableStatistics::RowsLocked() const {
  const uint64_t added = inserted_.load(std::memory_order_relaxed) - inserted_then_;
  const uint64_t removed = deleted_.load(std::memory_order_relaxed) - deleted_then_;
  return rows_ + added > removed ? rows_ + added - removed : 0;
}

// An entry in memory is a new row, another version of one, or its end, and only the writers know
// which; what they have noted goes wrong in turn with each roll-back. So theirs is the number,
// within what the store can hold: each entry in memory adds a row at the most or takes one away,
// and of two versions in files one may be another's.
uint64_t TableStatistics::Reconcile(const IndexEstimate& estimate) const {
  if (estimate.counted || !known_) return estimate.entries;
  const uint64_t least = estimate.file_entries / 2;
  return std::clamp(RowsLocked(),
                    least > estimate.memtable_entries ? least - estimate.memtable_entries : 0,
                    estimate.file_entries + estimate.memtable_entries);
}

void TableStatistics::RefreshIfStale() {
  if (known_ && !WasLoaded() && Changes() < renew_at_.load(std::memory_order_relaxed)) return;
  // Estimates that cannot be renewed stay what they were.
  (void)RefreshLocked(kCountedEntries);
}

Status TableStatistics::Refresh() {
  MutexLock guard(mutex_);
  return RefreshLocked(kCountedByAnalyze);
}

void TableStatistics::RefreshIfChanged() {
  MutexLock guard(mutex_);
  if (known_ && !WasLoaded() && Changes() == changes_then_) return;
  (void)RefreshLocked(kCountedEntries);  // else the estimates stay what they were
}

Status TableStatistics::RefreshLocked(uint64_t count_limit) {
  const uint64_t inserted = inserted_.load(std::memory_order_relaxed);
  const uint64_t updated = updated_.load(std::memory_order_relaxed);
  const uint64_t deleted = deleted_.load(std::memory_order_relaxed);
  const uint64_t loads = table_->counters().loads();
  if (loads != loads_then_) known_ = false;
  std::vector<IndexEstimate> fresh(table_->index_count());
  for (size_t i = 0; i < fresh.size(); ++i)
    BASALT_RETURN_IF_ERROR(Measure(i, count_limit, &fresh[i]));
  const uint64_t rows = Reconcile(fresh[table_->primary_position()]);
  for (size_t i = 0; i < fresh.size(); ++i) fresh[i].effect = EffectOfMemory(i, fresh[i], rows);
  indexes_ = std::move(fresh);
  rows_ = rows;
  inserted_then_ = inserted;
  deleted_then_ = deleted;
  changes_then_ = inserted + updated + deleted;
  loads_then_ = loads;
  known_ = true;
  renew_at_.store(changes_then_ + std::max(kMinimumChanges, rows_ / 10), std::memory_order_relaxed);
  return Status::Ok();
}

// Unless they were sampled: RocksDB counts the deletions of a column family, not those of an index.
// As many of its entries as of all, but each row that was deleted or changed since the start has
// left no more than one.
MemoryEffect TableStatistics::EffectOfMemory(size_t position, const IndexEstimate& estimate,
                                             uint64_t rows) const {
  const auto in_memory = static_cast<double>(estimate.memtable_entries);
  const StoredAmount all{static_cast<double>(estimate.file_entries), in_memory};
  const auto found = static_cast<double>(rows);
  if (in_memory == 0) return EffectOf(all, found, 0);
  if (estimate.deleted) return EffectOf(all, found, *estimate.deleted);
  const Index& index = table_->index(position);
  const store::MemtableComposition memtables =
      store::CompositionOfMemtables(table_->database()->store()->base(), index.family);
  uint64_t noted = deleted_.load(std::memory_order_relaxed);
  if (position != table_->primary_position()) noted += updated_.load(std::memory_order_relaxed);
  const double most = static_cast<double>(std::min(noted, memtables.deletions)) / in_memory;
  return EffectOf(all, found, std::min(memtables.DeletedShare(), most));
}

// An index of few entries is counted, and so are its ranges: they need not be looked at closely.
void TableStatistics::MeasureMemory(size_t position, IndexEstimate* estimate) const {
  const Index& index = table_->index(position);
  const store::Store& store = *table_->database()->store();
  const store::IndexBounds whole(index.id, index.reverse);
  const store::MemtableShare rough = store::MemtableShareOf(store, index.family, whole.range());
  estimate->memtable_entries = rough.entries;
  estimate->memory_bytes = rough.bytes;
  if (rough.entries == 0 || estimate->file_entries + rough.entries <= kCountedEntries) return;
  const store::MemtableComposition found =
      store::EstimateMemtables(store.base(), index.family, whole.range());
  estimate->memtable_entries = found.entries;
  estimate->memory_bytes = rough.bytes / rough.entries * found.entries;
  estimate->deleted = found.DeletedShare();
}

Status TableStatistics::Measure(size_t position, uint64_t count_limit,
                                IndexEstimate* estimate) const {
  const Index& index = table_->index(position);
  const store::Store& store = *table_->database()->store();
  const store::IndexStatistics files = store.index_statistics().StatisticsOf(index.id);
  estimate->data_bytes = static_cast<uint64_t>(std::max<int64_t>(files.data_bytes, 0));
  estimate->disk_bytes = store::DiskBytesOf(store, index.family, index.id);
  estimate->file_entries = static_cast<uint64_t>(files.LiveRows());
  MeasureMemory(position, estimate);
  estimate->entries = estimate->file_entries + estimate->memtable_entries;

  const bool files_tell = !files.distinct_prefixes.empty() && files.rows > 0 &&
                          static_cast<uint64_t>(files.rows) >= estimate->memtable_entries;
  if (estimate->entries > count_limit && files_tell) {
    for (const int64_t distinct : files.distinct_prefixes) {
      estimate->rows_per_key.push_back(std::max(
          1.0,
          static_cast<double>(files.rows) / static_cast<double>(std::max<int64_t>(distinct, 1))));
    }
    return Status::Ok();
  }
  IndexEstimate counted;
  bool complete = false;
  BASALT_RETURN_IF_ERROR(Count(position, count_limit, &counted, &complete));
  estimate->rows_per_key = std::move(counted.rows_per_key);
  if (complete) {
    estimate->entries = counted.entries;
    estimate->counted = true;
    // Of few entries a memtable knows neither number nor size.
    if (files.rows <= 0) estimate->memory_bytes = counted.memory_bytes;
  }
  return Status::Ok();
}

// Walks the index from its start, up to `limit` entries, or until kDeadForEach times as many dead
// ones (deletions and what they hide) lie side by side.
Status TableStatistics::Count(size_t position, uint64_t limit, IndexEstimate* estimate,
                              bool* complete) const {
  const Index& index = table_->index(position);
  const store::IndexBounds whole(index.id, index.reverse);
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  options.max_skippable_internal_keys = kDeadForEach * limit;
  whole.Confine(&options);
  std::unique_ptr<rocksdb::Iterator> entry(
      table_->database()->store()->base()->NewIterator(options, index.family));

  const unsigned parts = std::min(index.codec->total_parts(), kMaximumParts);
  std::array<uint32_t, kMaximumParts> ends{};
  std::array<uint64_t, kMaximumParts> distinct{};
  std::string previous;
  for (entry->SeekToFirst(); entry->Valid() && estimate->entries < limit; entry->Next()) {
    const Bytes key(entry->key().data(), entry->key().size());
    const unsigned whole_parts = index.codec->PartEnds(key, parts, ends.data());
    const size_t same = static_cast<size_t>(
        std::mismatch(key.begin(), key.end(), previous.begin(), previous.end()).first -
        key.begin());
    for (unsigned part = 0; part < whole_parts; ++part) {
      if (estimate->entries == 0 || same < ends[part]) ++distinct[part];
    }
    ++estimate->entries;
    estimate->memory_bytes += key.size() + entry->value().size() + kMemtableOverhead;
    previous.assign(key);
  }
  const rocksdb::Status status = entry->status();
  *complete = !entry->Valid() && !status.IsIncomplete();
  for (unsigned part = 0; part < parts && estimate->entries > 0; ++part) {
    estimate->rows_per_key.push_back(static_cast<double>(estimate->entries) /
                                     static_cast<double>(std::max<uint64_t>(distinct[part], 1)));
  }
  if (status.IsIncomplete()) return Status::Ok();
  return store::MapStatus(status, "counting the entries of an index");
}

uint64_t TableStatistics::Rows() {
  MutexLock guard(mutex_);
  RefreshIfStale();
  return RowsLocked();
}

uint64_t TableStatistics::DataBytes(size_t index) {
  MutexLock guard(mutex_);
  RefreshIfStale();
  return known_ ? indexes_[index].data_bytes + indexes_[index].memory_bytes : 0;
}

TableStatistics::Sizes TableStatistics::AllSizes() {
  MutexLock guard(mutex_);
  RefreshIfStale();
  Sizes sizes;
  sizes.rows = RowsLocked();
  if (!known_) return sizes;
  for (const IndexEstimate& index : indexes_) {
    sizes.stored_entries += index.disk_bytes + index.memory_bytes;
  }
  const IndexEstimate& primary = indexes_[table_->primary_position()];
  sizes.stored_rows = primary.disk_bytes + primary.memory_bytes;
  sizes.stored_entries -= sizes.stored_rows;
  sizes.row_data = primary.data_bytes + primary.memory_bytes;
  return sizes;
}

double TableStatistics::RowsPerKey(size_t index, unsigned parts) {
  const Index& data = table_->index(index);
  if (parts == 0) return 0;
  if (data.unique && parts >= data.codec->user_parts()) return 1;
  MutexLock guard(mutex_);
  RefreshIfStale();
  if (!known_ || parts > indexes_[index].rows_per_key.size()) return 0;
  return indexes_[index].rows_per_key[parts - 1];
}

// Takes what the locked part needs, so that the store is looked at without a lock. `files`: what
// they hold of the index now. As long as that stays the same, memory holds what it held, and what
// was written since: an entry for each row, and up to two more for one that was changed.
std::optional<TableStatistics::KnownIndex> TableStatistics::KnownOf(
    size_t position, const store::IndexStatistics& files) {
  constexpr uint64_t kSmallPart = 8;
  MutexLock guard(mutex_);
  RefreshIfStale();
  if (!known_) return std::nullopt;
  const IndexEstimate& then = indexes_[position];
  KnownIndex known{static_cast<double>(RowsLocked()), then.effect, std::nullopt};
  const uint64_t since = Changes() - changes_then_;
  if (static_cast<uint64_t>(files.LiveRows()) == then.file_entries &&
      static_cast<uint64_t>(std::max<int64_t>(files.data_bytes, 0)) == then.data_bytes &&
      since <= then.memtable_entries / kSmallPart)
    known.in_memory = static_cast<double>(then.memtable_entries + since);
  return known;
}

uint64_t TableStatistics::StoredBetween(size_t position, Bytes start, Bytes end) const {
  const Index& index = table_->index(position);
  const store::Store& store = *table_->database()->store();
  const rocksdb::Range range = StoreRange(index, start, end);
  const store::IndexStatistics files = store.index_statistics().StatisticsOf(index.id);
  const auto in_files = static_cast<double>(files.rows + files.deletes + files.single_deletes);
  return static_cast<uint64_t>(ShareOfFiles(store, index, range) * in_files +
                               RoughEntriesInMemory(store, index, range));
}

TableStatistics::Estimate TableStatistics::EntriesBetween(size_t position, Bytes start, Bytes end) {
  if (start >= end) return {};
  const Index& index = table_->index(position);
  const store::Store& store = *table_->database()->store();
  const store::IndexBounds whole(index.id, index.reverse);
  const rocksdb::Range range = StoreRange(index, start, end);
  const store::IndexStatistics files = store.index_statistics().StatisticsOf(index.id);
  const auto in_files = static_cast<double>(files.LiveRows());
  StoredAmount part{ShareOfFiles(store, index, range) * in_files,
                    RoughEntriesInMemory(store, index, range)};
  StoredAmount all{in_files, RoughEntriesInMemory(store, index, whole.range())};
  const std::optional<KnownIndex> known = KnownOf(position, files);
  if (!known) return {static_cast<uint64_t>(part.in_files + part.in_memory), true};

  const PartInMemory memory = LookAtMemory(store, index, range, part, known->effect.deletions);
  part.in_memory = memory.entries;
  if (in_files > 0) all.in_memory = AllInMemory(store, index, all, known->in_memory);
  const double newest = NewestInFiles(all, known->rows, known->effect);
  return {
      static_cast<uint64_t>(EstimatePart(part, all, known->rows, known->effect, memory.deleted)),
      static_cast<double>(files.rows) <= newest * kManyDeadInFiles};
}

}  // namespace basalt::engine
