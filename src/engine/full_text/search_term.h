// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/status.h"
#include "engine/full_text/collected_postings.h"
#include "engine/full_text/posting_source.h"
#include "engine/full_text/search_query.h"

namespace basalt::engine {

// What a search asks the index for: a word, or the words with a common beginning. It knows how
// many documents have it, and stands at one of these. One thread.
class SearchTerm {
 public:
  // Counts the documents, in the view of the source. `node` is a word or a beginning; a word that
  // the index leaves out has none. kOutOfMemory when a beginning needs more than `most_bytes`.
  Status Begin(const QueryWord& word, const codec::WordBeginning* beginning, size_t most_bytes,
               PostingSource* source);

  // Goes to the first document that is `document` or comes behind it; without a read when it
  // stands there already.
  Status SeekTo(Bytes document);

  bool valid() const;
  Bytes document() const;
  // Of a word, where it stands in the document.
  Bytes positions() const { return cursor_->positions(); }
  // How often it stands in the document. kCorruption when the posting is malformed.
  Status CountPlaces(uint64_t* places) const;

  uint64_t documents() const { return documents_; }
  // Rows in all, which its weight depends on: docs/decisions/full-text.md.
  void SetRows(uint64_t rows);
  // Weighs as that term of another view does, however many documents there are here.
  void WeighAs(const SearchTerm& other) { rarity_ = other.rarity_; }
  // What a document gets that has it so often.
  double WeightOf(uint64_t places) const;

 private:
  Status CountDocuments();

  std::unique_ptr<PostingCursor> cursor_;         // of a word that the index has
  std::unique_ptr<CollectedPostings> collected_;  // of a beginning
  size_t at_ = 0;                                 // in collected_
  uint64_t documents_ = 0;
  double rarity_ = 0;
  // No document lies from here up to the one it stands at.
  std::string reached_;
  bool has_reached_ = false;
};

}  // namespace basalt::engine
