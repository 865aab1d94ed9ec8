// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/table_postings.h"

#include "codec/posting_encoder.h"
#include "engine/database.h"
#include "engine/entry_name.h"

namespace basalt::engine {

// A cursor over keys with one beginning: that of all postings of a word.
class TablePostings::WordCursor final : public PostingCursor {
 public:
  WordCursor(TablePostings* postings, std::unique_ptr<txn::Cursor> cursor, std::string beginning)
      : postings_(postings), cursor_(std::move(cursor)), beginning_(std::move(beginning)) {}

  Status SeekTo(Bytes document) override {
    target_.assign(beginning_).append(document);
    cursor_->SeekForward(target_);
    return Look();
  }
  Status Next() override {
    cursor_->Next();
    return Look();
  }
  bool valid() const override { return valid_; }
  Bytes document() const override { return cursor_->key().substr(beginning_.size()); }
  Bytes positions() const override { return cursor_->value(); }

 private:
  Status Look() {
    valid_ = cursor_->Valid() && cursor_->key().substr(0, beginning_.size()) == beginning_;
    return postings_->StatusOf(*cursor_);
  }

  TablePostings* const postings_;
  const std::unique_ptr<txn::Cursor> cursor_;
  const std::string beginning_;
  std::string target_;
  bool valid_ = false;
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
  *cursor = std::make_unique<WordCursor>(this, std::move(entries),
                                         BeginningOf(codec::PostingKind::kWord, image));
  return Status::Ok();
}

Status TablePostings::VisitWords(const std::string& range, PostingVisitor* visitor) {
  const Table& table = context_->table();
  const size_t levels = columns_[0].collation->levels().size();
  const std::string beginning = BeginningOf(codec::PostingKind::kWord, range);
  std::unique_ptr<txn::Cursor> entries;
  BASALT_RETURN_IF_ERROR(NewCursorOf(index_, &entries));
  for (entries->SeekForward(beginning);; entries->Next()) {
    BASALT_RETURN_IF_ERROR(StatusOf(*entries));
    if (!entries->Valid() || entries->key().substr(0, beginning.size()) != beginning) break;
    codec::PostingKey posting;
    if (!DecodePostingKey(entries->key(), levels, &posting)) {
      return MalformedEntry(table, index_, entries->key());
    }
    BASALT_RETURN_IF_ERROR(visitor->Visit(posting.word, posting.document, entries->value()));
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
  if (codec::DecodeDocumentLength(entry.value(), words)) return Status::Ok();
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

Status TablePostings::StatusOf(const txn::Cursor& cursor) {
  if (!cursor.Valid()) return cursor.status();
  if (++moves_ % TaskProgress::kEntriesPerReport != 0 || progress_ == nullptr) return Status::Ok();
  return progress_->Report(moves_, 0) ? Status::Ok() : Status(Code::kInterrupted);
}

std::string TablePostings::BeginningOf(codec::PostingKind kind, Bytes rest) const {
  std::string beginning;
  AppendPostingHead(context_->table().index(index_).id.number, kind, &beginning);
  return beginning.append(rest);
}

}  // namespace basalt::engine
