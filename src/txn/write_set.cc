// SPDX-License-Identifier: GPL-2.0-only
#include "txn/write_set.h"

#include <algorithm>
#include <utility>

#include <rocksdb/write_batch.h>

#include "base/assert.h"
#include "store/errors/status_map.h"
#include "store/options/memory_charge.h"
#include "store/store.h"
#include "txn/overlay_source.h"

namespace basalt::txn {
namespace {

// Bytes of spilled operations written to the store at a time.
constexpr size_t kSpillChunkBytes = 1u << 20;

// The batch is charged in steps of so many of its bytes; smaller ones are not worth it. In memory
// it takes about twice as much: the string that it is grows by doubling, and each entry has a node
// of an index.
constexpr size_t kChargeStep = 256u << 10;
constexpr size_t kMemoryPerByte = 2;

// Entries that HasInsertBetween looks up in the store before it gives up.
constexpr int kLookUps = 64;

// Sorts the operations of a batch into layers, in their order.
class LayerWriter : public rocksdb::WriteBatch::Handler {
 public:
  struct Target {
    uint64_t first_operation;
    SpillLayer* layer;
  };

  LayerWriter(Spill* spill, std::vector<Target> targets)
      : spill_(spill), targets_(std::move(targets)) {}

  rocksdb::Status PutCF(uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    value_.assign(1, Spill::kPut);
    value_.append(value.data(), value.size());
    return Add(family, key);
  }
  rocksdb::Status DeleteCF(uint32_t family, const rocksdb::Slice& key) override {
    value_.assign(1, Spill::kDeleted);
    return Add(family, key);
  }
  rocksdb::Status SingleDeleteCF(uint32_t family, const rocksdb::Slice& key) override {
    return DeleteCF(family, key);
  }
  // Prepared sections and the like never are in a batch of uncommitted writes; noops are.
  rocksdb::Status MarkNoop(bool) override { return rocksdb::Status::OK(); }
  void LogData(const rocksdb::Slice&) override {}

  Status Flush() {
    if (chunk_.Count() == 0) return Status::Ok();
    Status written = spill_->Write(&chunk_);
    chunk_.Clear();
    return written;
  }
  Status TakeFailure() { return std::move(failure_); }

 private:
  rocksdb::Status Add(uint32_t family, const rocksdb::Slice& key) {
    while (target_ + 1 < targets_.size() && operation_ >= targets_[target_ + 1].first_operation) {
      ++target_;
    }
    ++operation_;
    SpillLayer* layer = targets_[target_].layer;
    ++layer->operations;
    Spill::MakeKey(*layer, family, key.ToStringView(), &key_);
    rocksdb::Status added = chunk_.Put(spill_->family(), key_, value_);
    if (!added.ok() || chunk_.GetDataSize() < kSpillChunkBytes) return added;
    failure_ = Flush();
    return failure_.ok() ? rocksdb::Status::OK() : rocksdb::Status::IOError("spill");
  }

  Spill* const spill_;
  const std::vector<Target> targets_;
  size_t target_ = 0;
  uint64_t operation_ = 0;
  std::string key_;
  std::string value_;
  rocksdb::WriteBatch chunk_;
  Status failure_;
};

}  // namespace

WriteSet::WriteSet(Spill* spill, Options options) : spill_(spill), options_(options) {
  ChargeFor(0);
}

void WriteSet::NoteWrite(uint32_t family) {
  ++operations_;
  if (Wrote(family)) return;
  families_.push_back(family);
  ++generation_;
}

Status WriteSet::Put(rocksdb::ColumnFamilyHandle* family, Bytes key, Bytes value) {
  BASALT_RETURN_IF_ERROR(SpillIfFull());
  NoteWrite(family->GetID());
  CountAdded(key.size() + value.size());
  return store::MapStatus(batch_->Put(family, key, value), "collecting a write");
}

Status WriteSet::Delete(rocksdb::ColumnFamilyHandle* family, Bytes key) {
  BASALT_RETURN_IF_ERROR(SpillIfFull());
  NoteWrite(family->GetID());
  CountAdded(key.size());
  return store::MapStatus(batch_->Delete(family, key), "collecting a delete");
}

Status WriteSet::SingleDelete(rocksdb::ColumnFamilyHandle* family, Bytes key) {
  BASALT_RETURN_IF_ERROR(SpillIfFull());
  NoteWrite(family->GetID());
  CountAdded(key.size());
  return store::MapStatus(batch_->SingleDelete(family, key), "collecting a delete");
}

Status WriteSet::Get(rocksdb::ColumnFamilyHandle* family, Bytes key, WriteKind* kind,
                     std::string* value) {
  *kind = WriteKind::kNone;
  if (operations_ != 0) {
    std::unique_ptr<rocksdb::WBWIIterator> entry(batch_->NewIterator(family));
    entry->Seek(key);
    if (entry->Valid()) {
      const rocksdb::WriteEntry found = entry->Entry();
      if (found.key == rocksdb::Slice(key)) {
        if (found.type != rocksdb::kPutRecord) {
          *kind = WriteKind::kDeleted;
        } else {
          *kind = WriteKind::kPut;
          value->assign(found.value.data(), found.value.size());
        }
        return Status::Ok();
      }
    }
  }
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    Status found = spill_->Get(*layer, family->GetID(), key, value);
    if (found.code() == Code::kNotFound) continue;
    BASALT_RETURN_IF_ERROR(std::move(found));
    *kind = value->front() == Spill::kPut ? WriteKind::kPut : WriteKind::kDeleted;
    value->erase(0, 1);
    return Status::Ok();
  }
  return Status::Ok();
}

