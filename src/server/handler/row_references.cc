// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/row_references.h"

#include <algorithm>
#include <string>
#include <utility>

#include "catalog/catalog.h"
#include "codec/reference_copy.h"
#include "engine/checks/orphan_check.h"
#include "engine/references/reference_check.h"
#include "server/foreign_keys/foreign_key_sides.h"
#include "server/foreign_keys/statement_foreign_keys.h"
#include "server/tables/file_names.h"
#include "server/tables/system_versioning.h"
#include "server/tables/table_name.h"

namespace basalt::server {

namespace {

// InnoDB's order: index by index, and by database and name of the foreign key.
std::pair<size_t, std::string> OrderOf(const RowReference& reference, const std::string& child) {
  return {reference.own_index(), child.substr(0, child.find('.')) + "/" + reference.foreign().name};
}

}  // namespace

void RowReferences::BeginStatement(bool writes) {
  THD* thd = table_->server_table()->in_use;
  const engine::TableTraits& traits = table_->data()->traits();
  active_ = writes && !traits.temporary && !traits.sequence &&
            !thd_test_options(thd, OPTION_NO_FOREIGN_KEY_CHECKS);
  if (active_ && generation_ != database_->catalog()->foreign_keys().generation()) Load();
}

void RowReferences::EndStatement() {
  for (const auto& reference : parents_) reference->End();
  for (const auto& reference : children_) reference->End();
}

// The number comes first: what changes meanwhile is looked at by the next statement.
void RowReferences::Load() {
  generation_ = database_->catalog()->foreign_keys().generation();
  parents_.clear();
  of_copy_.clear();
  children_.clear();
  LoadParents();
  LoadChildren();
}

bool RowReferences::IsKeptByAlter(const catalog::ForeignKey& foreign) const {
  if (!catalog::IsTemporaryName(table_->data()->name())) return false;
  const auto keys = database_->catalog()->foreign_keys().OfChild(
      NameOfAlteredTable(table_->server_table()->in_use));
  return keys != nullptr &&
         std::any_of(keys->keys.begin(), keys->keys.end(), [&](const catalog::ForeignKey& each) {
           return my_strcasecmp(system_charset_info, each.name.c_str(), foreign.name.c_str()) == 0;
         });
}

// The table is another engine's, or the statement gives it another name: the dictionary knows no
// table of the name that the copy will have. Its rows are their own parents then, in any order.
bool RowReferences::IsOfCopy(const catalog::ForeignKey& foreign) const {
  const std::string& name = table_->data()->name();
  if (!catalog::IsTemporaryName(name)) return false;
  const TABLE& form = *table_->server_table();
  return foreign.parent == DictionaryNameOf(NamesOfNewTable(form.in_use, form, name)) &&
         database_->catalog()->FindTable(foreign.parent) == nullptr;
}

void RowReferences::LoadParents() {
  const std::string& name = table_->data()->name();
  const catalog::ForeignKeyMap::Keys keys = database_->catalog()->foreign_keys().OfChild(name);
  if (keys == nullptr) return;
  for (const catalog::ForeignKey& foreign : keys->keys) {
    if (IsKeptByAlter(foreign)) continue;
    References& references = IsOfCopy(foreign) ? of_copy_ : parents_;
    references.push_back(
        std::make_unique<RowReference>(table_, RowReference::Side::kChild, name, foreign));
  }
  // InnoDB's order: index by index, and by name.
  std::sort(parents_.begin(), parents_.end(), [](const auto& one, const auto& other) {
    if (one->own_index() != other->own_index()) return one->own_index() < other->own_index();
    return one->foreign().name < other->foreign().name;
  });
}

void RowReferences::LoadChildren() {
  const std::string& name = table_->data()->name();
  const catalog::ForeignKeys& all = database_->catalog()->foreign_keys();
  std::vector<std::pair<std::pair<size_t, std::string>, std::unique_ptr<RowReference>>> found;
  for (const std::string& child : all.ChildrenOf(name)) {
    const catalog::ForeignKeyMap::Keys keys = all.OfChild(child);
    if (keys == nullptr) continue;
    for (const catalog::ForeignKey& foreign : keys->keys) {
      if (foreign.parent != name) continue;
      auto reference =
          std::make_unique<RowReference>(table_, RowReference::Side::kParent, child, foreign);
      auto order = OrderOf(*reference, child);
      found.emplace_back(std::move(order), std::move(reference));
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& one, const auto& other) { return one.first < other.first; });
  for (auto& [order, reference] : found) children_.push_back(std::move(reference));
}

bool RowReferences::refers_to_itself() const {
  return active_ && std::any_of(parents_.begin(), parents_.end(),
                                [](const auto& reference) { return reference->is_of_itself(); });
}

engine::WriteGuard* RowReferences::ForUpdate(const uchar* before, const uchar* after,
                                             Bytes row_key) {
  if (!is_child() && changes_ == nullptr) return nullptr;
  if (refers_to_itself()) row_key_.assign(row_key);
  before_ = before;
  after_ = after;
  return this;
}

Status RowReferences::CheckChild(const ChildChange& change) {
  bool found = change.refused;
  if (!found)
    BASALT_RETURN_IF_ERROR(change.reference->lookup()->Find(change.wanted, change.own_row, &found));
  return found ? change.reference->Refused() : Status::Ok();
}

Status RowReferences::CheckParent(RowReference* reference) {
  if (step_ != nullptr && reference->foreign().name == *step_->foreign_key) return Status::Ok();
  BASALT_RETURN_IF_ERROR(reference->Begin(database_));
  if (before_ != nullptr && !reference->Changes(before_, after_)) return Status::Ok();
  return reference->Check(after_, RowThatDoesNotCount(*reference));
}

// InnoDB takes the entries of a row out of one index after the other, and looks for parents there.
Bytes RowReferences::RowThatDoesNotCount(const RowReference& reference) const {
  if (reference.is_of_itself() && before_ != nullptr) {
    return reference.other_index() <= reference.own_index() ? Bytes(row_key_) : Bytes();
  }
  if (step_ == nullptr) return Bytes();
  return step_->RowUnderWay(reference.foreign().parent, reference.other_index());
}

void RowReferences::ReactWith(const std::vector<ChildChange>* changes, Reaction react) {
  changes_ = changes;
  react_ = std::move(react);
  reaction_error_ = 0;
}

int RowReferences::EndReactions() {
  changes_ = nullptr;
  react_ = nullptr;
  return reaction_error_;
}

Status RowReferences::React(size_t index) {
  for (const ChildChange& change : *changes_) {
    if (change.reference->own_index() != index) continue;
    reaction_error_ = react_(change);
    if (reaction_error_ != 0) return Status(Code::kInternal, "a child could not follow");
  }
  return Status::Ok();
}

// Rows of history had their parents when they were of their day.
Status RowReferences::Check(size_t index) {
  if (changes_ != nullptr) BASALT_RETURN_IF_ERROR(React(index));
  if (!is_child() || IsHistory(*table_->server_table(), after_)) return Status::Ok();
  for (const auto& reference : parents_) {
    if (reference->own_index() == index) BASALT_RETURN_IF_ERROR(CheckParent(reference.get()));
  }
  return Status::Ok();
}

Status RowReferences::Gather(const uchar* record, txn::Transaction* transaction) {
  if (!is_child() || IsHistory(*table_->server_table(), record)) return Status::Ok();
  for (const auto& reference : parents_) {
    BASALT_RETURN_IF_ERROR(reference->Begin(database_, transaction));
    BASALT_RETURN_IF_ERROR(reference->Gather(record));
  }
  return Status::Ok();
}

Status RowReferences::CheckGathered() {
  if (!is_child()) return Status::Ok();
  for (const auto& reference : parents_) BASALT_RETURN_IF_ERROR(reference->CheckGathered());
  return Status::Ok();
}

Status RowReferences::CheckAllRows(engine::TaskProgress* progress) {
  for (const auto& reference : of_copy_)
    BASALT_RETURN_IF_ERROR(CheckAllRowsOf(*reference, progress));
  return Status::Ok();
}

Status RowReferences::CheckAllRowsOf(const RowReference& reference,
                                     engine::TaskProgress* progress) {
  const std::shared_ptr<engine::Table>& table = table_->engine_table();
  const TABLE& form = *table_->server_table();
  const auto from = FindColumns(form, reference.foreign(), &catalog::ForeignKey::Columns::child);
  const auto to = FindColumns(form, reference.foreign(), &catalog::ForeignKey::Columns::parent);
  if (!from || !to) return reference.Refused();
  const auto child_index = engine::FindReferenceIndex(*table, *from);
  const auto parent_index = engine::FindReferenceIndex(*table, *to);
  if (!child_index || !parent_index) return reference.Refused();
  engine::OrphanCheck check({table, *child_index, table_->virtual_parts()},
                            {table, *parent_index, nullptr}, codec::MakePairs(*from, *to),
                            progress);
  BASALT_RETURN_IF_ERROR(check.Run());
  return check.rows() == 0 ? Status::Ok() : reference.Refused();
}

}  // namespace basalt::server
