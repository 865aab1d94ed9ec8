// SPDX-License-Identifier: GPL-2.0-only
#include "engine/checks/orphan_check.h"

#include <optional>
#include <utility>

#include "engine/database.h"
#include "engine/entry_name.h"

namespace basalt::engine {
namespace {

constexpr size_t kOrphansNamed = 3;

}  // namespace

OrphanCheck::RowsOfEntries::RowsOfEntries(const ReferenceSide& side)
    : side_(side),
      image_(*side.table, side.virtual_columns),
      row_key_(side.table->max_key_bytes()) {}

Status OrphanCheck::RowsOfEntries::Read(txn::Transaction* transaction, Bytes key, Bytes value,
                                        bool* alive) {
  *alive = false;
  if (side_.index == side_.table->primary_position()) {
    *alive = image_.Decode(key, value) && IsAlive();
    return Status::Ok();
  }
  const Bytes row_key = RowKeyOf(key);
  Status read = transaction->reads().Get(side_.table->primary().family, row_key,
                                         txn::View::kSnapshot, &pinned_);
  // The check of the table itself names entries without a row.
  if (read.code() == Code::kNotFound) return Status::Ok();
  if (!read.ok()) {
    return WithEntry(*side_.table, side_.table->primary_position(), row_key, std::move(read));
  }
  *alive = image_.Decode(row_key, pinned_.ToStringView()) && IsAlive();
  return Status::Ok();
}

bool OrphanCheck::RowsOfEntries::IsAlive() const {
  const std::optional<RowEnd>& row_end = side_.table->traits().row_end;
  if (!row_end) return true;
  return row_end->IsAlive(record(), side_.table->descriptor().columns[row_end->column].offset);
}

Bytes OrphanCheck::RowsOfEntries::RowKeyOf(Bytes entry) {
  if (side_.index == side_.table->primary_position()) return entry;
  const codec::KeyCodec& codec = *side_.table->index(side_.index).codec;
  return MakeBytes(row_key_.data(), codec.ExtractPrimaryKey(entry, row_key_.data()));
}

OrphanCheck::OrphanCheck(ReferenceSide child, ReferenceSide parent,
                         const std::vector<codec::ReferenceCopy::Pair>& pairs,
                         TaskProgress* progress)
    : child_(std::move(child)),
      parent_(std::move(parent)),
      parts_(static_cast<unsigned>(pairs.size())),
      copy_(child_.table->descriptor(), parent_.table->descriptor(), pairs),
      progress_(progress),
      transaction_(child_.table->database()->transactions()->NewTransaction()),
      child_rows_(child_),
      parent_rows_(parent_),
      parents_(parent_.table->database()->store()->base(),
               parent_.table->index(parent_.index).family,
               parent_.table->index(parent_.index).reverse, parent_.table->index(parent_.index).id,
               parent_.table->database()->transactions()->idle_cursors()),
      wanted_(parent_.table->descriptor().record_length),
      prefix_(parent_.table->max_key_bytes()) {}

Status OrphanCheck::Proceed() {
  if (++done_ % TaskProgress::kEntriesPerReport != 0) return Status::Ok();
  if (progress_->Report(done_, child_.table->statistics().Rows() + 1)) return Status::Ok();
  return Status(Code::kInterrupted, "the check was interrupted");
}

Status OrphanCheck::Run() {
  transaction_->Begin({.fill_cache = false});
  BASALT_RETURN_IF_ERROR(parents_.Bind(transaction_->snapshot().ForReads(), /*writes=*/nullptr,
                                       /*fill_cache=*/false));
  IndexWalk walk(*child_.table, child_.index, transaction_.get());
  Status moved = walk.Next();
  for (; moved.ok(); moved = walk.Next()) {
    BASALT_RETURN_IF_ERROR(Proceed());
    if (walk.EntryHasExpired()) continue;
    BASALT_RETURN_IF_ERROR(CheckEntry(walk.key(), walk.value()));
  }
  if (moved.code() == Code::kEndOfRange) return Status::Ok();
  return WithEntry(*child_.table, child_.index, walk.previous_key(), std::move(moved));
}

Status OrphanCheck::CheckEntry(Bytes key, Bytes value) {
  const codec::KeyCodec& codec = *child_.table->index(child_.index).codec;
  const Bytes values = key.substr(0, codec.PrefixBytes(key, parts_));
  const bool known = values == values_;
  if (known && !without_parent_) return Status::Ok();
  if (!known || child_.table->traits().row_end) {
    bool alive = false;
    BASALT_RETURN_IF_ERROR(child_rows_.Read(transaction_.get(), key, value, &alive));
    if (!alive) return Status::Ok();
  }
  if (!known) {
    BASALT_RETURN_IF_ERROR(LookForParent());
    values_.assign(values);
  }
  if (without_parent_) Add(key);
  return Status::Ok();
}

// For the row in child_rows_.
Status OrphanCheck::LookForParent() {
  const uint8_t* row = child_rows_.record();
  without_parent_ = !copy_.HasNull(row);
  if (!without_parent_ || !copy_.Copy(row, wanted_.data())) return Status::Ok();
  const codec::KeyCodec& codec = *parent_.table->index(parent_.index).codec;
  const Bytes prefix =
      MakeBytes(prefix_.data(), codec.EncodePrefix(wanted_.data(), parts_, prefix_.data()));
  parents_.SeekForward(prefix);
  while (without_parent_ && parents_.Valid() && parents_.key().starts_with(prefix)) {
    bool alive = true;
    if (parent_.table->traits().row_end) {
      BASALT_RETURN_IF_ERROR(
          parent_rows_.Read(transaction_.get(), parents_.key(), parents_.value(), &alive));
    }
    without_parent_ = !alive;
    if (!alive) parents_.Next();
  }
  return WithEntry(*parent_.table, parent_.index, prefix, parents_.status());
}

void OrphanCheck::Add(Bytes key) {
  ++rows_;
  if (first_keys_.size() < kOrphansNamed) first_keys_.push_back(HexOf(child_rows_.RowKeyOf(key)));
}

std::string OrphanCheck::Line() const {
  if (rows_ == 0) return {};
  return std::to_string(rows_) + " rows without a parent, " + ListOfKeys(rows_, first_keys_);
}

}  // namespace basalt::engine
