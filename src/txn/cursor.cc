// SPDX-License-Identifier: GPL-2.0-only
#include "txn/cursor.h"

#include "base/assert.h"
#include "store/errors/status_map.h"
#include "txn/idle_cursors.h"
#include "txn/overlay_source.h"
#include "txn/write_set.h"

namespace basalt::txn {

// The transaction's own writes, newest source first, and where each stands.
struct Cursor::Overlay {
  std::vector<std::unique_ptr<OverlaySource>> sources;
  bool forward = true;
  // Operations in the write set when the sources were last placed: a later write may lie between
  // the cursor and the place the batch's iterator has already moved on to.
  uint64_t operations = 0;
  // The entry the cursor stands on: copies, because a write may move the batch under them.
  std::string key;
  std::string value;
};

Cursor::Cursor(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, bool reverse, IndexId index,
               IdleCursors* idle, uint64_t most_skipped)
    : db_(db),
      family_(family),
      reverse_(reverse),
      index_(index),
      bounds_(index, reverse),
      most_skipped_(most_skipped),
      idle_(idle) {
  idle_->Register(this);
}

Cursor::~Cursor() {
  idle_->Unregister(this);
  ReleaseParked();
}

Status Cursor::Bind(const rocksdb::Snapshot* snapshot, WriteSet* writes, bool fill_cache) {
  overlay_error_ = Status::Ok();
  valid_ = false;
  writes_ = writes;
  generation_ = 0;
  overlay_.reset();
  bool ready = false;
  if (base_ == nullptr) base_.reset(parked_.exchange(nullptr));
  // An iterator that has failed would go on telling of it.
  if (base_ != nullptr && base_fills_cache_ == fill_cache && base_->status().ok()) {
    ready = base_->Refresh(snapshot).ok();
  }
  if (!ready) {
    rocksdb::ReadOptions options;
    options.snapshot = snapshot;
    options.fill_cache = fill_cache;
    options.max_skippable_internal_keys = most_skipped_;
    bounds_.Confine(&options);
    base_.reset(db_->NewIterator(options, family_));
    base_fills_cache_ = fill_cache;
  }
  bound_ = true;
  if (writes_ != nullptr) RefreshOverlay();
  return store::MapStatus(base_->status(), "opening a scan");
}

void Cursor::Unbind() {
  overlay_.reset();
  writes_ = nullptr;
  bound_ = false;
  valid_ = false;
}

void Cursor::Park() {
  if (bound_) Unbind();
  if (base_ == nullptr) return;
  parked_at_.store(idle_->now());
  parked_.store(base_.release());
}

void Cursor::ReleaseParked() { delete parked_.exchange(nullptr); }

Status Cursor::status() const {
  if (!overlay_error_.ok()) return overlay_error_.Clone();
  return store::MapStatus(base_->status(), "scanning an index");
}

// Builds the overlay anew when the set of own writes has changed its shape.
void Cursor::RefreshOverlay() {
  generation_ = writes_->generation();
  if (!writes_->Wrote(family_->GetID())) {
    overlay_.reset();
    return;
  }
  if (overlay_ == nullptr) overlay_ = std::make_unique<Overlay>();
  overlay_->sources.clear();
  MakeOverlaySources(writes_, family_, reverse_, index_, &overlay_->sources);
}

// Is the overlay, or that there is none, right for the present content of the write set?
bool Cursor::OverlayIsComplete() const {
  if (overlay_ == nullptr) return !writes_->Wrote(family_->GetID());
  return overlay_->sources.size() == writes_->layers().size() + 1;
}

void Cursor::MoveBase(bool forward) {
  if (forward != reverse_) {
    base_->Next();
  } else {
    base_->Prev();
  }
}

void Cursor::SeekBase(Bytes target, bool forward) {
  if (forward != reverse_) {
    base_->Seek(target);
  } else {
    base_->SeekForPrev(target);
  }
}

void Cursor::TakeFromBase() {
  BASALT_ASSERT(writes_ == nullptr || OverlayIsComplete(),
                "W3: generation changes whenever an iterator may have become incomplete");
  valid_ = base_->Valid();
  if (!valid_) return;
  const rocksdb::Slice key = base_->key();
  const rocksdb::Slice value = base_->value();
  key_ = key.ToStringView();
  value_ = value.ToStringView();
}

void Cursor::SeekForward(Bytes target) {
  if (writes_ != nullptr && writes_->generation() != generation_) RefreshOverlay();
  SeekBase(target, true);
  if (PlainUse()) return TakeFromBase();
  for (auto& source : overlay_->sources) source->Seek(target, true);
  Resolve(true);
}

void Cursor::SeekBackward(Bytes target) {
  if (writes_ != nullptr && writes_->generation() != generation_) RefreshOverlay();
  SeekBase(target, false);
  if (PlainUse()) return TakeFromBase();
  for (auto& source : overlay_->sources) source->Seek(target, false);
  Resolve(false);
}

void Cursor::SeekFirst() { SeekForward(bounds_.first()); }
void Cursor::SeekLast() { SeekBackward(bounds_.past_end()); }

void Cursor::Next() {
  if (writes_ == nullptr || (PlainUse() && writes_->generation() == generation_)) [[likely]] {
    MoveBase(true);
    return TakeFromBase();
  }
  Step(true);
}

void Cursor::Prev() {
  if (writes_ == nullptr || (PlainUse() && writes_->generation() == generation_)) [[likely]] {
    MoveBase(false);
    return TakeFromBase();
  }
  Step(false);
}

// Moves every source past the present key, then finds the nearest entry again.
void Cursor::Step(bool forward) {
  const bool reshaped = writes_->generation() != generation_;
  if (reshaped && PlainUse()) {
    // The key belongs to the base iterator, which the first overlay leaves where it stands.
    const std::string key(key_);
    RefreshOverlay();
    if (PlainUse()) {
      MoveBase(forward);
      return TakeFromBase();
    }
    overlay_->key = key;
    overlay_->forward = !forward;  // positions are unknown: seek
  } else if (reshaped) {
    std::string key = std::move(overlay_->key);
    RefreshOverlay();
    if (PlainUse()) {
      SeekBase(key, forward);
      if (base_->Valid() && base_->key().ToStringView() == key) {
        MoveBase(forward);
      }
      return TakeFromBase();
    }
    overlay_->key = std::move(key);
    overlay_->forward = !forward;
  }
  const std::string& key = overlay_->key;
  if (overlay_->forward != forward) {
    SeekBase(key, forward);
    for (auto& source : overlay_->sources) source->Seek(key, forward);
  }
  if (overlay_->operations != writes_->operations()) overlay_->sources.front()->Seek(key, forward);
  if (base_->Valid() && base_->key() == rocksdb::Slice(key)) MoveBase(forward);
  for (auto& source : overlay_->sources) {
    if (source->Valid() && source->key() == key) source->Move(forward);
  }
  Resolve(forward);
}

// Takes the nearest entry of all sources in the direction of the scan; among equals the newest
// write wins, and if that is a deletion, all of them are passed over.
void Cursor::Resolve(bool forward) {
  Overlay& overlay = *overlay_;
  BASALT_ASSERT(OverlayIsComplete(),
                "W3: generation changes whenever an iterator may have become incomplete");
  overlay.forward = forward;
  overlay.operations = writes_->operations();
  while (true) {
    OverlaySource* nearest = nullptr;
    for (auto& source : overlay.sources) {
      Status failure = source->status();
      if (!failure.ok()) {
        overlay_error_ = std::move(failure);
        valid_ = false;
        return;
      }
      if (!source->Valid()) continue;
      if (nearest == nullptr ||
          (forward ? source->key() < nearest->key() : source->key() > nearest->key())) {
        nearest = source.get();
      }
    }
    const bool base_valid = base_->Valid();
    if (!base_valid && !base_->status().ok()) {
      valid_ = false;
      return;
    }
    if (base_valid) {
      const Bytes base_key(base_->key().data(), base_->key().size());
      if (nearest == nullptr || (forward ? base_key < nearest->key() : base_key > nearest->key())) {
        const rocksdb::Slice value = base_->value();
        overlay.key.assign(base_key);
        overlay.value.assign(value.data(), value.size());
        break;
      }
    }
    if (nearest == nullptr) {
      valid_ = false;
      return;
    }
    if (!nearest->deleted()) {
      overlay.key.assign(nearest->key());
      overlay.value.assign(nearest->value());
      break;
    }
    const std::string gone(nearest->key());
    if (base_valid && base_->key() == rocksdb::Slice(gone)) MoveBase(forward);
    for (auto& source : overlay.sources) {
      if (source->Valid() && source->key() == gone) source->Move(forward);
    }
  }
  valid_ = true;
  key_ = overlay.key;
  value_ = overlay.value;
}

}  // namespace basalt::txn
