// SPDX-License-Identifier: GPL-2.0-only
#include "txn/lock_table.h"

#include <algorithm>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/assert.h"

namespace basalt::txn {
namespace {

// A slot's state is a tagged pointer: most locks have one owner and no waiter and need no memory
// beyond the slot. The top bits, which no pointer of this machine uses, name the index for reports.
constexpr uintptr_t kTagExclusive = 0;  // LockOwner*, the only owner
constexpr uintptr_t kTagShared = 1;     // LockOwner*, the only owner
constexpr uintptr_t kTagState = 2;      // SharedState*
constexpr uintptr_t kTagMask = 3;
constexpr int kOrdinalShift = 48;
constexpr uintptr_t kPointerMask = (uintptr_t{1} << kOrdinalShift) - 1 - kTagMask;

uintptr_t Tag(uintptr_t state) { return state & kTagMask; }
uintptr_t Ordinal(uintptr_t state) { return state >> kOrdinalShift; }
LockOwner* OwnerOf(uintptr_t state) { return reinterpret_cast<LockOwner*>(state & kPointerMask); }

uintptr_t Tagged(const void* pointer, uintptr_t tag, uintptr_t ordinal) {
  return reinterpret_cast<uintptr_t>(pointer) | tag | ordinal << kOrdinalShift;
}

uintptr_t OneOwner(const LockOwner* owner, LockMode mode, uintptr_t ordinal) {
  return Tagged(owner, mode == LockMode::kExclusive ? kTagExclusive : kTagShared, ordinal);
}

LockMode ModeOf(uintptr_t state) {
  return Tag(state) == kTagExclusive ? LockMode::kExclusive : LockMode::kShared;
}

LockKind KindOf(LockMode mode) {
  return mode == LockMode::kExclusive ? LockKind::kRowExclusive : LockKind::kRowShared;
}

}  // namespace

// The lock that rows of an index are traded for. Several owners may have it shared. A change of
// `whole` needs the graph's mutex; a request looks at it while it holds the mutex of its row's
// shard, so that it sees either the row's lock or the one it was traded for.
struct IndexLock {
  static constexpr uint8_t kNone = 0;
  static constexpr uint8_t kShared = 1;
  static constexpr uint8_t kExclusive = 2;

  IndexId id;
  uintptr_t ordinal = 0;  // modulo what a slot has room for
  std::atomic<uint8_t> whole{kNone};
  std::atomic<uint32_t> whole_owners{0};
  std::vector<LockOwner*> owners;  // guarded by the graph's mutex
};

struct LockTable::Request {
  LockOwner* owner;
  LockOwner::IndexUse* use;
  Bytes key;
  LockHash hash;
  LockMode mode;
  uint64_t deadline;  // set when it first waits

  LockRequest ForReport() const { return {use->index->id, key, KindOf(mode)}; }
};

struct LockTable::Waiter {
  LockOwner* owner;
  LockMode mode;
  bool upgrade;  // the owner holds the row shared and wants it exclusively
};

// A lock with several owners or with waiters.
struct LockTable::SharedState {
  LockMode mode;
  std::vector<LockOwner*> owners;
  std::vector<Waiter> waiters;

  bool Owns(const LockOwner* owner) const {
    return std::find(owners.begin(), owners.end(), owner) != owners.end();
  }
  bool CanGrant(const Waiter& waiter) const {
    if (waiter.upgrade) return owners.size() == 1 && owners.front() == waiter.owner;
    if (owners.empty()) return true;
    return waiter.mode == LockMode::kShared && mode == LockMode::kShared;
  }
};

// Hash table with linear probing and deletion by shifting back, so that it never fills with
// tombstones however many locks come and go.
struct LockTable::Shard {
  struct Slot {
    LockHash hash;
    uintptr_t state;  // 0: empty
  };
  static constexpr size_t kInitialSlots = 64;

  mutable Mutex mutex;
  std::vector<Slot> slots = std::vector<Slot>(kInitialSlots);
  size_t used = 0;

  size_t Home(LockHash hash) const { return (hash >> 8) & (slots.size() - 1); }
  size_t After(size_t position) const { return (position + 1) & (slots.size() - 1); }

  Slot* Find(LockHash hash) {
    for (size_t i = Home(hash); slots[i].state != 0; i = After(i)) {
      if (slots[i].hash == hash) return &slots[i];
    }
    return nullptr;
  }

