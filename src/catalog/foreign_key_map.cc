// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/foreign_key_map.h"

#include <utility>

#include "catalog/table_record.h"

namespace basalt::catalog {
namespace {

Bytes DatabaseOf(Bytes table) { return table.substr(0, table.find('.')); }

std::string IdOf(Bytes database, Bytes name) {
  return std::string(database) + "/" + FoldedName(name);
}

}  // namespace

ForeignKeyMap::Keys ForeignKeyMap::OfChild(Bytes child) const {
  const auto found = by_child_.find(child);
  return found == by_child_.end() ? nullptr : found->second;
}

std::vector<std::string> ForeignKeyMap::ChildrenOf(Bytes parent) const {
  const auto found = children_by_parent_.find(parent);
  if (found == children_by_parent_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::string ForeignKeyMap::OwnerOfName(Bytes database, Bytes name) const {
  const auto found = child_by_name_.find(IdOf(database, name));
  return found == child_by_name_.end() ? std::string() : found->second;
}

std::vector<std::string> ForeignKeyMap::Children() const {
  std::vector<std::string> children;
  children.reserve(by_child_.size());
  for (const auto& [child, keys] : by_child_) children.push_back(child);
  return children;
}

void ForeignKeyMap::Set(Bytes child, Keys keys) {
  const std::string name(child);
  if (const Keys old = OfChild(child); old != nullptr) Forget(name, *old);
  if (keys == nullptr || keys->keys.empty()) return;
  for (const ForeignKey& foreign : keys->keys) {
    if (IsTemporaryName(child)) break;
    children_by_parent_[foreign.parent].insert(name);
    child_by_name_[IdOf(DatabaseOf(child), foreign.name)] = name;
  }
  by_child_[name] = std::move(keys);
}

void ForeignKeyMap::Forget(const std::string& child, const ForeignKeySet& set) {
  for (const ForeignKey& foreign : set.keys) {
    const auto children = children_by_parent_.find(foreign.parent);
    if (children != children_by_parent_.end()) {
      children->second.erase(child);
      if (children->second.empty()) children_by_parent_.erase(children);
    }
    // A rename may have given the name to the child under its new name already.
    const auto owner = child_by_name_.find(IdOf(DatabaseOf(child), foreign.name));
    if (owner != child_by_name_.end() && owner->second == child) child_by_name_.erase(owner);
  }
  by_child_.erase(child);
}

}  // namespace basalt::catalog
