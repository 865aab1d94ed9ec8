// SPDX-License-Identifier: GPL-2.0-only
#include "txn/lock_table.h"

#include <algorithm>
#include <chrono>
#include <deque>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace basalt::txn {
namespace {

using Clock = std::chrono::steady_clock;

uint64_t NowMicroseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch())
      .count();
}

Clock::time_point AtMicroseconds(uint64_t time) {
  return Clock::time_point(std::chrono::microseconds(time));
}

// A slot's state is a tagged pointer: most locks have one owner and no waiter and need no memory
// beyond the slot.
constexpr uintptr_t kTagExclusive = 0;  // LockOwner*, the only owner
constexpr uintptr_t kTagShared = 1;     // LockOwner*, the only owner
constexpr uintptr_t kTagState = 2;      // SharedState*
constexpr uintptr_t kTagMask = 3;

uintptr_t Tag(uintptr_t state) { return state & kTagMask; }
LockOwner* OwnerOf(uintptr_t state) { return reinterpret_cast<LockOwner*>(state & ~kTagMask); }

uintptr_t OneOwner(LockOwner* owner, LockMode mode) {
  return reinterpret_cast<uintptr_t>(owner) |
         (mode == LockMode::kExclusive ? kTagExclusive : kTagShared);
}

}  // namespace

struct LockTable::Waiter {
  LockOwner* owner;
  LockMode mode;
  bool upgrade;  // the owner holds the row shared and wants it exclusively
};

// A lock with several owners or with waiters.
struct LockTable::SharedState {
  LockMode mode;
  std::vector<LockOwner*> owners;
  std::deque<Waiter> waiters;

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

  std::mutex mutex;
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
};

// The lock that rows of an index are traded for. `state` counts the owners with a lock inside the
// index; its top bit says that one of them, `whole_owner`, has escalated.
struct IndexLock {
  static constexpr uint64_t kWhole = 1ull << 63;
  IndexId id;
  std::atomic<uint64_t> state{0};
  LockOwner* whole_owner = nullptr;  // guarded by wait_mutex_
  std::vector<LockOwner*> waiters;   // guarded by wait_mutex_
};

LockTable::LockTable(Options options) : options_(options), shards_(new Shard[kShards]) {}
LockTable::~LockTable() = default;

LockTable::Shard& LockTable::ShardOf(LockHash hash) const { return shards_[hash % kShards]; }

IndexLock* LockTable::IndexLockOf(IndexId index) {
  std::lock_guard guard(indexes_mutex_);
  std::unique_ptr<IndexLock>& entry = indexes_[index];
  if (!entry) {
    entry = std::make_unique<IndexLock>();
    entry->id = index;
  }
  return entry.get();
}

LockTable::Counters LockTable::counters() const {
  return {waits_.load(), timeouts_.load(), deadlocks_.load(), escalations_.load()};
}

Status LockTable::UseIndex(LockOwner* owner, IndexId index, LockWait wait,
                           uint64_t timeout_microseconds, LockOwner::IndexUse** use) {
  // Newest first: a statement works on one index at a time.
  for (auto it = owner->indexes_.rbegin(); it != owner->indexes_.rend(); ++it) {
    if (it->index->id == index) {
      *use = &*it;
      return Status::Ok();
    }
  }
  IndexLock* lock = IndexLockOf(index);
  const uint64_t before = lock->state.fetch_add(1);
  if (before & IndexLock::kWhole) {
    lock->state.fetch_sub(1);
    if (wait == LockWait::kNoWait) return Status(Code::kLockBusy);
    BASALT_RETURN_IF_ERROR(WaitForIndex(owner, lock, wait, timeout_microseconds));
  }
  owner->indexes_.push_back({lock, 0, false});
  *use = &owner->indexes_.back();
  return Status::Ok();
}

Status LockTable::WaitForIndex(LockOwner* owner, IndexLock* index, LockWait,
                               uint64_t timeout_microseconds) {
  waits_.fetch_add(1, std::memory_order_relaxed);
  const uint64_t deadline = NowMicroseconds() + timeout_microseconds;
  std::unique_lock lock(wait_mutex_);
  Status status;
  while (true) {
    if (!(index->state.fetch_add(1) & IndexLock::kWhole)) break;
    index->state.fetch_sub(1);
    owner->waits_for_.clear();
    if (index->whole_owner != nullptr) owner->waits_for_.push_back(index->whole_owner);
    owner->waiting_ = true;
    owner->granted_ = false;
    if (ClosesCycle(owner)) {
      deadlocks_.fetch_add(1, std::memory_order_relaxed);
      status = Status(Code::kDeadlock);
      break;
    }
    index->waiters.push_back(owner);
    status = Sleep(owner, &lock, deadline);
    std::erase(index->waiters, owner);
    if (!status.ok()) break;
  }
  owner->waiting_ = false;
  owner->waits_for_.clear();
  return status;
}

