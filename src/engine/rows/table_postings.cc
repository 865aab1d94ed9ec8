// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/table_postings.h"

#include <optional>
#include <utility>

#include "codec/posting_encoder.h"
#include "engine/database.h"
#include "engine/entry_name.h"
#include "engine/posting_key.h"

namespace basalt::engine {

// The postings of a word: those in blocks, and those that have entries of their own. No document
// has both.
class TablePostings::WordCursor final : public PostingCursor {
 public:
  WordCursor(TablePostings* postings, std::unique_ptr<txn::Cursor> entries,
             const std::string& image)
      : postings_(postings),
        entries_(std::move(entries)),
        blocks_(postings->context_->table(), postings->index_),
        image_(image),
        beginning_(postings->BeginningOf(codec::PostingKind::kWord, image)) {}

  Status Bind() { return postings_->BindBlocks(&blocks_); }

  Status SeekTo(Bytes document) override {
    if (!StandsAt(document)) {
      target_.assign(beginning_).append(document);
      entries_->SeekForward(target_);
      BASALT_RETURN_IF_ERROR(LookAtEntry());
      entries_from_ = document;
      version_ = postings_->WritesVersion();
    }
    BASALT_RETURN_IF_ERROR(blocks_.SeekTo(image_, document));
    return Choose();
  }
  Status Next() override {
    // What has been written since may be next, or may be no more.
    if (version_ != postings_->WritesVersion()) return SeekTo(std::string(document()) + '\0');
    if (in_block_) {
      BASALT_RETURN_IF_ERROR(blocks_.Next());
    } else {
      entries_->Next();
      entries_from_.reset();
      BASALT_RETURN_IF_ERROR(LookAtEntry());
    }
    return Choose();
  }
  bool valid() const override { return in_block_ || has_entry_; }
  Bytes document() const override { return in_block_ ? blocks_.document() : EntryDocument(); }
  Bytes positions() const override { return in_block_ ? blocks_.positions() : entries_->value(); }

 private:
  Bytes EntryDocument() const { return entries_->key().substr(beginning_.size()); }

  // Is the first entry at or behind the document the one at hand? A word may have few entries and
  // many postings in blocks.
  bool StandsAt(Bytes document) const {
    return entries_from_.has_value() && *entries_from_ <= document &&
           version_ == postings_->WritesVersion() && (!has_entry_ || document <= EntryDocument());
  }
  Status LookAtEntry() {
    has_entry_ = entries_->Valid() && entries_->key().substr(0, beginning_.size()) == beginning_;
    return postings_->StatusOf(*entries_);
  }
  // The first of the two.
  Status Choose() {
    const bool has_block = blocks_.valid() && blocks_.word() == image_;
    in_block_ = has_block && (!has_entry_ || blocks_.document() < EntryDocument());
    return in_block_ ? postings_->GoOn() : Status::Ok();
  }

