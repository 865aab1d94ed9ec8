// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/foreign_keys.h"

#include <memory>
#include <set>

#include "catalog/catalog_change.h"
#include "catalog/foreign_key_record.h"

namespace basalt::catalog {
namespace {

// What the change leaves of a child's constraints; `kept` when it says nothing of them.
ForeignKeyMap::Keys After(const CatalogChange& change, Bytes child,
                          const ForeignKeyMap::Keys& kept) {
  const auto changed = change.foreign_keys.find(std::string(child));
  return changed == change.foreign_keys.end() ? kept : changed->second;
}

void Rename(const ChildNames& names, ForeignKeySet* set) {
  if (names.before == names.after) return;
  const std::string made = GeneratedPrefix(names.before);
  for (ForeignKey& foreign : set->keys) {
    if (foreign.name.starts_with(made)) foreign.name.replace(0, names.before.size(), names.after);
  }
}

}  // namespace

ForeignKeyMap::Keys ForeignKeys::OfChild(Bytes child) const {
  ReaderLock lock(tables_->mutex());
  return map_.OfChild(child);
}

std::vector<std::string> ForeignKeys::ChildrenOf(Bytes parent) const {
  ReaderLock lock(tables_->mutex());
  return map_.ChildrenOf(parent);
}

bool ForeignKeys::IsParent(Bytes name) const {
  if (empty_.load(std::memory_order_acquire)) return false;
  ReaderLock lock(tables_->mutex());
  return map_.IsParent(name);
}

std::string ForeignKeys::OwnerOfName(Bytes database, Bytes name) const {
  ReaderLock lock(tables_->mutex());
  return map_.OwnerOfName(database, name);
}

std::vector<std::string> ForeignKeys::Children() const {
  ReaderLock lock(tables_->mutex());
  return map_.Children();
}

// `former`: the name that the child has now, which may own the names.
Status ForeignKeys::CheckNames(Bytes child, Bytes former, const ForeignKeySet& set) const {
  if (IsTemporaryName(child)) return {};
  const Bytes database = child.substr(0, child.find('.'));
  std::set<std::string> own;
  for (const ForeignKey& foreign : set.keys) {
    const std::string owner = OwnerOfName(database, foreign.name);
    const bool taken = !owner.empty() && owner != child && owner != former;
    if (taken || !own.insert(FoldedName(foreign.name)).second) {
      return Status(Code::kDuplicateKey, foreign.name);
    }
  }
  return {};
}

Status ForeignKeys::AppendPut(const TableRecord& child, const ForeignKeySet* set,
                              CatalogChange* change) const {
  if (set == nullptr || set->keys.empty()) {
    AppendDrop(child.name, change);
    return {};
  }
  BASALT_RETURN_IF_ERROR(CheckForeignKeys(*set));
  BASALT_RETURN_IF_ERROR(CheckNames(child.name, child.name, *set));
  auto bound = std::make_shared<ForeignKeySet>(*set);
  bound->primary_number = child.Primary()->id.number;
  change->PutForeignKeys(child.name, std::move(bound));
  return {};
}

Status ForeignKeys::AppendPut(const NewForeignKeys& sets, CatalogChange* change) const {
  for (const auto& [child, set] : sets) {
    const TableRecordPointer table = tables_->Find(child);
    if (table == nullptr) return Status(Code::kNotFound, "there is no table " + child);
    BASALT_RETURN_IF_ERROR(AppendPut(*table, &set, change));
  }
  return {};
}

void ForeignKeys::AppendRebind(const TableRecord& child, CatalogChange* change) const {
  const ForeignKeyMap::Keys keys = OfChild(child.name);
  if (keys == nullptr) return;
  auto bound = std::make_shared<ForeignKeySet>(*keys);
  bound->primary_number = child.Primary()->id.number;
  change->PutForeignKeys(child.name, std::move(bound));
}

Status ForeignKeys::AppendMove(Bytes from, Bytes to, const ChildNames& names,
                               CatalogChange* change) const {
  BASALT_RETURN_IF_ERROR(AppendMoveOfChild(from, to, names, change));
  // A table that is set aside for its copy goes on to be what constraints name.
  if (!IsTemporaryName(from) && !IsTemporaryName(to)) AppendMoveOfParent(from, to, change);
  return {};
}

Status ForeignKeys::AppendMoveOfChild(Bytes from, Bytes to, const ChildNames& names,
                                      CatalogChange* change) const {
  const ForeignKeyMap::Keys keys = OfChild(from);
  if (keys == nullptr) return {};
  auto moved = std::make_shared<ForeignKeySet>(*keys);
  Rename(names, moved.get());
  BASALT_RETURN_IF_ERROR(CheckNames(to, from, *moved));
  change->PutForeignKeys(from, nullptr);
  change->PutForeignKeys(to, std::move(moved));
  return {};
}

void ForeignKeys::AppendMoveOfParent(Bytes from, Bytes to, CatalogChange* change) const {
  for (const std::string& child : ChildrenOf(from)) {
    // A table that refers to itself has moved already.
    const std::string name = child == from ? std::string(to) : child;
    const ForeignKeyMap::Keys keys = After(*change, name, OfChild(name));
    auto followed = std::make_shared<ForeignKeySet>(*keys);
    for (ForeignKey& foreign : followed->keys) {
      if (foreign.parent == from) foreign.parent = to;
    }
    change->PutForeignKeys(name, std::move(followed));
  }
}

void ForeignKeys::AppendDrop(Bytes child, CatalogChange* change) const {
  if (OfChild(child) != nullptr) change->PutForeignKeys(child, nullptr);
}

// Unchecked: clang does not see that the catalog's tables are those that are known here.
BASALT_UNCHECKED_LOCKS void ForeignKeys::TakeOver(CatalogChange* change) {
  if (change->foreign_keys.empty()) return;
  for (auto& [child, keys] : change->foreign_keys) map_.Set(child, std::move(keys));
  empty_.store(map_.empty(), std::memory_order_release);
  generation_.fetch_add(1, std::memory_order_release);
}

}  // namespace basalt::catalog
