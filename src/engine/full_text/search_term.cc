// SPDX-License-Identifier: GPL-2.0-only
#include "engine/full_text/search_term.h"

#include "codec/posting.h"
#include "engine/full_text/document_search.h"

namespace basalt::engine {

Status SearchTerm::Begin(const QueryWord& word, const codec::WordBeginning* beginning,
                         SearchMemory* memory, PostingSource* source) {
  if (beginning != nullptr) {
    collected_ = std::make_unique<CollectedPostings>(memory->of_each_beginning);
    BASALT_RETURN_IF_ERROR(collected_->Collect(*beginning, source));
    documents_ = collected_->size();
    return Status::Ok();
  }
  if (!word.in_index) return Status::Ok();
  BASALT_RETURN_IF_ERROR(source->NewCursor(word.image, &cursor_));
  return CountDocuments(memory);
}

Status SearchTerm::CountDocuments(SearchMemory* memory) {
  kept_.emplace();
  BASALT_RETURN_IF_ERROR(cursor_->SeekTo(Bytes()));
  while (cursor_->valid()) {
    ++documents_;
    if (kept_) kept_->Add(cursor_->document(), cursor_->positions());
    if (kept_ && kept_->bytes() > memory->of_words) kept_.reset();
    BASALT_RETURN_IF_ERROR(cursor_->Next());
  }
  if (!kept_) return Status::Ok();
  memory->of_words -= kept_->bytes();
  cursor_.reset();
  return Status::Ok();
}

Status SearchTerm::SeekTo(Bytes document) {
  if (collected_ != nullptr) {
    at_ = FindDocument(*collected_, document, at_);
  } else if (kept_) {
    at_ = FindDocument(*kept_, document, at_);
  } else if (cursor_ != nullptr) {
    return MoveCursor(document);
  }
  return Status::Ok();
}

Status SearchTerm::MoveCursor(Bytes document) {
  const bool is_behind = has_reached_ && Bytes(reached_) <= document;
  if (is_behind && StandsBehind(document)) return Status::Ok();
  if (is_behind) BASALT_RETURN_IF_ERROR(StepTo(document));
  if (!is_behind || !StandsBehind(document)) BASALT_RETURN_IF_ERROR(cursor_->SeekTo(document));
  reached_.assign(document);
  has_reached_ = true;
  return Status::Ok();
}

bool SearchTerm::StandsBehind(Bytes document) const {
  return !cursor_->valid() || document <= cursor_->document();
}

// The next document of a frequent word is mostly near, and a step costs a fraction of a seek. May
// end in front of the document.
Status SearchTerm::StepTo(Bytes document) {
  constexpr int kSteps = 8;
  for (int step = 0; step < kSteps && !StandsBehind(document); ++step) {
    BASALT_RETURN_IF_ERROR(cursor_->Next());
  }
  return Status::Ok();
}

bool SearchTerm::valid() const {
  if (collected_ != nullptr) return at_ < collected_->size();
  if (kept_) return at_ < kept_->size();
  return cursor_ != nullptr && cursor_->valid();
}

Bytes SearchTerm::document() const {
  if (collected_ != nullptr) return collected_->document(at_);
  return kept_ ? kept_->document(at_) : cursor_->document();
}

Status SearchTerm::CountPlaces(uint64_t* places) const {
  *places = collected_ != nullptr ? collected_->frequency(at_) : codec::CountPositions(positions());
  if (*places != 0) return Status::Ok();
  return Status(Code::kCorruption, "an entry of a FULLTEXT index has a malformed value");
}

}  // namespace basalt::engine