// Waits until the owner's request is granted. Called and left with wait_mutex_ held.
Status LockTable::Sleep(LockOwner* owner, std::unique_lock<std::mutex>* lock, uint64_t deadline) {
  const auto until = AtMicroseconds(deadline);
  while (!owner->granted_) {
    if (owner->interrupted_.load()) return Status(Code::kInterrupted);
    if (owner->wake_.wait_until(*lock, until) == std::cv_status::timeout && !owner->granted_) {
      if (owner->interrupted_.load()) return Status(Code::kInterrupted);
      timeouts_.fetch_add(1, std::memory_order_relaxed);
      return Status(Code::kLockTimeout);
    }
  }
  return Status::Ok();
}

// Depth-first search from `start` along the edges "waits for". wait_mutex_ is held.
bool LockTable::ClosesCycle(LockOwner* start) {
  const uint64_t mark = ++visit_;
  std::vector<LockOwner*> stack(start->waits_for_.begin(), start->waits_for_.end());
  while (!stack.empty()) {
    LockOwner* owner = stack.back();
    stack.pop_back();
    if (owner == start) return true;
    if (!owner->waiting_ || owner->visit_ == mark) continue;
    owner->visit_ = mark;
    stack.insert(stack.end(), owner->waits_for_.begin(), owner->waits_for_.end());
  }
  return false;
}

Status LockTable::Acquire(LockOwner* owner, IndexId index, Bytes key, LockMode mode, LockWait wait,
                          uint64_t timeout_microseconds, bool* acquired) {
  if (acquired != nullptr) *acquired = false;
  LockOwner::IndexUse* use;
  BASALT_RETURN_IF_ERROR(UseIndex(owner, index, wait, timeout_microseconds, &use));
  if (use->whole_index) return Status::Ok();

  const LockHash hash = XXH3_64bits(key.data(), key.size());
  Shard& shard = ShardOf(hash);
  std::unique_lock shard_lock(shard.mutex);
  Shard::Slot* slot = shard.Find(hash);
  bool held_before = false;
  bool granted = true;
  if (slot == nullptr) {
    shard.Insert(hash, OneOwner(owner, mode));
  } else if (Tag(slot->state) == kTagState) {
    auto* state = reinterpret_cast<SharedState*>(slot->state & ~kTagMask);
    held_before = state->Owns(owner);
    if (held_before && (mode == LockMode::kShared || state->mode == LockMode::kExclusive)) {
      // Nothing to add.
    } else if (held_before && state->owners.size() == 1) {
      state->mode = LockMode::kExclusive;
    } else if (!held_before && mode == LockMode::kShared && state->mode == LockMode::kShared &&
               state->waiters.empty()) {
      state->owners.push_back(owner);
    } else {
      granted = false;
    }
  } else if (OwnerOf(slot->state) == owner) {
    held_before = true;
    if (mode == LockMode::kExclusive) slot->state = OneOwner(owner, mode);
  } else if (Tag(slot->state) == kTagShared && mode == LockMode::kShared) {
    auto* state = new SharedState{LockMode::kShared, {OwnerOf(slot->state), owner}, {}};
    slot->state = reinterpret_cast<uintptr_t>(state) | kTagState;
  } else {
    granted = false;
  }
  if (!granted) {
    if (wait == LockWait::kNoWait) return Status(Code::kLockBusy);
    BASALT_RETURN_IF_ERROR(
        WaitForRow(owner, shard, &shard_lock, hash, mode, timeout_microseconds, held_before));
  }
  if (held_before) return Status::Ok();
  if (shard_lock.owns_lock()) shard_lock.unlock();
  owner->held_.push_back({hash, use->index});
  if (++use->rows % options_.escalation_threshold == 0) TryEscalate(owner, use);
  // A lock that was traded at once is not the caller's to give back.
  if (acquired != nullptr) *acquired = !use->whole_index;
  return Status::Ok();
}

Status LockTable::WaitForRow(LockOwner* owner, Shard& shard,
                             std::unique_lock<std::mutex>* shard_lock, LockHash hash, LockMode mode,
                             uint64_t timeout_microseconds, bool upgrade) {
  waits_.fetch_add(1, std::memory_order_relaxed);
  Shard::Slot* slot = shard.Find(hash);
  if (Tag(slot->state) != kTagState) {
    const LockMode held =
        Tag(slot->state) == kTagExclusive ? LockMode::kExclusive : LockMode::kShared;
    auto* state = new SharedState{held, {OwnerOf(slot->state)}, {}};
    slot->state = reinterpret_cast<uintptr_t>(state) | kTagState;
  }
  auto* state = reinterpret_cast<SharedState*>(slot->state & ~kTagMask);

  const uint64_t deadline = NowMicroseconds() + timeout_microseconds;
  std::unique_lock lock(wait_mutex_);
  owner->waits_for_.clear();
  for (LockOwner* other : state->owners) {
    if (other != owner) owner->waits_for_.push_back(other);
  }
  if (!upgrade) {
    for (const Waiter& earlier : state->waiters) owner->waits_for_.push_back(earlier.owner);
  }
  owner->waiting_ = true;
  owner->granted_ = false;
  Status status;
  const Waiter waiter{owner, mode, upgrade};
  if (ClosesCycle(owner)) {
    deadlocks_.fetch_add(1, std::memory_order_relaxed);
    status = Status(Code::kDeadlock);
  } else {
    // An upgrade goes first: no one behind it could be granted while it holds the row shared.
    if (upgrade) {
      state->waiters.push_front(waiter);
    } else {
      state->waiters.push_back(waiter);
    }
    shard_lock->unlock();
    status = Sleep(owner, &lock, deadline);
    if (!status.ok()) {
      // Take the mutexes in their order, and look again: the grant may have come in between.
      lock.unlock();
      shard_lock->lock();
      lock.lock();
      if (owner->granted_) {
        status = Status::Ok();
      } else {
        std::erase_if(state->waiters, [&](const Waiter& w) { return w.owner == owner; });
        GrantWaiters(state);
      }
    }
  }
  owner->waiting_ = false;
  owner->waits_for_.clear();
  return status;
}