  void Insert(LockHash hash, uintptr_t state) {
    if ((used + 1) * 4 > slots.size() * 3) Resize(slots.size() * 2);
    size_t i = Home(hash);
    while (slots[i].state != 0) i = After(i);
    slots[i] = {hash, state};
    ++used;
  }

  void Erase(Slot* slot) {
    size_t hole = static_cast<size_t>(slot - slots.data());
    for (size_t i = After(hole); slots[i].state != 0; i = After(i)) {
      // An entry may move into the hole only if the hole lies on its way from home.
      const size_t home = Home(slots[i].hash);
      if (((i - home) & (slots.size() - 1)) < ((i - hole) & (slots.size() - 1))) continue;
      slots[hole] = slots[i];
      hole = i;
    }
    slots[hole].state = 0;
    --used;
    if (slots.size() > kInitialSlots && used * 8 < slots.size()) Resize(slots.size() / 2);
  }

  void Resize(size_t size) {
    std::vector<Slot> old(size);
    old.swap(slots);
    for (const Slot& slot : old) {
      if (slot.state == 0) continue;
      size_t i = Home(slot.hash);
      while (slots[i].state != 0) i = After(i);
      slots[i] = slot;
    }
  }

  static SharedState* StateOf(const Slot& slot) {
    return reinterpret_cast<SharedState*>(slot.state & kPointerMask);
  }

