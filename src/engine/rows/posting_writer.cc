// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/posting_writer.h"

#include <string>
#include <utility>

#include "codec/posting.h"
#include "engine/entry_name.h"

namespace basalt::engine {

PostingWriter::PostingWriter(RowContext* context) : context_(context) {
  const Table& table = context->table();
  for (size_t i = 0; table.has_full_text_index() && i < table.index_count(); ++i) {
    const Index& index = table.index(i);
    if (!IsFullText(*index.codec)) continue;
    const auto encoder = [&] {
      return std::make_unique<codec::PostingEncoder>(table.descriptor(), i, index.codec.get());
    };
    indexes_.push_back({i, index.family, encoder(), encoder()});
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
  for (const Words& index : indexes_) BASALT_RETURN_IF_ERROR(PutAllAdded(index));
  return Status::Ok();
}

Status PostingWriter::PutChanges() {
  for (const Words& index : indexes_) {
    bool in_blocks = false;
    BASALT_RETURN_IF_ERROR(IsInBlocks(index, &in_blocks));
    if (!in_blocks) {
      BASALT_RETURN_IF_ERROR(PutChangesOf(index));
      continue;
    }
    BASALT_RETURN_IF_ERROR(SupersedeBlocks(index));
    BASALT_RETURN_IF_ERROR(PutAllAdded(index));
  }
  return Status::Ok();
}

Status PostingWriter::DeleteRemoved() {
  for (const Words& index : indexes_) {
    bool in_blocks = false;
    BASALT_RETURN_IF_ERROR(IsInBlocks(index, &in_blocks));
    BASALT_RETURN_IF_ERROR(in_blocks ? SupersedeBlocks(index) : DeleteAllRemoved(index));
  }
  return Status::Ok();
}

// Nobody else writes the entry meanwhile. A row that expires has no blocks.
Status PostingWriter::IsInBlocks(const Words& index, bool* in_blocks) {
  own_value_.Reset();
  Status found = context_->transaction()->reads().Get(index.family, index.removed->key(0),
                                                      txn::View::kLatest, &own_value_);
  if (found.code() == Code::kNotFound) return Status::Ok();
  BASALT_RETURN_IF_ERROR(std::move(found));
  codec::DocumentValue document;
  if (!codec::DecodeDocumentValue(own_value_.ToStringView(), &document)) {
    return MalformedEntry(context_->table(), index.position, index.removed->key(0));
  }
  *in_blocks = document.in_blocks;
  return Status::Ok();
}

// The row's own entry goes, and its words in blocks are void.
Status PostingWriter::SupersedeBlocks(const Words& index) {
  std::string key(index.removed->key(0));
  codec::SetPostingKind(codec::PostingKind::kSuperseded, &key);
  BASALT_RETURN_IF_ERROR(context_->transaction()->writes().Put(index.family, key, Bytes()));
  return Delete(index, 0);
}

Status PostingWriter::PutAllAdded(const Words& index) {
  for (size_t i = 0; i < index.added->size(); ++i) BASALT_RETURN_IF_ERROR(Put(index, i));
  return Status::Ok();
}

Status PostingWriter::DeleteAllRemoved(const Words& index) {
  for (size_t i = 0; i < index.removed->size(); ++i) BASALT_RETURN_IF_ERROR(Delete(index, i));
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