  TablePostings* const postings_;
  const std::unique_ptr<txn::Cursor> entries_;
  BlockCursor blocks_;
  const std::string image_;
  const std::string beginning_;
  std::string target_;
  uint64_t version_ = 0;  // of the transaction's writes, at the last seek of entries_
  // Where that was: entries_ stands at the first entry not before it.
  std::optional<std::string> entries_from_;
  bool has_entry_ = false;
  bool in_block_ = false;
};

TablePostings::TablePostings(RowContext* context, size_t index, TaskProgress* progress)
    : context_(context), index_(index), progress_(progress), row_(&context->table()) {
  const Table& table = context->table();
  if (context->ScansLatest()) {
    latest_ = table.database()->store()->base()->GetSnapshot();
    snapshot_ = latest_;
  } else {
    snapshot_ = context->transaction()->snapshot().ForReads();
  }
  for (const codec::KeyPart& part : table.descriptor().indexes[index].parts) {
    columns_.push_back(table.descriptor().columns[part.column]);
  }
}

TablePostings::~TablePostings() {
  if (latest_ == nullptr) return;
  context_->table().database()->store()->base()->ReleaseSnapshot(latest_);
}

Status TablePostings::NewCursor(const std::string& image, std::unique_ptr<PostingCursor>* cursor) {
  std::unique_ptr<txn::Cursor> entries;
  BASALT_RETURN_IF_ERROR(NewCursorOf(index_, &entries));
  auto made = std::make_unique<WordCursor>(this, std::move(entries), image);
  BASALT_RETURN_IF_ERROR(made->Bind());
  *cursor = std::move(made);
  return Status::Ok();
}

Status TablePostings::VisitWords(const std::string& range, PostingVisitor* visitor) {
  BASALT_RETURN_IF_ERROR(VisitEntries(range, visitor));
  return VisitBlocks(range, visitor);
}

Status TablePostings::VisitEntries(const std::string& range, PostingVisitor* visitor) {
  const Table& table = context_->table();
  const std::string beginning = BeginningOf(codec::PostingKind::kWord, range);
  std::unique_ptr<txn::Cursor> entries;
  BASALT_RETURN_IF_ERROR(NewCursorOf(index_, &entries));
  for (entries->SeekForward(beginning);; entries->Next()) {
    BASALT_RETURN_IF_ERROR(StatusOf(*entries));
    if (!entries->Valid() || entries->key().substr(0, beginning.size()) != beginning) break;
    codec::PostingKey posting;
    if (!DecodePostingKey(table.index(index_), entries->key(), &posting)) {
      return MalformedEntry(table, index_, entries->key());
    }
    BASALT_RETURN_IF_ERROR(visitor->Visit(posting.word, posting.document, entries->value()));
  }
  return Status::Ok();
}

Status TablePostings::VisitBlocks(const std::string& range, PostingVisitor* visitor) {
  BlockCursor blocks(context_->table(), index_);
  BASALT_RETURN_IF_ERROR(BindBlocks(&blocks));
  BASALT_RETURN_IF_ERROR(blocks.SeekTo(range, {}));
  while (blocks.valid() && blocks.word().starts_with(range)) {
    BASALT_RETURN_IF_ERROR(GoOn());
    BASALT_RETURN_IF_ERROR(visitor->Visit(blocks.word(), blocks.document(), blocks.positions()));
    BASALT_RETURN_IF_ERROR(blocks.Next());
  }
  return Status::Ok();
}

// What a transaction counts among its own writes is nobody else's number.
Status TablePostings::Count(TextTotals* totals) {
  const Index& data = context_->table().index(index_);
  const CountedTexts::View view = View();
  if (const auto known = data.texts->Recall(view)) {
    *totals = *known;
    return Status::Ok();
  }
  BASALT_RETURN_IF_ERROR(CountEntries(totals));
  if (context_->transaction()->writes().Of(data.family).empty()) {
    data.texts->Remember(*totals, view);
  }
  return Status::Ok();
}

CountedTexts::View TablePostings::View() const {
  const Table& table = context_->table();
  return {snapshot_->GetSequenceNumber(), snapshot_->GetUnixTime(), table.statistics().Changes(),
          table.counters().loads()};
}

Status TablePostings::CountEntries(TextTotals* totals) {
  *totals = {};
  const std::string beginning = BeginningOf(codec::PostingKind::kDocument, Bytes());
  std::unique_ptr<txn::Cursor> entries;
  BASALT_RETURN_IF_ERROR(NewCursorOf(index_, &entries));
  for (entries->SeekForward(beginning);; entries->Next()) {
    BASALT_RETURN_IF_ERROR(StatusOf(*entries));
    if (!entries->Valid() || entries->key().substr(0, beginning.size()) != beginning) break;
    uint64_t words = 0;
    BASALT_RETURN_IF_ERROR(ReadLength(*entries, &words));
    ++totals->rows;
    totals->words += words;
  }
  return Status::Ok();
}

// From the entry that the cursor stands at.
Status TablePostings::ReadLength(const txn::Cursor& entry, uint64_t* words) const {
  codec::DocumentValue document;
  if (codec::DecodeDocumentValue(entry.value(), &document)) {
    *words = document.words;
    return Status::Ok();
  }
  return MalformedEntry(context_->table(), index_, entry.key());
}

Status TablePostings::FindLength(Bytes document, uint64_t* words) {
  *words = 0;
  if (lengths_ == nullptr) BASALT_RETURN_IF_ERROR(NewCursorOf(index_, &lengths_));
  const std::string key = BeginningOf(codec::PostingKind::kDocument, document);
  lengths_->SeekForward(key);
  BASALT_RETURN_IF_ERROR(StatusOf(*lengths_));
  return lengths_->Valid() && lengths_->key() == key ? ReadLength(*lengths_, words) : Status::Ok();
}

Status TablePostings::ReadRow(Bytes document, codec::DocumentWords* words) {
  const Table& table = context_->table();
  std::string row_key;
  AppendBigEndian32(&row_key, table.primary().id.number);
  row_key.append(document);
  if (rows_ == nullptr) BASALT_RETURN_IF_ERROR(NewCursorOf(table.primary_position(), &rows_));
  rows_->SeekForward(row_key);
  BASALT_RETURN_IF_ERROR(StatusOf(*rows_));
  if (!rows_->Valid() || rows_->key() != row_key) return context_->EntryWithoutRow(index_, row_key);
  const codec::ColumnSet all = codec::ColumnSet::All(table.descriptor().columns.size());
  BASALT_RETURN_IF_ERROR(row_.Decode(all, rows_->key(), rows_->value()));
  if (table.has_virtual_parts()) context_->virtual_columns()->ComputeAll(row_.record());
  return FindRowWords(columns_, row_.record(), words);
}

Status TablePostings::NewCursorOf(size_t index, std::unique_ptr<txn::Cursor>* cursor) {
  const Index& data = context_->table().index(index);
  const Database* database = context_->table().database();
  *cursor = std::make_unique<txn::Cursor>(database->store()->base(), data.family, data.reverse,
                                          data.id, database->transactions()->idle_cursors());
  return (*cursor)->Bind(snapshot_, &context_->transaction()->writes().Of(data.family));
}

uint64_t TablePostings::WritesVersion() const {
  const Index& data = context_->table().index(index_);
  return txn::VersionOf(&context_->transaction()->writes().Of(data.family));
}

Status TablePostings::BindBlocks(BlockCursor* blocks) {
  const Index& data = context_->table().index(index_);
  return blocks->Bind(snapshot_, &context_->transaction()->writes().Of(data.family),
                      /*fill_cache=*/true);
}

Status TablePostings::StatusOf(const txn::Cursor& cursor) {
  return cursor.Valid() ? GoOn() : cursor.status();
}

Status TablePostings::GoOn() {
  if (++moves_ % TaskProgress::kEntriesPerReport != 0 || progress_ == nullptr) return Status::Ok();
  return progress_->Report(moves_, 0) ? Status::Ok() : Status(Code::kInterrupted);
}

std::string TablePostings::BeginningOf(codec::PostingKind kind, Bytes rest) const {
  std::string beginning;
  AppendPostingHead(context_->table().index(index_).id.number, kind, &beginning);
  return beginning.append(rest);
}

}  // namespace basalt::engine
