// SPDX-License-Identifier: GPL-2.0-only
#include "unit/engine/full_text/memory_postings.h"

namespace basalt::test {

namespace {

Status Fill(const MemoryPostings::Row& row, codec::DocumentWords* words) {
  words->Begin();
  for (const std::optional<std::string>& text : row) {
    if (!text) {
      words->SkipColumn();
      continue;
    }
    BASALT_RETURN_IF_ERROR(words->AddColumn(*text));
  }
  words->Finish();
  return Status::Ok();
}

}  // namespace

TestLanguage::TestLanguage()
    : parser_(&characters_), collation_(FakeCollationByName("letters_ci")), rules_(3, 10) {
  for (const char* word : {"the", "and", "for"}) {
    rules_.AddStopWord(codec::WordImages(collation_).Of(word));
  }
}

class MemoryPostings::Cursor final : public engine::PostingCursor {
 public:
  Cursor(const List* list, size_t* steps) : list_(list), at_(list->end()), steps_(steps) {}

  Status SeekTo(Bytes document) override {
    ++*steps_;
    at_ = list_->lower_bound(document);
    return Status::Ok();
  }
  Status Next() override {
    ++*steps_;
    ++at_;
    return Status::Ok();
  }
  bool valid() const override { return at_ != list_->end(); }
  Bytes document() const override { return at_->first; }
  Bytes positions() const override { return at_->second; }

 private:
  const List* list_;
  List::const_iterator at_;
  size_t* steps_;
};

MemoryPostings::MemoryPostings(const TestLanguage* language)
    : words_(language->NewWords(codec::DocumentWords::Which::kOfIndex)) {}

void MemoryPostings::Add(const std::string& document, const Row& row) {
  rows_[document] = row;
  (void)Fill(row, &words_);
  lengths_[document] = words_.length();
  for (size_t i = 0; i < words_.size(); ++i) {
    postings_[std::string(words_.image(i))][document] = words_.positions(i);
  }
}

Status MemoryPostings::NewCursor(const std::string& image,
                                 std::unique_ptr<engine::PostingCursor>* cursor) {
  *cursor = std::make_unique<Cursor>(&postings_[image], &steps_);
  return Status::Ok();
}

Status MemoryPostings::VisitWords(const std::string& range, engine::PostingVisitor* visitor) {
  for (auto word = postings_.lower_bound(range); word != postings_.end(); ++word) {
    if (word->first.substr(0, range.size()) != range) break;
    for (const auto& [document, positions] : word->second) {
      BASALT_RETURN_IF_ERROR(visitor->Visit(word->first, document, positions));
    }
  }
  return Status::Ok();
}

Status MemoryPostings::Count(engine::TextTotals* totals) {
  *totals = {rows_.size(), 0};
  for (const auto& [document, length] : lengths_) totals->words += length;
  return Status::Ok();
}

Status MemoryPostings::FindLength(Bytes document, uint64_t* words) {
  const auto found = lengths_.find(document);
  *words = found == lengths_.end() ? 0 : found->second;
  return Status::Ok();
}

Status MemoryPostings::ReadRow(Bytes document, codec::DocumentWords* words) {
  ++rows_read_;
  return Fill(rows_.find(document)->second, words);
}

void MemoryPostings::Damage(const std::string& image) {
  for (auto& [document, positions] : postings_[image]) positions = std::string(1, '\0');
}

}  // namespace basalt::test
