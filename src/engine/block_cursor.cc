// SPDX-License-Identifier: GPL-2.0-only
#include "engine/block_cursor.h"

#include "engine/database.h"
#include "engine/entry_name.h"
#include "engine/posting_key.h"
#include "txn/transaction.h"
#include "txn/write_set.h"

namespace basalt::engine {
namespace {

std::string KeyOf(const Table& table, size_t index, codec::PostingKind kind, Bytes word,
                  Bytes document) {
  std::string key;
  codec::AppendPostingHead(table.index(index).id.number, kind, &key);
  return key.append(word).append(document);
}

// Of the key of a row that is superseded.
Bytes RowOf(Bytes key) { return key.substr(codec::kPostingHeadBytes); }

}  // namespace

BlockCursor::BlockCursor(const Table& table, size_t index)
    : table_(table),
      index_(index),
      blocks_(table.database()->store()->base(), table.index(index).family,
              table.index(index).reverse, table.index(index).id,
              table.database()->transactions()->idle_cursors()),
      superseded_(table.database()->store()->base(), table.index(index).family,
                  table.index(index).reverse, table.index(index).id,
                  table.database()->transactions()->idle_cursors()) {}

Status BlockCursor::Bind(const rocksdb::Snapshot* snapshot, txn::WriteSet* writes,
                         bool fill_cache) {
  writes_ = writes;
  BASALT_RETURN_IF_ERROR(blocks_.Bind(snapshot, writes, fill_cache));
  return superseded_.Bind(snapshot, writes, fill_cache);
}

Status BlockCursor::BindTo(txn::Transaction* transaction, bool fill_cache) {
  return Bind(transaction->snapshot().ForReads(),
              &transaction->writes().Of(table_.index(index_).family), fill_cache);
}

// A search goes forward most often, and then the posting is in the block at hand.
Status BlockCursor::SeekTo(Bytes word, Bytes document) {
  if (!IsAhead(word, document)) {
    target_ = KeyOf(table_, index_, codec::PostingKind::kBlock, word, document);
    blocks_.SeekForward(target_);
    BASALT_RETURN_IF_ERROR(OpenBlock());
  }
  while (valid() && key_.word == word && block_->document() < document) {
    BASALT_RETURN_IF_ERROR(Step());
  }
  return ToPresent();
}

// Is the target at the posting at hand or behind it, in the same block?
bool BlockCursor::IsAhead(Bytes word, Bytes document) const {
  return valid() && key_.word == word && block_->document() <= document &&
         document <= key_.document;
}

Status BlockCursor::Next() {
  BASALT_RETURN_IF_ERROR(Step());
  return ToPresent();
}

// To the first posting of the block that blocks_ stands at.
Status BlockCursor::OpenBlock() {
  block_.reset();
  if (!blocks_.Valid()) return blocks_.status();
  if (!DecodePostingKey(table_.index(index_), blocks_.key(), &key_)) {
    return MalformedEntry(table_, index_, blocks_.key());
  }
  if (key_.kind != codec::PostingKind::kBlock) return Status::Ok();  // behind all blocks
  block_.emplace(blocks_.value(), key_.document);
  return Step();
}

// To the next posting, whether it is void or not.
Status BlockCursor::Step() {
  if (block_->Next()) return Status::Ok();
  if (block_->failed()) return MalformedEntry(table_, index_, blocks_.key());
  blocks_.Next();
  return OpenBlock();
}

// From a posting that is void to the first one that is not.
Status BlockCursor::ToPresent() {
  while (valid()) {
    bool superseded = false;
    BASALT_RETURN_IF_ERROR(IsSuperseded(block_->document(), &superseded));
    if (!superseded) break;
    BASALT_RETURN_IF_ERROR(Step());
  }
  return Status::Ok();
}

// Documents are asked for in ascending order mostly, and few of them are superseded: then each
// costs a comparison.
Status BlockCursor::IsSuperseded(Bytes document, bool* superseded) {
  if (!KnowsSuperseded(document)) {
    target_ = KeyOf(table_, index_, codec::PostingKind::kSuperseded, {}, document);
    superseded_.SeekForward(target_);
    if (!superseded_.Valid()) BASALT_RETURN_IF_ERROR(superseded_.status());
    superseded_from_ = document;
    superseded_version_ = VersionOf(writes_);
  }
  *superseded = superseded_.Valid() && RowOf(superseded_.key()) == document;
  return Status::Ok();
}

bool BlockCursor::KnowsSuperseded(Bytes document) const {
  return superseded_from_.has_value() && *superseded_from_ <= document &&
         superseded_version_ == VersionOf(writes_) &&
         (!superseded_.Valid() || document <= RowOf(superseded_.key()));
}

}  // namespace basalt::engine