WriteSet::Mark WriteSet::SetMark() {
  MarkEntry entry{next_mark_++, true, false, layers_.size(), operations_, operations()};
  // Without writes in the batch the mark lies on its lower edge and needs no savepoint there.
  if (operations_ != 0) {
    batch_->SetSavePoint();
    entry.in_batch = true;
  }
  marks_.push_back(entry);
  return entry.id;
}

Status WriteSet::RollbackTo(Mark mark) {
  size_t position = marks_.size();
  while (position > 0 && marks_[position - 1].id != mark) --position;
  if (position == 0) return Status(Code::kInternal, "roll-back to a mark that was released");
  MutexLock guard(mutex_);
  // Collapse the savepoints after the mark first, so that the batch is rolled back only once.
  while (marks_.size() > position) {
    if (marks_.back().in_batch) (void)batch_->PopSavePoint();
    marks_.pop_back();
  }
  MarkEntry& entry = marks_.back();
  ++generation_;
  if (entry.in_batch) {
    BASALT_RETURN_IF_ERROR(store::MapStatus(batch_->RollbackToSavePoint(), "rolling back"));
    batch_->SetSavePoint();
    operations_ = entry.operation;
    BASALT_ASSERT(operations() == entry.operations,
                  "W2: no layer holds writes from both sides of a live mark");
    return Status::Ok();
  }
  if (batch_ != nullptr) BASALT_RETURN_IF_ERROR(EmptyBatch());
  while (layers_.size() > entry.layer_count) {
    spilled_operations_ -= layers_.back().operations;
    spill_->Drop(layers_.back());
    layers_.pop_back();
  }
  BASALT_ASSERT(operations() == entry.operations,
                "W2: no layer holds writes from both sides of a live mark");
  return Status::Ok();
}

void WriteSet::ReleaseMark(Mark mark) {
  for (auto entry = marks_.rbegin(); entry != marks_.rend(); ++entry) {
    if (entry->id != mark) continue;
    entry->live = false;
    break;
  }
  PopDeadMarks();
}

// A dead mark in the middle stays until those above it are gone: RocksDB's savepoints are a stack.
void WriteSet::PopDeadMarks() {
  while (!marks_.empty() && !marks_.back().live) {
    if (marks_.back().in_batch) (void)batch_->PopSavePoint();
    marks_.pop_back();
  }
}

Status WriteSet::SpillIfFull() {
  const size_t bytes = batch_->GetDataSize();
  if (bytes < next_look_) [[likely]]
    return Status::Ok();
  return LookAtSize(bytes);
}

Status WriteSet::LookAtSize(size_t bytes) {
  if (bytes >= options_.spill_bytes) return SpillBatch();
  ChargeFor(bytes);
  return Status::Ok();
}

void WriteSet::ChargeFor(size_t bytes) {
  const size_t before = std::exchange(charged_, bytes * kMemoryPerByte);
  if (options_.memory != nullptr) options_.memory->Change(before, charged_);
  next_look_ = std::min(options_.spill_bytes, bytes + kChargeStep);
}

