// SPDX-License-Identifier: GPL-2.0-only
#include "txn/overlay_source.h"

#include "store/errors/status_map.h"
#include "txn/spill.h"
#include "txn/write_set.h"

namespace basalt::txn {
namespace {

bool BelongsTo(Bytes key, uint32_t index_number) {
  return index_number == 0 ||
         (key.size() >= kIndexNumberBytes && LoadBigEndian32(key.data()) == index_number);
}

class BatchSource final : public OverlaySource {
 public:
  BatchSource(rocksdb::WBWIIterator* iterator, bool reverse, uint32_t index_number)
      : iterator_(iterator), reverse_(reverse), index_number_(index_number) {}

  void Seek(Bytes target, bool forward) override {
    if (forward != reverse_) {
      iterator_->Seek(target);
    } else {
      iterator_->SeekForPrev(target);
    }
  }
  void Move(bool forward) override {
    if (forward != reverse_) {
      iterator_->Next();
    } else {
      iterator_->Prev();
    }
  }
  bool Valid() const override { return iterator_->Valid() && BelongsTo(key(), index_number_); }
  Bytes key() const override {
    const rocksdb::Slice key = iterator_->Entry().key;
    return key.ToStringView();
  }
  Bytes value() const override {
    const rocksdb::Slice value = iterator_->Entry().value;
    return value.ToStringView();
  }
  bool deleted() const override { return iterator_->Entry().type != rocksdb::kPutRecord; }
  Status status() const override {
    return store::MapStatus(iterator_->status(), "reading uncommitted changes");
  }

 private:
  const std::unique_ptr<rocksdb::WBWIIterator> iterator_;
  const bool reverse_;
  const uint32_t index_number_;
};

// Spilled layers keep the plain order of bytes, so that directions need no turning.
class LayerSource final : public OverlaySource {
 public:
  LayerSource(Spill* spill, const SpillLayer& layer, uint32_t family, uint32_t index_number)
      : layer_(layer),
        family_(family),
        index_number_(index_number),
        iterator_(spill->NewIterator(layer, family, &bounds_)) {}

  void Seek(Bytes target, bool forward) override {
    Spill::MakeKey(layer_, family_, target, &target_);
    if (forward) {
      iterator_->Seek(target_);
    } else {
      iterator_->SeekForPrev(target_);
    }
  }
  void Move(bool forward) override {
    if (forward) {
      iterator_->Next();
    } else {
      iterator_->Prev();
    }
  }
  bool Valid() const override { return iterator_->Valid() && BelongsTo(key(), index_number_); }
  Bytes key() const override {
    const rocksdb::Slice key = iterator_->key();
    return Bytes(key.data() + Spill::kHeaderBytes, key.size() - Spill::kHeaderBytes);
  }
  Bytes value() const override {
    const rocksdb::Slice value = iterator_->value();
    return Bytes(value.data() + 1, value.size() - 1);
  }
  bool deleted() const override { return iterator_->value()[0] == Spill::kDeleted; }
  Status status() const override {
    return store::MapStatus(iterator_->status(), "reading spilled changes");
  }

 private:
  const SpillLayer layer_;
  const uint32_t family_;
  const uint32_t index_number_;
  Spill::Bounds bounds_;
  const std::unique_ptr<rocksdb::Iterator> iterator_;
  std::string target_;
};

}  // namespace

void MakeOverlaySources(WriteSet* writes, rocksdb::ColumnFamilyHandle* family, bool reverse,
                        IndexId index, std::vector<std::unique_ptr<OverlaySource>>* sources) {
  if (writes->batch() != nullptr) {
    sources->push_back(
        std::make_unique<BatchSource>(writes->batch()->NewIterator(family), reverse, index.number));
  }
  for (auto layer = writes->layers().rbegin(); layer != writes->layers().rend(); ++layer) {
    sources->push_back(
        std::make_unique<LayerSource>(writes->spill(), *layer, family->GetID(), index.number));
  }
}

}  // namespace basalt::txn
