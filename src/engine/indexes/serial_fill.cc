// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/serial_fill.h"

#include <algorithm>
#include <utility>

#include "engine/entry_name.h"
#include "engine/indexes/index_walk.h"

namespace basalt::engine {

SerialFill::SerialFill(const Source& source, NewRow* row, txn::BulkLoad* load,
                       TaskProgress* progress)
    : source_(source), row_(row), load_(load), progress_(progress) {
  const auto is_full_text = [](const NewIndex& index) { return IsFullText(*index.codec); };
  const auto count = static_cast<size_t>(
      std::count_if(source_.indexes.begin(), source_.indexes.end(), is_full_text));
  for (size_t i = 0; i < source_.indexes.size(); ++i) {
    const NewIndex& index = source_.indexes[i];
    const PostingLoad::Target target{
        .load = load_, .index = i, .index_number = index.id.number, .full_text_indexes = count};
    postings_.push_back(is_full_text(index) ? std::make_unique<PostingLoad>(target) : nullptr);
  }
}

Status SerialFill::Run() {
  BASALT_RETURN_IF_ERROR(ReadRows());
  return FinishWords();
}

Status SerialFill::ReadRows() {
  const Table& table = source_.table;
  const uint64_t expected = table.statistics().Rows() + 1;
  IndexWalk walk(table, table.primary_position(), source_.reader);
  Status status = walk.Next();
  for (uint64_t done = 1; status.ok(); status = walk.Next(), ++done) {
    if (done % TaskProgress::kEntriesPerReport == 0 && !progress_->Report(done, expected)) {
      return Status(Code::kInterrupted, "building an index was interrupted");
    }
    if (!source_.include_expired && walk.EntryHasExpired()) continue;
    BASALT_RETURN_IF_ERROR(AddRow(walk.key(), walk.value()));
  }
  if (status.code() == Code::kEndOfRange) return Status::Ok();
  return WithEntry(table, table.primary_position(), {}, std::move(status));
}

Status SerialFill::AddRow(Bytes key, Bytes value) {
  Status decoded = row_->Decode(key, value);
  if (decoded.code() == Code::kCorruption && source_.skip_undecodable) return Status::Ok();
  if (!decoded.ok()) {
    return WithEntry(source_.table, source_.table.primary_position(), key, std::move(decoded));
  }
  BASALT_RETURN_IF_ERROR(AddEntries());
  progress_->work().rows_read.Add(1);
  ++rows_;
  return Status::Ok();
}

Status SerialFill::AddEntries() {
  for (size_t i = 0; i < source_.indexes.size(); ++i) {
    if (postings_[i] != nullptr) {
      BASALT_RETURN_IF_ERROR(AddWords(i));
      continue;
    }
    BASALT_RETURN_IF_ERROR(row_->Encode(source_.indexes[i]));
    for (size_t entry = 0; entry < row_->size(); ++entry) {
      const Bytes key = row_->key(entry);
      const Bytes value = row_->value(entry);
      BASALT_RETURN_IF_ERROR(load_->Add(i, key, value));
      progress_->work().bytes_written.Add(key.size() + value.size());
    }
  }
  return Status::Ok();
}

Status SerialFill::AddWords(size_t index) {
  codec::PostingEncoder* words = nullptr;
  BASALT_RETURN_IF_ERROR(row_->TakeWords(source_.indexes[index], &words));
  const uint64_t before = postings_[index]->bytes();
  BASALT_RETURN_IF_ERROR(postings_[index]->Add(words));
  progress_->work().bytes_written.Add(postings_[index]->bytes() - before);
  return Status::Ok();
}

Status SerialFill::FinishWords() {
  for (const auto& postings : postings_) {
    if (postings == nullptr) continue;
    const uint64_t before = postings->bytes();
    BASALT_RETURN_IF_ERROR(postings->Finish());
    progress_->work().bytes_written.Add(postings->bytes() - before);
  }
  return Status::Ok();
}

}  // namespace basalt::engine
