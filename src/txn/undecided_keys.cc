// SPDX-License-Identifier: GPL-2.0-only
#include "txn/undecided_keys.h"

#include <algorithm>

namespace basalt::txn {

void UndecidedKeys::Add(const Transaction* owner, IndexId index, Bytes key) {
  MutexLock guard(mutex_);
  KeysOfIndex& known = by_owner_[owner].indexes[index];
  owners_.store(by_owner_.size(), std::memory_order_relaxed);
  if (key > known.greatest) known.greatest.assign(key);
  if (known.whole) return;
  known.keys.emplace(key);
  if (known.keys.size() <= most_keys_) return;
  known.keys.clear();
  known.whole = true;
}

void UndecidedKeys::AddAutoIncrement(const Transaction* owner, IndexId primary, uint64_t next) {
  MutexLock guard(mutex_);
  uint64_t& known = by_owner_[owner].auto_increments[primary];
  owners_.store(by_owner_.size(), std::memory_order_relaxed);
  known = std::max(known, next);
}

void UndecidedKeys::Forget(const Transaction* owner) {
  if (empty()) return;
  MutexLock guard(mutex_);
  by_owner_.erase(owner);
  owners_.store(by_owner_.size(), std::memory_order_relaxed);
}

bool UndecidedKeys::Find(IndexId index, Bytes prefix, std::string* key) const {
  if (empty()) return false;
  MutexLock guard(mutex_);
  for (const auto& [owner, owned] : by_owner_) {
    const auto found = owned.indexes.find(index);
    if (found == owned.indexes.end()) continue;
    if (found->second.whole) {
      key->assign(prefix);
      return true;
    }
    const auto at = found->second.keys.lower_bound(prefix);
    if (at == found->second.keys.end() || !at->starts_with(prefix)) continue;
    *key = *at;
    return true;
  }
  return false;
}

std::string UndecidedKeys::Greatest(IndexId index) const {
  std::string greatest;
  if (empty()) return greatest;
  MutexLock guard(mutex_);
  for (const auto& [owner, owned] : by_owner_) {
    const auto found = owned.indexes.find(index);
    if (found != owned.indexes.end()) greatest = std::max(greatest, found->second.greatest);
  }
  return greatest;
}

uint64_t UndecidedKeys::AutoIncrement(IndexId primary) const {
  uint64_t greatest = 0;
  if (empty()) return greatest;
  MutexLock guard(mutex_);
  for (const auto& [owner, owned] : by_owner_) {
    const auto found = owned.auto_increments.find(primary);
    if (found != owned.auto_increments.end()) greatest = std::max(greatest, found->second);
  }
  return greatest;
}

}  // namespace basalt::txn