Status WriteSet::SpillBatch() {
  // One layer for the writes before the first live mark inside the batch, one more after each.
  // Allocated in full before the layers are referred to.
  std::vector<uint64_t> starts{0};
  for (const MarkEntry& mark : marks_) {
    if (mark.live && mark.in_batch && mark.operation > starts.back()) {
      starts.push_back(mark.operation);
    }
  }
  // The newest layer can take the oldest writes when no live mark lies between them (W2).
  bool extend = !layers_.empty();
  for (const MarkEntry& mark : marks_) {
    if (mark.live && !mark.in_batch && mark.layer_count == layers_.size()) extend = false;
  }
  std::vector<SpillLayer> added(starts.size());
  for (size_t i = extend ? 1 : 0; i < added.size(); ++i) {
    BASALT_RETURN_IF_ERROR(spill_->NewLayer(&added[i]));
  }
  if (extend) added[0] = layers_.back();
  const uint64_t before = extend ? added[0].operations : 0;

  std::vector<LayerWriter::Target> targets;
  targets.reserve(starts.size());
  for (size_t i = 0; i < starts.size(); ++i) targets.push_back({starts[i], &added[i]});
  LayerWriter writer(spill_, std::move(targets));
  const rocksdb::Status iterated = batch_->GetWriteBatch()->Iterate(&writer);
  BASALT_RETURN_IF_ERROR(writer.TakeFailure());
  BASALT_RETURN_IF_ERROR(store::MapStatus(iterated, "spilling changes"));
  BASALT_RETURN_IF_ERROR(writer.Flush());

  if (extend) layers_.pop_back();
  const size_t base = layers_.size();
  for (const MarkEntry& mark : marks_) {
    if (mark.in_batch) (void)batch_->PopSavePoint();
  }
  layers_.insert(layers_.end(), added.begin(), added.end());
  for (MarkEntry& mark : marks_) {
    if (!mark.in_batch) continue;
    const auto after = std::upper_bound(starts.begin(), starts.end(), mark.operation);
    // A mark at the start of segment k lies after the k layers before it.
    const size_t segment = static_cast<size_t>(after - starts.begin()) - 1;
    mark.layer_count = base + (mark.operation == 0 ? 0 : segment);
    mark.in_batch = false;
  }
  for (const SpillLayer& layer : added) spilled_operations_ += layer.operations;
  spilled_operations_ -= before;
  ++generation_;
  return EmptyBatch();
}

Status WriteSet::EmptyBatch() {
  operations_ = 0;
  ChargeFor(0);
  BASALT_RETURN_IF_ERROR(store::MapStatus(batch_->RollbackToSavePoint(), "emptying a batch"));
  BASALT_ASSERT(batch_->GetWriteBatch()->Count() == 0,
                "W1: the batch holds only writes newer than every write in the layers");
  batch_->SetSavePoint();
  return Status::Ok();
}

Status WriteSet::DiscardContent() {
  MutexLock guard(mutex_);
  for (const MarkEntry& mark : marks_) {
    if (mark.in_batch) (void)batch_->PopSavePoint();
  }
  Status emptied = EmptyBatch();
  rocksdb::WriteBatchWithIndex* batch = batch_;
  ClearContent();
  batch_ = batch;
  return emptied;
}

void WriteSet::Clear() {
  // Nothing was noted or written since the last time, which is all that most transactions do.
  if (batch_ == nullptr) return;
  MutexLock guard(mutex_);
  ClearContent();
  inserted_.clear();
  loaded_.clear();
  inserted_mask_.store(0);
  opaque_ = false;
}

void WriteSet::ClearContent() {
  for (const SpillLayer& layer : layers_) spill_->Drop(layer);
  layers_.clear();
  marks_.clear();
  families_.clear();
  operations_ = 0;
  spilled_operations_ = 0;
  ChargeFor(0);
  batch_ = nullptr;
  ++generation_;
}

void WriteSet::NoteInsert(IndexId index) {
  for (auto known = inserted_.rbegin(); known != inserted_.rend(); ++known) {
    if (*known == index) return;
  }
  inserted_.push_back(index);
  // Before the writer looks at the ranges; see range_locks.h.
  inserted_mask_.fetch_or(MaskBit(index));
}

void WriteSet::NoteLoaded(IndexId index, Bytes key) {
  for (LoadedRange& range : loaded_) {
    if (range.index != index) continue;
    if (key < range.first) range.first.assign(key);
    if (key > range.last) range.last.assign(key);
    return;
  }
  loaded_.push_back({index, std::string(key), std::string(key)});
}

void WriteSet::SetOpaque(bool opaque) {
  MutexLock guard(mutex_);
  opaque_ = opaque;
}

bool WriteSet::HasInsertBetween(store::Store* store, IndexId index, Bytes start, Bytes end) {
  if (std::find(inserted_.begin(), inserted_.end(), index) == inserted_.end()) return false;
  if (opaque_) return true;
  for (const LoadedRange& range : loaded_) {
    if (range.index == index && range.last >= start && range.first < end) return true;
  }
  rocksdb::ColumnFamilyHandle* family = store->FindColumnFamily(index.column_family);
  std::vector<std::unique_ptr<OverlaySource>> sources;
  MakeOverlaySources(this, family, store::IsReverse(family), index, &sources);
  int look_ups = 0;
  for (const auto& source : sources) {
    for (source->Seek(start, true); source->Valid() && source->key() < end; source->Move(true)) {
      if (source->deleted()) continue;
      rocksdb::PinnableSlice value;
      const rocksdb::Status found =
          store->base()->Get(rocksdb::ReadOptions(), family, source->key(), &value);
      if (!found.ok() || ++look_ups == kLookUps) return true;
    }
    if (!source->status().ok()) return true;
  }
  return false;
}

}  // namespace basalt::txn