  // Makes a slot with one owner one that has room for several and for waiters.
  static SharedState* Widen(Slot* slot) {
    if (Tag(slot->state) == kTagState) return StateOf(*slot);
    auto* state = new SharedState{ModeOf(slot->state), {OwnerOf(slot->state)}, {}};
    slot->state = Tagged(state, kTagState, Ordinal(slot->state));
    return state;
  }
};

LockTable::LockTable(Options options, WaitGraph* graph)
    : options_(options), graph_(graph), shards_(new Shard[kShards]) {}
LockTable::~LockTable() = default;

LockHash LockTable::HashOf(Bytes key) { return XXH3_64bits(key.data(), key.size()); }

LockTable::Shard& LockTable::ShardOf(LockHash hash) const { return shards_[hash % kShards]; }

IndexLock* LockTable::IndexLockOf(IndexId index) {
  constexpr uintptr_t kOrdinals = uintptr_t{1} << (64 - kOrdinalShift);
  MutexLock guard(indexes_mutex_);
  IndexLock*& entry = indexes_[index];
  if (entry == nullptr) {
    index_locks_.push_back(std::make_unique<IndexLock>());
    entry = index_locks_.back().get();
    entry->id = index;
    entry->ordinal = (index_locks_.size() - 1) % kOrdinals;
  }
  return entry;
}

LockOwner::IndexUse* LockTable::UseIndex(LockOwner* owner, IndexId index) {
  // Newest first: a statement works on one index at a time.
  for (auto it = owner->indexes_.rbegin(); it != owner->indexes_.rend(); ++it) {
    if (it->index->id == index) return &*it;
  }
  owner->indexes_.push_back({IndexLockOf(index), 0, false, false, LockMode::kShared});
  return &owner->indexes_.back();
}

// Has another owner the whole index in a mode that keeps this one from a row it does not have yet?
bool LockTable::WholeIndexExcludes(const LockOwner::IndexUse& use, LockMode mode) {
  const uint8_t whole = use.index->whole.load();
  if (whole == IndexLock::kNone) [[likely]]
    return false;
  if (whole == IndexLock::kShared && mode == LockMode::kShared) return false;
  return !use.whole || use.index->whole_owners.load() > 1;
}

// The shard's mutex is held.
LockTable::Grant LockTable::TryGrant(const Request& request, Shard* shard) {
  const LockMode mode = request.mode;
  const bool excluded = WholeIndexExcludes(*request.use, mode);
  Shard::Slot* slot = shard->Find(request.hash);
  if (slot == nullptr) {
    if (excluded) return Grant::kWaitForIndex;
    const bool covered = request.use->whole && (mode == LockMode::kShared ||
                                                request.use->whole_mode == LockMode::kExclusive);
    if (covered) return Grant::kHeldBefore;
    shard->Insert(request.hash, OneOwner(request.owner, mode, request.use->index->ordinal));
    return Grant::kAdded;
  }
  if (Tag(slot->state) != kTagState && OwnerOf(slot->state) == request.owner) {
    if (mode == LockMode::kShared || ModeOf(slot->state) == LockMode::kExclusive) {
      return Grant::kHeldBefore;
    }
    if (excluded) return Grant::kWaitForIndex;
    slot->state = OneOwner(request.owner, mode, Ordinal(slot->state));
    request.use->exclusive_rows = true;
    request.owner->strengthened_ = true;
    return Grant::kHeldBefore;
  }
  if (Tag(slot->state) == kTagState) {
    SharedState* state = Shard::StateOf(*slot);
    const bool enough = state->Owns(request.owner) &&
                        (mode == LockMode::kShared || state->mode == LockMode::kExclusive);
    if (enough) return Grant::kHeldBefore;
    return excluded ? Grant::kWaitForIndex : TryGrantShared(request, state);
  }
  if (excluded) return Grant::kWaitForIndex;
  if (mode == LockMode::kExclusive || ModeOf(slot->state) == LockMode::kExclusive) {
    return Grant::kWaitForRow;
  }
  Shard::Widen(slot)->owners.push_back(request.owner);
  return Grant::kAdded;
}

// Grants a lock that has several owners or waiters, if that needs no wait. The owner who asks has
// not got it in this mode yet.
LockTable::Grant LockTable::TryGrantShared(const Request& request, SharedState* state) {
  if (state->Owns(request.owner)) {
    if (state->owners.size() > 1) return Grant::kWaitForRow;
    state->mode = LockMode::kExclusive;
    request.use->exclusive_rows = true;
    request.owner->strengthened_ = true;
    return Grant::kHeldBefore;
  }
  const bool joins = request.mode == LockMode::kShared && state->mode == LockMode::kShared &&
                     state->waiters.empty();
  if (!joins) return Grant::kWaitForRow;
  state->owners.push_back(request.owner);
  return Grant::kAdded;
}

// Unchecked: WaitForRow may give the shard's mutex back.
BASALT_UNCHECKED_LOCKS Status LockTable::Acquire(LockOwner* owner, IndexId index, Bytes key,
                                                 LockMode mode, LockWait wait,
                                                 uint64_t timeout_microseconds, bool* acquired) {
  if (acquired != nullptr) *acquired = false;
  owner->strengthened_ = false;
  LockOwner::IndexUse* use = UseIndex(owner, index);
  if (use->undisputed && mode == LockMode::kShared) return Status::Ok();
  Request request{owner, use, key, HashOf(key), mode, 0};
  Shard& shard = ShardOf(request.hash);
  MutexLock shard_lock(shard.mutex);
  while (true) {
    const Grant grant = TryGrant(request, &shard);
    if (grant == Grant::kHeldBefore) return Status::Ok();
    if (grant == Grant::kAdded) break;
    if (wait == LockWait::kNoWait) return Status(Code::kLockBusy);
    if (request.deadline == 0) request.deadline = WaitGraph::DeadlineAfter(timeout_microseconds);
    if (grant == Grant::kWaitForRow) {
      const Shard::Slot* slot = shard.Find(request.hash);
      const bool upgrade = Tag(slot->state) == kTagState && Shard::StateOf(*slot)->Owns(owner);
      BASALT_RETURN_IF_ERROR(WaitForRow(request, &shard, &shard_lock, upgrade));
      if (upgrade) {
        owner->strengthened_ = true;
        return Status::Ok();
      }
      break;
    }
    shard_lock.Unlock();
    BASALT_RETURN_IF_ERROR(WaitForIndex(request));
    shard_lock.Lock();
  }
  if (shard_lock.held()) shard_lock.Unlock();
  NoteAdded(request);
  // A lock that was traded at once is not the caller's to give back.
  if (acquired != nullptr)
    *acquired = !owner->held_.empty() && owner->held_.back().hash == request.hash;
  return Status::Ok();
}

bool LockTable::HoldsExclusively(const LockOwner& owner, IndexId index, Bytes key) const {
  const LockHash hash = HashOf(key);
  Shard& shard = ShardOf(hash);
  MutexLock shard_lock(shard.mutex);
  const Shard::Slot* slot = shard.Find(hash);
  if (slot == nullptr) {
    return std::any_of(owner.indexes_.begin(), owner.indexes_.end(), [&](const auto& use) {
      return use.index->id == index && use.whole && use.whole_mode == LockMode::kExclusive;
    });
  }
  if (Tag(slot->state) != kTagState) {
    return OwnerOf(slot->state) == &owner && ModeOf(slot->state) == LockMode::kExclusive;
  }
  const SharedState* state = Shard::StateOf(*slot);
  return state->Owns(&owner) && state->mode == LockMode::kExclusive;
}

void LockTable::NoteAdded(const Request& request) {
  LockOwner::IndexUse* use = request.use;
  request.owner->held_.push_back({request.hash, reinterpret_cast<uintptr_t>(use->index)});
  if (request.mode == LockMode::kExclusive) use->exclusive_rows = true;
  if (++use->rows % options_.escalation_threshold == 0) TryEscalate(request.owner, use);
  request.owner->row_locks_.store(request.owner->held_.size(), std::memory_order_relaxed);
}

// Waits until one of those that have the whole index gives it up. Ok: look again.
Status LockTable::WaitForIndex(const Request& request) {
  MutexLock lock(graph_->mutex());
  graph_->ResetLocked(request.owner);
  for (LockOwner* other : request.use->index->owners) {
    if (other != request.owner) WaitGraph::AddWatchLocked(request.owner, other);
  }
  if (request.owner->waits_for_.empty()) return Status::Ok();
  return graph_->WaitForChangeLocked(request.owner, request.ForReport(), &lock, request.deadline);
}

// Queues for a row that has a slot, and waits. Returns without the shard's mutex, or with it.
BASALT_UNCHECKED_LOCKS Status LockTable::WaitForRow(const Request& request, Shard* shard,
                                                    MutexLock* shard_lock, bool upgrade) {
  LockOwner* owner = request.owner;
  SharedState* state = Shard::Widen(shard->Find(request.hash));
  const Waiter waiter{owner, request.mode, upgrade};
  MutexLock lock(graph_->mutex());
  graph_->ResetLocked(owner);
  // An upgrade goes first: no one behind it could be granted while it holds the row shared.
  const size_t position = upgrade ? 0 : state->waiters.size();
  state->waiters.insert(state->waiters.begin() + static_cast<ptrdiff_t>(position), waiter);
  SetEdges(state, position);
  SetEdges(state, position + 1);
  Status status = graph_->BeginLocked(owner, request.ForReport());
  if (!status.ok()) {
    LeaveQueue(state, owner);
  } else {
    shard_lock->Unlock();
    status = graph_->SleepLocked(owner, &lock, request.deadline);
    if (!status.ok()) {
      // Take the mutexes in their order, and look again: the grant may have come in between.
      lock.Unlock();
      shard_lock->Lock();
      lock.Lock();
      if (owner->granted_) {
        status = Status::Ok();
      } else {
        LeaveQueue(state, owner);
      }
    }
  }
  graph_->EndLocked(owner);
  if (status.ok() && upgrade) request.use->exclusive_rows = true;
  return status;
}

// Both mutexes are held.
void LockTable::LeaveQueue(SharedState* state, LockOwner* owner) {
  const auto place = std::find_if(state->waiters.begin(), state->waiters.end(),
                                  [&](const Waiter& w) { return w.owner == owner; });
  const size_t position = static_cast<size_t>(place - state->waiters.begin());
  state->waiters.erase(place);
  SetEdges(state, position);
  GrantWaiters(state);
}

// Whom the waiter at a position of the queue waits for: the first for the owners, any other for
// the one before it, through whom the search for cycles comes to the rest.
void LockTable::SetEdges(SharedState* state, size_t position) {
  if (position >= state->waiters.size()) return;
  LockOwner* waiter = state->waiters[position].owner;
  waiter->waits_for_.clear();
  if (position > 0) {
    WaitGraph::AddEdgeLocked(waiter, state->waiters[position - 1].owner);
    return;
  }
  for (LockOwner* other : state->owners) {
    if (other != waiter) WaitGraph::AddEdgeLocked(waiter, other);
  }
}

// Grants the requests at the head of the queue that the present owners allow. Both mutexes are
// held.
void LockTable::GrantWaiters(SharedState* state) {
  while (!state->waiters.empty() && state->CanGrant(state->waiters.front())) {
    const Waiter waiter = state->waiters.front();
    state->waiters.erase(state->waiters.begin());
    if (!waiter.upgrade) state->owners.push_back(waiter.owner);
    state->mode = waiter.mode;
    BASALT_ASSERT(state->owners.size() == 1 || state->mode == LockMode::kShared,
                  "L1: two owners never hold the same row in modes that exclude each other");
    WaitGraph::GrantLocked(waiter.owner);
  }
  SetEdges(state, 0);
}

void LockTable::ReleaseRow(LockOwner* owner, LockHash hash) {
  Shard& shard = ShardOf(hash);
  MutexLock shard_lock(shard.mutex);
  Shard::Slot* slot = shard.Find(hash);
  if (slot == nullptr) return;
  if (Tag(slot->state) != kTagState) {
    if (OwnerOf(slot->state) == owner) shard.Erase(slot);
    return;
  }
  SharedState* state = Shard::StateOf(*slot);
  std::erase(state->owners, owner);
  if (!state->waiters.empty()) {
    MutexLock lock(graph_->mutex());
    GrantWaiters(state);
  }
  if (!state->waiters.empty() || state->owners.size() > 1) return;
  if (state->owners.empty()) {
    shard.Erase(slot);
  } else {
    slot->state = OneOwner(state->owners.front(), state->mode, Ordinal(slot->state));
  }
  delete state;
}

// Takes the lock of a whole index, unless another has it in a mode that excludes it.
bool LockTable::AcquireWhole(LockOwner* owner, LockOwner::IndexUse* use, LockMode mode) {
  MutexLock lock(graph_->mutex());
  IndexLock* index = use->index;
  const size_t others = index->owners.size() - (use->whole ? 1 : 0);
  const bool alone = others == 0;
  if (!alone && (mode == LockMode::kExclusive || index->whole.load() == IndexLock::kExclusive)) {
    return false;
  }
  if (!use->whole) index->owners.push_back(owner);
  index->whole_owners.store(static_cast<uint32_t>(index->owners.size()));
  const bool exclusive =
      mode == LockMode::kExclusive || (use->whole && use->whole_mode == LockMode::kExclusive);
  index->whole.store(exclusive ? IndexLock::kExclusive : IndexLock::kShared);
  use->whole_mode = exclusive ? LockMode::kExclusive : LockMode::kShared;
  use->whole = true;
  return true;
}

// Trades the row locks of an index for one lock of the index (L5).
void LockTable::TryEscalate(LockOwner* owner, LockOwner::IndexUse* use) {
  const LockMode mode = use->exclusive_rows ? LockMode::kExclusive : LockMode::kShared;
  if (!AcquireWhole(owner, use, mode)) return;
  TradeRows(owner, use);
}

// Gives up the row locks that the lock of the whole index stands for.
void LockTable::TradeRows(LockOwner* owner, LockOwner::IndexUse* use) {
  escalations_.fetch_add(1, std::memory_order_relaxed);
  std::erase_if(owner->held_, [&](const LockOwner::Held& held) {
    return held.index() == use->index && TradeRow(owner, held.hash);
  });
  use->rows = 0;
  owner->held_.shrink_to_fit();
  owner->row_locks_.store(owner->held_.size(), std::memory_order_relaxed);
}

// Has another a row in this mode or a stronger one, or does anybody wait for a row? Indexes whose
// ordinals are equal modulo what a slot has room for are taken for one: then the answer may be yes
// without need.
bool LockTable::OthersHaveRows(const LockOwner& owner, const IndexLock& index,
                               LockMode weakest) const {
  const auto counts = [&](LockMode mode) {
    return weakest == LockMode::kShared || mode == LockMode::kExclusive;
  };
  for (size_t i = 0; i < kShards; ++i) {
    MutexLock shard_lock(shards_[i].mutex);
    for (const Shard::Slot& slot : shards_[i].slots) {
      if (slot.state == 0 || Ordinal(slot.state) != index.ordinal) continue;
      if (Tag(slot.state) != kTagState) {
        if (OwnerOf(slot.state) != &owner && counts(ModeOf(slot.state))) return true;
        continue;
      }
      const SharedState* state = Shard::StateOf(slot);
      if (!state->waiters.empty()) return true;
      const bool only_own = state->owners.size() == 1 && state->Owns(&owner);
      if (!only_own && counts(state->mode)) return true;
    }
  }
  return false;
}

bool LockTable::TryAcquireIndex(LockOwner* owner, IndexId index) {
  LockOwner::IndexUse* use = UseIndex(owner, index);
  // From here on nobody gets a row that nobody has; who came before is found in the shards.
  if (use->whole || !AcquireWhole(owner, use, LockMode::kExclusive)) return false;
  if (!OthersHaveRows(*owner, *use->index, LockMode::kShared)) return true;
  ReleaseWholeIndex(owner, index);
  return false;
}

bool LockTable::TryShareIndex(LockOwner* owner, IndexId index) {
  LockOwner::IndexUse* use = UseIndex(owner, index);
  if (use->undisputed) return true;
  // Own exclusive locks of rows stay locks of rows: the index is shared at most.
  const bool had_whole = use->whole;
  if (!AcquireWhole(owner, use, LockMode::kShared)) return false;
  // From here on nobody gets a row exclusively; who came before is found in the shards.
  if (OthersHaveRows(*owner, *use->index, LockMode::kExclusive)) {
    if (!had_whole) ReleaseWholeIndex(owner, index);
    return false;
  }
  use->undisputed = true;
  if (!use->exclusive_rows) TradeRows(owner, use);
  return true;
}

void LockTable::ReleaseWholeIndex(LockOwner* owner, IndexId index) {
  LockOwner::IndexUse* use = UseIndex(owner, index);
  ReleaseIndex(owner, *use);
  use->whole = false;
  graph_->Changed(owner);
}

// Gives up the lock of a row of an index that the owner now has as a whole, unless somebody waits
// for it.
bool LockTable::TradeRow(LockOwner* owner, LockHash hash) {
  Shard& shard = ShardOf(hash);
  MutexLock shard_lock(shard.mutex);
  Shard::Slot* slot = shard.Find(hash);
  if (slot == nullptr) return true;
  if (Tag(slot->state) == kTagState) {
    SharedState* state = Shard::StateOf(*slot);
    if (!state->waiters.empty()) return false;
    std::erase(state->owners, owner);
    if (state->owners.size() > 1) return true;
    const bool others = !state->owners.empty();
    if (others) slot->state = OneOwner(state->owners.front(), state->mode, Ordinal(slot->state));
    delete state;
    if (others) return true;
  }
  shard.Erase(slot);
  return true;
}

void LockTable::ForgetRow(LockOwner* owner, const LockOwner::Held& held) {
  ReleaseRow(owner, held.hash);
  for (LockOwner::IndexUse& use : owner->indexes_) {
    if (use.index == held.index() && use.rows > 0) --use.rows;
  }
}

void LockTable::ReleaseAfter(LockOwner* owner, size_t position) {
  while (owner->held_.size() > position) {
    const LockOwner::Held held = owner->held_.back();
    owner->held_.pop_back();
    ForgetRow(owner, held);
  }
  owner->row_locks_.store(owner->held_.size(), std::memory_order_relaxed);
}

void LockTable::NoteNewEntry(LockOwner* owner) {
  owner->held_.back().tagged |= LockOwner::Held::kNewEntry;
}

void LockTable::KeepNewest(LockOwner* owner, LockMode mode) {
  LockOwner::Held& held = owner->held_.back();
  held.tagged &= ~LockOwner::Held::kNewEntry;
  if (mode == LockMode::kShared) Downgrade(owner, held.hash);
}

void LockTable::UndoStrengthening(LockOwner* owner, Bytes key) {
  if (std::exchange(owner->strengthened_, false)) Downgrade(owner, HashOf(key));
}

void LockTable::ReleaseNewEntriesAfter(LockOwner* owner, size_t position) {
  size_t kept = position;
  for (size_t i = position; i < owner->held_.size(); ++i) {
    if (owner->held_[i].of_new_entry()) {
      ForgetRow(owner, owner->held_[i]);
    } else {
      owner->held_[kept++] = owner->held_[i];
    }
  }
  if (kept < owner->held_.size()) owner->held_.resize(kept);
  owner->row_locks_.store(owner->held_.size(), std::memory_order_relaxed);
}

bool LockTable::IsShared(LockHash hash) const {
  Shard& shard = ShardOf(hash);
  MutexLock shard_lock(shard.mutex);
  const Shard::Slot* slot = shard.Find(hash);
  if (slot == nullptr) return false;
  if (Tag(slot->state) != kTagState) return ModeOf(slot->state) == LockMode::kShared;
  return Shard::StateOf(*slot)->mode == LockMode::kShared;
}

void LockTable::ReleaseShared(LockOwner* owner) {
  size_t kept = 0;
  for (const LockOwner::Held& held : owner->held_) {
    if (IsShared(held.hash)) {
      ForgetRow(owner, held);
    } else {
      owner->held_[kept++] = held;
    }
  }
  owner->held_.resize(kept);
  owner->row_locks_.store(kept, std::memory_order_relaxed);
  for (LockOwner::IndexUse& use : owner->indexes_) {
    if (!use.whole || use.whole_mode != LockMode::kShared) continue;
    ReleaseIndex(owner, use);
    use.whole = use.undisputed = false;
    graph_->Changed(owner);
  }
}

// The owner has the row exclusively, alone.
void LockTable::Downgrade(LockOwner* owner, LockHash hash) {
  Shard& shard = ShardOf(hash);
  MutexLock shard_lock(shard.mutex);
  Shard::Slot* slot = shard.Find(hash);
  if (slot == nullptr) return;
  if (Tag(slot->state) != kTagState) {
    slot->state = OneOwner(owner, LockMode::kShared, Ordinal(slot->state));
    return;
  }
  SharedState* state = Shard::StateOf(*slot);
  state->mode = LockMode::kShared;
  MutexLock lock(graph_->mutex());
  GrantWaiters(state);
}

void LockTable::ReleaseIndex(LockOwner* owner, const LockOwner::IndexUse& use) {
  MutexLock lock(graph_->mutex());
  IndexLock* index = use.index;
  std::erase(index->owners, owner);
  index->whole_owners.store(static_cast<uint32_t>(index->owners.size()));
  if (index->owners.empty()) index->whole.store(IndexLock::kNone);
}

void LockTable::ReleaseAll(LockOwner* owner) {
  for (auto it = owner->held_.rbegin(); it != owner->held_.rend(); ++it) {
    ReleaseRow(owner, it->hash);
  }
  bool had_whole_index = false;
  for (LockOwner::IndexUse& use : owner->indexes_) {
    if (use.whole) {
      ReleaseIndex(owner, use);
      had_whole_index = true;
    }
    use = {use.index, 0, false, false, LockMode::kShared};
  }
  // The next transaction works on the same indexes, as a rule, and need not look them up again.
  constexpr size_t kKeptIndexes = 8;
  if (owner->indexes_.size() > kKeptIndexes) owner->indexes_.clear();
  constexpr size_t kKeptCapacity = 1024;
  if (owner->held_.capacity() > kKeptCapacity) {
    std::vector<LockOwner::Held>().swap(owner->held_);
  } else {
    owner->held_.clear();
  }
  owner->row_locks_.store(0, std::memory_order_relaxed);
  if (had_whole_index) graph_->Changed(owner);
}

std::vector<LockTable::HeldLock> LockTable::HeldLocks() const {
  std::vector<HeldLock> locks;
  std::vector<IndexId> ids;
  {
    MutexLock guard(indexes_mutex_);
    MutexLock lock(graph_->mutex());
    for (const auto& index : index_locks_) {
      ids.push_back(index->id);
      const bool exclusive = index->whole.load() == IndexLock::kExclusive;
      const LockMode mode = exclusive ? LockMode::kExclusive : LockMode::kShared;
      for (const LockOwner* owner : index->owners) {
        locks.push_back({owner->id(), index->id, 0, mode, true});
      }
    }
  }
  for (size_t i = 0; i < kShards; ++i) {
    MutexLock shard_lock(shards_[i].mutex);
    for (const Shard::Slot& slot : shards_[i].slots) {
      if (slot.state == 0 || Ordinal(slot.state) >= ids.size()) continue;
      const IndexId index = ids[Ordinal(slot.state)];
      if (Tag(slot.state) != kTagState) {
        locks.push_back({OwnerOf(slot.state)->id(), index, slot.hash, ModeOf(slot.state), false});
        continue;
      }
      const SharedState* state = Shard::StateOf(slot);
      for (const LockOwner* owner : state->owners) {
        locks.push_back({owner->id(), index, slot.hash, state->mode, false});
      }
    }
  }
  return locks;
}

}  // namespace basalt::txn
