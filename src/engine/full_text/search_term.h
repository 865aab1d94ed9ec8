// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/status.h"
#include "engine/full_text/collected_postings.h"
#include "engine/full_text/kept_postings.h"
#include "engine/full_text/posting_source.h"
#include "engine/full_text/search_query.h"

namespace basalt::engine {

// Bytes of memory that a search may take for what it has read.
struct SearchMemory {
  size_t of_each_beginning = 0;  // for the rows of a `word*`, which has to lie in memory
  size_t of_words = 0;           // for the postings of all words together, which may
};

// What a search asks the index for: a word, or the words with a common beginning. It knows how
// many documents have it, and stands at one of these. One thread.
class SearchTerm {
 public:
  // Counts the documents, in the view of the source. `beginning` is null for a word; a word that
  // the index leaves out has none. What it has read of a word it keeps if the memory lasts, takes
  // that off memory->of_words, and reads nothing more. kOutOfMemory when a beginning needs more
  // than it may.
  Status Begin(const QueryWord& word, const codec::WordBeginning* beginning, SearchMemory* memory,
               PostingSource* source);

  // Goes to the first document that is `document` or comes behind it; without a read when it
  // stands there already.
  Status SeekTo(Bytes document);

  bool valid() const;
  Bytes document() const;
  // Of a word, where it stands in the document.
  Bytes positions() const { return kept_ ? kept_->positions(at_) : cursor_->positions(); }
  // How often it stands in the document. kCorruption when the posting is malformed.
  Status CountPlaces(uint64_t* places) const;

  uint64_t documents() const { return documents_; }
  // How rare it is: see WordWeights.
  double rarity() const { return rarity_; }
  void SetRarity(double rarity) { rarity_ = rarity; }

 private:
  Status CountDocuments(SearchMemory* memory);
  Status MoveCursor(Bytes document);
  Status StepTo(Bytes document);
  // Is the cursor at the document or behind it?
  bool StandsBehind(Bytes document) const;

  // One of these; none for a word that the index leaves out.
  std::unique_ptr<PostingCursor> cursor_;         // of a word
  std::optional<KeptPostings> kept_;              // of a word
  std::unique_ptr<CollectedPostings> collected_;  // of a beginning
  size_t at_ = 0;                                 // in kept_ or collected_
  uint64_t documents_ = 0;
  double rarity_ = 0;
  // No document lies from here up to the one that the cursor stands at.
  std::string reached_;
  bool has_reached_ = false;
};

}  // namespace basalt::engine
