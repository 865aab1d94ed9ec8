// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "catalog/foreign_key.h"

namespace basalt::catalog {

// The constraints of all tables, found by child, by parent and by name. In memory only; whoever
// owns it sees to locks: const functions from any threads at once, others alone.
//
// A child with a temporary name (IsTemporaryName) is found as a child only.
class ForeignKeyMap {
 public:
  // The constraints of a child, shared with who asks for them; never empty.
  using Keys = std::shared_ptr<const ForeignKeySet>;

  // Null when the table has none.
  Keys OfChild(Bytes child) const;
  // The tables with constraints to this one, which need not exist, in the order of their names.
  std::vector<std::string> ChildrenOf(Bytes parent) const;
  bool IsParent(Bytes name) const { return children_by_parent_.contains(name); }
  // The child that has a constraint of this name in this database; empty when there is none. Names
  // are the same as FoldedName says.
  std::string OwnerOfName(Bytes database, Bytes name) const;
  // The children in the order of their names.
  std::vector<std::string> Children() const;
  // Whether there is no constraint at all.
  bool empty() const { return by_child_.empty(); }

  // Replaces what the child has; null removes it.
  void Set(Bytes child, Keys keys);

 private:
  void Forget(const std::string& child, const ForeignKeySet& set);

  std::map<std::string, Keys, std::less<>> by_child_;
  std::map<std::string, std::set<std::string>, std::less<>> children_by_parent_;
  std::map<std::string, std::string, std::less<>> child_by_name_;  // by DATABASE/FOLDED NAME
};

}  // namespace basalt::catalog
