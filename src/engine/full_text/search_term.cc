// SPDX-License-Identifier: GPL-2.0-only
#include "engine/full_text/search_term.h"

#include <algorithm>
#include <cmath>

#include "codec/posting.h"

namespace basalt::engine {

Status SearchTerm::Begin(const QueryWord& word, const codec::WordBeginning* beginning,
                         size_t most_bytes, PostingSource* source) {
  if (beginning != nullptr) {
    collected_ = std::make_unique<CollectedPostings>(most_bytes);
    BASALT_RETURN_IF_ERROR(collected_->Collect(*beginning, source));
    documents_ = collected_->size();
    return Status::Ok();
  }
  if (!word.in_index) return Status::Ok();
  BASALT_RETURN_IF_ERROR(source->NewCursor(word.image, &cursor_));
  return CountDocuments();
}

Status SearchTerm::CountDocuments() {
  BASALT_RETURN_IF_ERROR(cursor_->SeekTo(Bytes()));
  while (cursor_->valid()) {
    ++documents_;
    BASALT_RETURN_IF_ERROR(cursor_->Next());
  }
  return Status::Ok();
}

Status SearchTerm::SeekTo(Bytes document) {
  if (collected_ != nullptr) {
    at_ = collected_->Find(document);
    return Status::Ok();
  }
  if (cursor_ == nullptr) return Status::Ok();
  const bool is_behind = has_reached_ && Bytes(reached_) <= document;
  if (is_behind && (!cursor_->valid() || document <= cursor_->document())) return Status::Ok();
  BASALT_RETURN_IF_ERROR(cursor_->SeekTo(document));
  reached_.assign(document);
  has_reached_ = true;
  return Status::Ok();
}

bool SearchTerm::valid() const {
  if (collected_ != nullptr) return at_ < collected_->size();
  return cursor_ != nullptr && cursor_->valid();
}

Bytes SearchTerm::document() const {
  return collected_ != nullptr ? collected_->document(at_) : cursor_->document();
}

Status SearchTerm::CountPlaces(uint64_t* places) const {
  *places = collected_ != nullptr ? collected_->frequency(at_)
                                  : codec::CountPositions(cursor_->positions());
  if (*places != 0) return Status::Ok();
  return Status(Code::kCorruption, "an entry of a FULLTEXT index has a malformed value");
}

// The smallest weight is that of a word in all rows, so that a row with it has some rank. A word
// in none may be that of a row in another view.
void SearchTerm::SetRows(uint64_t rows) {
  constexpr double kOfAllRows = 1.0001;
  const uint64_t documents = std::max<uint64_t>(1, documents_);
  const double share = static_cast<double>(rows) / static_cast<double>(documents);
  rarity_ = std::log10(rows <= documents ? kOfAllRows : share);
}

double SearchTerm::WeightOf(uint64_t places) const {
  return static_cast<double>(places) * rarity_ * rarity_;
}

}  // namespace basalt::engine
