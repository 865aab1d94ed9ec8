// SPDX-License-Identifier: GPL-2.0-only
#include "server/foreign_keys/reference_plan.h"

#include <optional>
#include <utility>

#include "codec/key_codec.h"
#include "codec/reference_copy.h"
#include "engine/references/reference_check.h"
#include "server/foreign_keys/foreign_key_lists.h"
#include "server/foreign_keys/foreign_key_sides.h"
#include "server/foreign_keys/related_tables.h"
#include "server/tables/file_names.h"

namespace basalt::server {

namespace {

using Columns = std::vector<uint32_t>;

Status MustCopy(const char* why) { return Status(Code::kNotSupported, why); }

bool AreStored(const codec::TableDescriptor& table, const Columns& positions) {
  for (const uint32_t position : positions) {
    if (!table.columns[position].stored) return false;
  }
  return true;
}

// Of the altered table, and whose keys tell values apart; none: rows could not be found by them.
std::optional<size_t> FindChildIndex(const codec::TableDescriptor& target, const Columns& columns) {
  for (const size_t position : engine::FindReferenceIndexes(target, columns)) {
    std::unique_ptr<codec::KeyCodec> codec;
    const Status compiled = codec::KeyCodec::Compile(target, position, &codec);
    if (compiled.ok() && codec->EqualBytesAreEqual(static_cast<unsigned>(columns.size()))) {
      return position;
    }
  }
  return std::nullopt;
}

// The parent, and where its columns are. The child may be it.
Status OpenParent(THD* thd, const std::shared_ptr<engine::Table>& child, const AlteredTable& table,
                  const catalog::ForeignKey& foreign, std::shared_ptr<engine::Table>* parent,
                  std::optional<Columns>* columns) {
  constexpr Side kParent = &catalog::ForeignKey::Columns::parent;
  if (foreign.parent == table.name) {
    *parent = child;
    *columns = FindColumns(table.before, foreign, kParent);
    return Status::Ok();
  }
  RelatedTablePointer related;
  BASALT_RETURN_IF_ERROR(FindRelatedTable(thd, child->database(), foreign.parent, &related));
  *parent = related->table;
  *columns = related->FindColumns(foreign, kParent);
  return Status::Ok();
}

Status PlanOne(THD* thd, const std::shared_ptr<engine::Table>& child, const AlteredTable& table,
               const IndexPlan& plan, const catalog::ForeignKey& foreign,
               engine::NewReference* reference) {
  const auto from = FindColumns(table.after, foreign, &catalog::ForeignKey::Columns::child);
  std::optional<Columns> to;
  BASALT_RETURN_IF_ERROR(OpenParent(thd, child, table, foreign, &reference->parent, &to));
  if (!from || !to) return MustCopy("a foreign key without its columns");
  if (!AreStored(plan.target, *from) || !AreStored(reference->parent->descriptor(), *to)) {
    return MustCopy("a foreign key of virtual columns, whose rows are checked");
  }
  const auto child_index = FindChildIndex(plan.target, *from);
  const auto parent_index = engine::FindReferenceIndex(*reference->parent, *to);
  if (!child_index || !parent_index) {
    return MustCopy("a foreign key whose rows cannot be found by the keys of an index");
  }
  reference->child_index = *child_index;
  reference->parent_index = *parent_index;
  reference->pairs = codec::MakePairs(*from, *to);
  reference->refusal = DescribeObstacle(thd, table.name, foreign);
  return Status::Ok();
}

// kLockTimeout and kInterrupted as for WriterBarrier.
Status StatusOf(const THD* thd, bool refused) {
  if (!refused) return Status::Ok();
  return Status(thd->killed ? Code::kInterrupted : Code::kLockTimeout);
}

}  // namespace

Status PlanReferences(THD* thd, const std::shared_ptr<engine::Table>& child,
                      const AlteredTable& table, const IndexPlan& plan,
                      std::vector<engine::NewReference>* references) {
  if (!ChecksAddedForeignKeys(thd, table.info)) return Status::Ok();
  if (plan.rebuilds)
    return MustCopy("rows written anew, with a foreign key that they are checked for");
  for (const catalog::ForeignKey& foreign :
       AddedForeignKeys(child->database()->catalog()->foreign_keys(), table)) {
    references->emplace_back();
    BASALT_RETURN_IF_ERROR(PlanOne(thd, child, table, plan, foreign, &references->back()));
  }
  return Status::Ok();
}

WriterBarrier::~WriterBarrier() {
  for (MDL_ticket* ticket : tickets_) thd_->mdl_context.release_lock(ticket);
}

Status WriterBarrier::Add(const std::string& table) {
  const DisplayNames names = DisplayNamesOf(table);
  MDL_request request;
  MDL_REQUEST_INIT(&request, MDL_key::TABLE, names.database.c_str(), names.table.c_str(),
                   MDL_SHARED_NO_WRITE, MDL_EXPLICIT);
  const bool refused = thd_->mdl_context.acquire_lock(
      &request, static_cast<double>(thd_->variables.lock_wait_timeout));
  if (!refused) tickets_.push_back(request.ticket);
  return StatusOf(thd_, refused);
}

Status WriterBarrier::Keep(THD* thd, const std::string& table) {
  return StatusOf(thd, LockRelatedTable(thd, table, MDL_SHARED_NO_WRITE, MDL_STATEMENT) != 0);
}

}  // namespace basalt::server
