// SPDX-License-Identifier: GPL-2.0-only
#include "engine/references/orphan_search.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "codec/column_set.h"
#include "engine/database.h"
#include "engine/entry_name.h"
#include "engine/ttl_clock.h"
#include "txn/approach.h"

namespace basalt::engine {
namespace {

using Pair = codec::ReferenceCopy::Pair;

RowSource SourceOf(const Table& table) {
  return {table, table.descriptor(), *table.primary().codec, table.row_codec()};
}

std::vector<Pair> Swapped(std::vector<Pair> pairs) {
  for (Pair& pair : pairs) std::swap(pair.from, pair.to);
  return pairs;
}

}  // namespace

ColumnImage::ColumnImage(const RowSource& source, const std::vector<uint32_t>& wanted)
    : source_(source), record_(source.descriptor.record_length) {
  codec::ColumnSet columns(source.descriptor.columns.size());
  for (const uint32_t column : wanted) columns.Add(column);
  if (source.table.traits().row_end) columns.Add(source.table.traits().row_end->column);
  decoder_.Compile(source.descriptor, source.primary, source.rows, columns);
}

Status ColumnImage::Decode(Bytes key, Bytes value) {
  if (decoder_.Decode(key, value, record_.data())) return Status::Ok();
  return MalformedEntry(source_.table, source_.table.primary_position(), key);
}

bool ColumnImage::IsAlive() const {
  const std::optional<RowEnd>& row_end = source_.table.traits().row_end;
  return !row_end ||
         row_end->IsAlive(record_.data(), source_.descriptor.columns[row_end->column].offset);
}

std::vector<uint32_t> OrphanSearch::ColumnsOf(const std::vector<Pair>& pairs,
                                              uint32_t Pair::*side) {
  std::vector<uint32_t> columns;
  columns.reserve(pairs.size());
  for (const Pair& pair : pairs) columns.push_back(pair.*side);
  return columns;
}

OrphanSearch::OrphanSearch(const RowSource& child, const ChildIndex& child_index, Parent parent,
                           const std::vector<Pair>& pairs)
    : child_(child),
      child_index_(child_index),
      parent_(std::move(parent)),
      parts_(static_cast<unsigned>(pairs.size())),
      to_parent_(child.descriptor, parent_.table->descriptor(), pairs),
      to_child_(parent_.table->descriptor(), child.descriptor, Swapped(pairs)),
      child_row_(child, ColumnsOf(pairs, &Pair::from)),
      parent_row_(SourceOf(*parent_.table), ColumnsOf(pairs, &Pair::to)),
      parents_(parent_.table->database()->store()->base(),
               parent_.table->index(parent_.index).family,
               parent_.table->index(parent_.index).reverse, parent_.table->index(parent_.index).id,
               parent_.table->database()->transactions()->idle_cursors()),
      children_(child.table.database()->store()->base(), child_index.family, child_index.reverse,
                child_index.id, child.table.database()->transactions()->idle_cursors()),
      parent_record_(parent_.table->descriptor().record_length),
      child_record_(child.descriptor.record_length),
      prefix_(parent_.table->max_key_bytes()),
      child_prefix_(child_index.codec->max_key_bytes()),
      row_key_(child.table.max_key_bytes()),
      parent_key_(parent_.table->max_key_bytes()) {
  BASALT_ASSERT(parent_.table->index(parent_.index).codec->EqualBytesAreEqual(parts_),
                "a reference is searched by bytes that tell its values apart");
}

OrphanSearch::~OrphanSearch() = default;

Bytes OrphanSearch::ParentPrefix(const uint8_t* parent_record) {
  const codec::KeyCodec& codec = *parent_.table->index(parent_.index).codec;
  return MakeBytes(prefix_.data(), codec.EncodePrefix(parent_record, parts_, prefix_.data()));
}

void OrphanSearch::Add(Bytes parent, Bytes child, bool is_row) {
  suspects_.push_back({bytes_.size(), static_cast<uint32_t>(parent.size()),
                       static_cast<uint32_t>(child.size()), is_row});
  bytes_.append(parent).append(child);
}

void OrphanSearch::AddChild(Bytes row_key, const uint8_t* record) {
  if (to_parent_.HasNull(record)) return;
  const bool possible = to_parent_.Copy(record, parent_record_.data());
  Add(possible ? ParentPrefix(parent_record_.data()) : Bytes(), row_key, /*is_row=*/true);
}

Status OrphanSearch::DecodeParent(const codec::RowChange::Row& row, Bytes* values) {
  *values = Bytes();
  if (!row.exists) return Status::Ok();
  BASALT_RETURN_IF_ERROR(parent_row_.Decode(row.key, row.value));
  if (parent_row_.IsAlive() && !to_child_.HasNull(parent_row_.record())) {
    *values = ParentPrefix(parent_row_.record());
  }
  return Status::Ok();
}

// The row before the change is decoded last: its values are asked for. Values that a child cannot
// hold no child has.
Status OrphanSearch::AddParent(const codec::RowChange& change) {
  Bytes values;
  BASALT_RETURN_IF_ERROR(DecodeParent(change.after, &values));
  const std::string after(values);
  BASALT_RETURN_IF_ERROR(DecodeParent(change.before, &values));
  if (values.empty() || values == after) return Status::Ok();
  if (!to_child_.Copy(parent_row_.record(), child_record_.data())) return Status::Ok();
  const size_t bytes =
      child_index_.codec->EncodePrefix(child_record_.data(), parts_, child_prefix_.data());
  Add(values, MakeBytes(child_prefix_.data(), bytes), /*is_row=*/false);
  return Status::Ok();
}

Status OrphanSearch::Check(txn::Transaction* reader, const GoesOn& goes_on, bool* orphan) {
  *orphan = false;
  if (suspects_.empty()) return Status::Ok();
  state_ = {reader, 0, &goes_on};
  const rocksdb::Snapshot* snapshot = reader->snapshot().ForReads();
  if (child_.table.primary().ttl_seconds != 0) state_.now = SnapshotSeconds(child_.table, reader);
  Sort();
  Status checked = parents_.Bind(snapshot, /*writes=*/nullptr, /*fill_cache=*/true);
  if (checked.ok()) checked = children_.Bind(nullptr, /*writes=*/nullptr, /*fill_cache=*/true);
  if (checked.ok()) checked = CheckSuspects(orphan);
  parents_.Park();
  children_.Park();
  state_ = {};
  suspects_.clear();
  bytes_.clear();
  return checked;
}

// In the order of the parent's index. Those that no parent can have come first.
void OrphanSearch::Sort() {
  std::sort(suspects_.begin(), suspects_.end(), [this](const Suspect& one, const Suspect& other) {
    return ParentOf(one) < ParentOf(other);
  });
}

Status OrphanSearch::Proceed() {
  constexpr uint64_t kLooksPerQuestion = 1024;
  if (++looks_ % kLooksPerQuestion != 0 || (*state_.goes_on)()) return Status::Ok();
  return Status(Code::kInterrupted, "looking for parents was interrupted");
}

Status OrphanSearch::CheckSuspects(bool* orphan) {
  Bytes values;
  bool found = false;
  for (const Suspect& suspect : suspects_) {
    if (ParentOf(suspect).empty() || ParentOf(suspect) != values) {
      values = ParentOf(suspect);
      found = false;
      if (!values.empty()) BASALT_RETURN_IF_ERROR(FindParent(values, &found));
    }
    if (found) continue;
    BASALT_RETURN_IF_ERROR(CheckSuspect(suspect, orphan));
    if (*orphan) return Status::Ok();
  }
  return Status::Ok();
}

Status OrphanSearch::CheckSuspect(const Suspect& suspect, bool* orphan) {
  return suspect.is_row ? CheckRow(ChildOf(suspect), orphan)
                        : CheckChildrenWith(ChildOf(suspect), orphan);
}

// Is this row of the child, as the reader sees it, without a parent?
Status OrphanSearch::CheckRow(Bytes row_key, bool* orphan) {
  BASALT_RETURN_IF_ERROR(Proceed());
  rocksdb::PinnableSlice value;
  Status read = state_.reader->reads().Get(child_.table.primary().family, row_key,
                                           txn::View::kSnapshot, &value);
  if (read.code() == Code::kNotFound) return Status::Ok();
  if (!read.ok()) {
    return WithEntry(child_.table, child_.table.primary_position(), row_key, std::move(read));
  }
  const Bytes row(value.data(), value.size());
  if (store::ValueHasExpired(row, child_.table.primary().ttl_seconds, state_.now))
    return Status::Ok();
  BASALT_RETURN_IF_ERROR(child_row_.Decode(row_key, row));
  const uint8_t* record = child_row_.record();
  if (!child_row_.IsAlive() || to_parent_.HasNull(record)) return Status::Ok();
  bool found = false;
  if (to_parent_.Copy(record, parent_record_.data())) {
    BASALT_RETURN_IF_ERROR(FindParent(ParentPrefix(parent_record_.data()), &found));
  }
  *orphan = !found;
  return Status::Ok();
}

// The entries may be newer than what the reader sees, or older, where the index is being built:
// each row is looked at itself.
Status OrphanSearch::CheckChildrenWith(Bytes values, bool* orphan) {
  const codec::KeyCodec& codec = *child_index_.codec;
  const bool is_primary = child_index_.id == child_.table.primary().id;
  for (children_.SeekForward(values); children_.Valid() && children_.key().starts_with(values);
       children_.Next()) {
    Bytes row_key = children_.key();
    if (!is_primary) {
      const size_t bytes = codec.ExtractPrimaryKey(children_.key(), row_key_.data());
      if (bytes == 0) {
        return MalformedEntry(child_.table, child_index_.name, children_.key());
      }
      row_key = MakeBytes(row_key_.data(), bytes);
    }
    BASALT_RETURN_IF_ERROR(CheckRow(row_key, orphan));
    if (*orphan) return Status::Ok();
  }
  return WithEntry(child_.table, child_index_.name, values, children_.status());
}

// Values mostly come in order, and each has few entries. An entry in front of them, or their whole
// key, has no other of theirs before it.
Status OrphanSearch::FindParent(Bytes values, bool* found) {
  *found = false;
  BASALT_RETURN_IF_ERROR(Proceed());
  const Table& parent = *parent_.table;
  constexpr unsigned kStepsBeforeSeek = 8;
  txn::MoveTo(values, kStepsBeforeSeek, &parents_);
  for (; parents_.Valid() && parents_.key().starts_with(values); parents_.Next()) {
    BASALT_RETURN_IF_ERROR(IsRowOfToday(parents_.key(), found));
    if (*found) return Status::Ok();
  }
  return WithEntry(parent, parent_.index, values, parents_.status());
}

Status OrphanSearch::IsRowOfToday(Bytes entry, bool* alive) {
  const Table& parent = *parent_.table;
  *alive = !parent.traits().row_end;
  if (*alive) return Status::Ok();
  Bytes row_key = entry;
  if (parent_.index != parent.primary_position()) {
    const codec::KeyCodec& codec = *parent.index(parent_.index).codec;
    const size_t bytes = codec.ExtractPrimaryKey(entry, parent_key_.data());
    if (bytes == 0) return MalformedEntry(parent, parent_.index, entry);
    row_key = MakeBytes(parent_key_.data(), bytes);
  }
  rocksdb::PinnableSlice value;
  Status read =
      state_.reader->reads().Get(parent.primary().family, row_key, txn::View::kSnapshot, &value);
  if (!read.ok()) return WithEntry(parent, parent.primary_position(), row_key, std::move(read));
  BASALT_RETURN_IF_ERROR(parent_row_.Decode(row_key, value.ToStringView()));
  *alive = parent_row_.IsAlive();
  return Status::Ok();
}

}  // namespace basalt::engine
