// SPDX-License-Identifier: GPL-2.0-only
#include "server/foreign_keys/orphan_report.h"

#include <optional>
#include <utility>

#include "engine/database.h"
#include "engine/references/reference_check.h"
#include "server/foreign_keys/foreign_key_lists.h"
#include "server/foreign_keys/foreign_key_sides.h"
#include "server/foreign_keys/related_tables.h"
#include "server/tables/file_names.h"

namespace basalt::server {

namespace {

constexpr Side kParent = &catalog::ForeignKey::Columns::parent;

// Its definition must stay while its rows are read; these are read in a snapshot.
Status LockTable(THD* thd, const std::string& table) {
  if (LockRelatedTable(thd, table, MDL_SHARED, MDL_STATEMENT) == 0) return Status::Ok();
  if (thd->killed) return Status(Code::kInterrupted);
  return Status(Code::kLockTimeout, "the definition of table " + table + " is being changed");
}

}  // namespace

OrphanReport::OrphanReport(THD* thd, CheckedChild child, engine::TaskProgress* progress)
    : thd_(thd),
      child_(std::move(child)),
      progress_(progress),
      keys_(child_.table->database()->catalog()->foreign_keys().OfChild(child_.table->name())) {}

unsigned OrphanReport::stages() const {
  return keys_ == nullptr ? 0 : static_cast<unsigned>(keys_->keys.size());
}

Status OrphanReport::Run() {
  if (keys_ == nullptr) return Status::Ok();
  for (const catalog::ForeignKey& foreign : keys_->keys) {
    progress_->NextStage();
    Status checked = CheckOne(foreign);
    if (checked.code() == Code::kCorruption || checked.code() == Code::kIoError) {
      AddLine(foreign, "cannot be checked: " + std::string(checked.message()));
      continue;
    }
    BASALT_RETURN_IF_ERROR(std::move(checked));
  }
  return Status::Ok();
}

Status OrphanReport::CheckOne(const catalog::ForeignKey& foreign) {
  if (foreign.parent != child_.table->name()) return CheckWithOther(foreign);
  return Search(foreign, child_.table, FindColumns(*child_.definition, foreign, kParent));
}

Status OrphanReport::CheckWithOther(const catalog::ForeignKey& foreign) {
  BASALT_RETURN_IF_ERROR(LockTable(thd_, foreign.parent));
  RelatedTablePointer parent;
  Status found = FindRelatedTable(thd_, child_.table->database(), foreign.parent, &parent);
  if (found.code() == Code::kNotFound) {
    AddLine(foreign, "there is no ROCKSDB table " + QuotedTableName(foreign.parent));
    return Status::Ok();
  }
  BASALT_RETURN_IF_ERROR(std::move(found));
  return Search(foreign, parent->table, parent->FindColumns(foreign, kParent));
}

// `to`: the parent's columns. What is not there, a statement with foreign_key_checks=0 has taken
// away.
Status OrphanReport::Search(const catalog::ForeignKey& foreign,
                            const std::shared_ptr<engine::Table>& parent,
                            const std::optional<std::vector<uint32_t>>& to) {
  const auto from = FindColumns(*child_.definition, foreign, &catalog::ForeignKey::Columns::child);
  if (!from || !to ||
      !codec::TypesMatch(child_.table->descriptor(), parent->descriptor(),
                         codec::MakePairs(*from, *to))) {
    AddLine(foreign, "cannot be checked: the columns of the two tables do not match");
    return Status::Ok();
  }
  const auto own_index = engine::FindReferenceIndex(*child_.table, *from);
  const auto other_index = engine::FindReferenceIndex(*parent, *to);
  if (!own_index || !other_index) {
    AddLine(foreign, "cannot be checked: no index of table " +
                         QuotedTableName(own_index ? parent->name() : child_.table->name()) +
                         " begins with its columns");
    return Status::Ok();
  }
  engine::OrphanCheck check({child_.table, *own_index, child_.virtual_columns},
                            {parent, *other_index, nullptr}, codec::MakePairs(*from, *to),
                            progress_);
  BASALT_RETURN_IF_ERROR(check.Run());
  if (check.rows() != 0) AddLine(foreign, check.Line());
  return Status::Ok();
}

void OrphanReport::AddLine(const catalog::ForeignKey& foreign, const std::string& text) {
  lines_.push_back(DescribeForeignKey(thd_, child_.table->name(), foreign) + ": " + text);
}

}  // namespace basalt::server
