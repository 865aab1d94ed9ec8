// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/posting_writer.h"

namespace basalt::engine {

PostingWriter::PostingWriter(RowContext* context) : context_(context) {
  const Table& table = context->table();
  for (size_t i = 0; table.has_full_text_index() && i < table.index_count(); ++i) {
    const Index& index = table.index(i);
    if (!IsFullText(*index.codec)) continue;
    const auto encoder = [&] {
      return std::make_unique<codec::PostingEncoder>(table.descriptor(), i, index.codec.get());
    };
    indexes_.push_back({index.family, encoder(), encoder()});
  }
}

Status PostingWriter::TakeRemoved(const uint8_t* record, uint64_t hidden_id) {
  for (const Words& index : indexes_) {
    BASALT_RETURN_IF_ERROR(index.removed->Encode(record, hidden_id, /*stamp=*/0));
  }
  return Status::Ok();
}

Status PostingWriter::TakeAdded(const uint8_t* record, uint64_t hidden_id) {
  for (const Words& index : indexes_) {
    BASALT_RETURN_IF_ERROR(index.added->Encode(record, hidden_id, /*stamp=*/0));
  }
  return Status::Ok();
}

Status PostingWriter::PutAdded() {
  for (const Words& index : indexes_) {
    for (size_t i = 0; i < index.added->size(); ++i) BASALT_RETURN_IF_ERROR(Put(index, i));
  }
  return Status::Ok();
}

Status PostingWriter::PutChanges() {
  for (const Words& index : indexes_) BASALT_RETURN_IF_ERROR(PutChangesOf(index));
  return Status::Ok();
}

Status PostingWriter::DeleteRemoved() {
  for (const Words& index : indexes_) {
    for (size_t i = 0; i < index.removed->size(); ++i) BASALT_RETURN_IF_ERROR(Delete(index, i));
  }
  return Status::Ok();
}

// Both lists ascend. What is in both with the same value stays.
Status PostingWriter::PutChangesOf(const Words& index) {
  const codec::PostingEncoder& removed = *index.removed;
  const codec::PostingEncoder& added = *index.added;
  size_t old = 0;
  size_t fresh = 0;
  while (old < removed.size() || fresh < added.size()) {
    int order = 0;
    if (old == removed.size()) {
      order = 1;
    } else if (fresh == added.size()) {
      order = -1;
    } else {
      order = removed.key(old).compare(added.key(fresh));
    }
    const bool stays = order == 0 && removed.value(old) == added.value(fresh);
    if (order <= 0 && !stays) BASALT_RETURN_IF_ERROR(Delete(index, old));
    if (order >= 0 && !stays) BASALT_RETURN_IF_ERROR(Put(index, fresh));
    if (order <= 0) ++old;
    if (order >= 0) ++fresh;
  }
  return Status::Ok();
}

Status PostingWriter::Put(const Words& index, size_t entry) {
  return context_->transaction()->writes().Put(index.family, index.added->key(entry),
                                               index.added->value(entry));
}

// Entries are put at most once before they are deleted, as in other secondary indexes.
Status PostingWriter::Delete(const Words& index, size_t entry) {
  return context_->transaction()->writes().SingleDelete(index.family, index.removed->key(entry));
}

}  // namespace basalt::engine