// Grants the requests at the head of the queue that the present owners allow, and brings the edges
// of those that stay up to date. The shard's mutex and wait_mutex_ are held.
void LockTable::GrantWaiters(SharedState* state) {
  while (!state->waiters.empty() && state->CanGrant(state->waiters.front())) {
    const Waiter waiter = state->waiters.front();
    state->waiters.pop_front();
    if (!waiter.upgrade) state->owners.push_back(waiter.owner);
    state->mode = waiter.mode;
    waiter.owner->granted_ = true;
    waiter.owner->waiting_ = false;
    waiter.owner->waits_for_.clear();
    waiter.owner->wake_.notify_one();
  }
  for (size_t i = 0; i < state->waiters.size(); ++i) {
    LockOwner* owner = state->waiters[i].owner;
    owner->waits_for_.clear();
    for (LockOwner* other : state->owners) {
      if (other != owner) owner->waits_for_.push_back(other);
    }
    for (size_t j = 0; j < i; ++j) owner->waits_for_.push_back(state->waiters[j].owner);
  }
}

void LockTable::ReleaseRow(LockOwner* owner, LockHash hash) {
  Shard& shard = ShardOf(hash);
  std::lock_guard shard_lock(shard.mutex);
  Shard::Slot* slot = shard.Find(hash);
  if (slot == nullptr) return;
  if (Tag(slot->state) != kTagState) {
    if (OwnerOf(slot->state) == owner) shard.Erase(slot);
    return;
  }
  auto* state = reinterpret_cast<SharedState*>(slot->state & ~kTagMask);
  std::erase(state->owners, owner);
  if (!state->waiters.empty()) {
    std::lock_guard lock(wait_mutex_);
    GrantWaiters(state);
  }
  if (!state->waiters.empty() || state->owners.size() > 1) return;
  if (state->owners.empty()) {
    shard.Erase(slot);
  } else {
    slot->state = OneOwner(state->owners.front(), state->mode);
  }
  delete state;
}

void LockTable::TryEscalate(LockOwner* owner, LockOwner::IndexUse* use) {
  uint64_t alone = 1;
  {
    std::lock_guard lock(wait_mutex_);
    if (!use->index->state.compare_exchange_strong(alone, 1 | IndexLock::kWhole)) return;
    use->index->whole_owner = owner;
  }
  escalations_.fetch_add(1, std::memory_order_relaxed);
  use->whole_index = true;
  use->rows = 0;
  std::erase_if(owner->held_, [&](const LockOwner::Held& held) {
    if (held.index != use->index) return false;
    ReleaseRow(owner, held.hash);
    return true;
  });
  owner->held_.shrink_to_fit();
}

void LockTable::ReleaseAfter(LockOwner* owner, size_t position) {
  while (owner->held_.size() > position) {
    const LockOwner::Held held = owner->held_.back();
    owner->held_.pop_back();
    ReleaseRow(owner, held.hash);
    for (LockOwner::IndexUse& use : owner->indexes_) {
      if (use.index == held.index) --use.rows;
    }
  }
}

void LockTable::ReleaseIndex(LockOwner*, const LockOwner::IndexUse& use) {
  if (!use.whole_index) {
    use.index->state.fetch_sub(1);
    return;
  }
  std::lock_guard lock(wait_mutex_);
  use.index->whole_owner = nullptr;
  use.index->state.fetch_sub(1 | IndexLock::kWhole);
  for (LockOwner* waiter : use.index->waiters) {
    waiter->granted_ = true;  // to try again
    waiter->wake_.notify_one();
  }
}

void LockTable::ReleaseAll(LockOwner* owner) {
  for (auto it = owner->held_.rbegin(); it != owner->held_.rend(); ++it) {
    ReleaseRow(owner, it->hash);
  }
  for (const LockOwner::IndexUse& use : owner->indexes_) ReleaseIndex(owner, use);
  owner->indexes_.clear();
  constexpr size_t kKeptCapacity = 1024;
  if (owner->held_.capacity() > kKeptCapacity) {
    std::vector<LockOwner::Held>().swap(owner->held_);
  } else {
    owner->held_.clear();
  }
}

void LockTable::Interrupt(LockOwner* owner) {
  std::lock_guard lock(wait_mutex_);
  owner->interrupted_.store(true);
  owner->wake_.notify_all();
}

}  // namespace basalt::txn
