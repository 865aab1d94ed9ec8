// SPDX-License-Identifier: GPL-2.0-only
#include "engine/checks/entry_walk.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/posting_key.h"

namespace basalt::engine {
namespace {

// So many places of a row's words: as a summand.
uint64_t Places(Bytes document, uint64_t places) {
  return XXH3_64bits(document.data(), document.size()) * places;
}

}  // namespace

EntryWalk::EntryWalk(const Table& table, size_t index, txn::Transaction* transaction)
    : table_(table),
      index_(index),
      transaction_(transaction),
      entries_(table, index, transaction),
      blocks_(table, index) {}

Status EntryWalk::Next() {
  if (in_blocks_) {
    previous_key_.swap(key_);
    BASALT_RETURN_IF_ERROR(blocks_.Next());
    return ShowPosting();
  }
  BASALT_RETURN_IF_ERROR(entries_.Next());
  if (!IsFullText(*table_.index(index_).codec)) return Status::Ok();
  codec::PostingKey posting;
  if (!DecodePostingKey(table_.index(index_), entries_.key(), &posting)) return Status::Ok();
  // Blocks and rows that have changed come behind all entries of single rows.
  if (posting.kind >= codec::PostingKind::kBlock) return BeginBlocks();
  if (posting.kind == codec::PostingKind::kDocument) AddMark(posting.document);
  return Status::Ok();
}

void EntryWalk::AddMark(Bytes document) {
  codec::DocumentValue own;
  if (!codec::DecodeDocumentValue(entries_.value(), &own) || !own.in_blocks) return;
  marks_ += Places(document, own.words);
}

Status EntryWalk::BeginBlocks() {
  in_blocks_ = true;
  BASALT_RETURN_IF_ERROR(blocks_.BindTo(transaction_, /*fill_cache=*/false));
  BASALT_RETURN_IF_ERROR(blocks_.SeekTo({}, {}));
  return ShowPosting();
}

Status EntryWalk::ShowPosting() {
  if (!blocks_.valid()) return Status(Code::kEndOfRange);
  key_.clear();
  codec::AppendPostingHead(table_.index(index_).id.number, codec::PostingKind::kWord, &key_);
  key_.append(blocks_.word()).append(blocks_.document());
  marks_ -= Places(blocks_.document(), codec::CountPositions(blocks_.positions()));
  return Status::Ok();
}

}  // namespace basalt::engine
