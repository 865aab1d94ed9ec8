// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/column.h"
#include "codec/document_words.h"
#include "codec/word_scanner.h"
#include "codec/word_source.h"
#include "engine/full_text/posting_source.h"
#include "engine/full_text/row_postings.h"
#include "engine/full_text/search_query.h"
#include "engine/full_text/word_search.h"

namespace basalt::engine {

// A MATCH of a statement: its query, and what that finds in one index.
//
//   Parse once; then Begin, and Next or RankOf as often as wanted, and End; all that again.
//
// One thread. Between Begin and End it has cursors in the source, which it owns.
class TextSearch {
 public:
  enum class Mode : uint8_t { kNatural, kExpanded, kBoolean };

  // Rows whose words are added to a query with expansion: those with the highest ranks.
  static constexpr size_t kExpandedBy = 20;

  struct Index {
    std::shared_ptr<const codec::WordSource> words;
    const codec::CharacterTypes* characters = nullptr;  // of queries; borrowed
    std::vector<codec::Column> columns;                 // in the index's order
  };
  struct Options {
    Mode mode = Mode::kNatural;
    RankFormula formula = RankFormula::kInnoDb;
    // Rows with higher ranks come first, while what is found takes at most `hit_bytes`. Else, and
    // beyond that, they come as their documents do.
    bool by_rank = false;
    size_t hit_bytes = 0;
    SearchMemory memory;  // besides
  };

  TextSearch(Index index, const Options& options);

  // `text` is in the character set of the index. kInvalidArgument for a syntax error; or an error
  // of the parser.
  Status Parse(Bytes text);

  // Searches in this view. Errors are those of WordSearch::Begin; it is not running then.
  Status Begin(std::unique_ptr<PostingSource> source);
  bool running() const { return search_.has_value(); }
  // Lets go of the view. Without effect when it is not running.
  void End();

  // --- While it is running ---
  // Back to before the first row.
  void Rewind();
  // The next row that matches; kEndOfRange when there is none.
  Status Next(SearchHit* hit);
  // The rank of any row of the view; 0: it does not match.
  Status RankOf(Bytes document, float* rank);
  // The rank of the row in a record, which the view need not have; 0: it does not match. All
  // columns of the index are filled in.
  Status RankOfRow(const uint8_t* record, float* rank);

 private:
  Status Gather();

  const Index index_;
  const Options options_;
  QueryNode parsed_;
  QueryNode query_;  // with what an expansion adds
  codec::DocumentWords all_words_;
  std::unique_ptr<PostingSource> source_;
  std::optional<WordSearch> search_;
  RowPostings row_;
  std::vector<SearchHit> hits_;  // when has_hits_: all, by their ranks
  bool has_hits_ = false;
  bool is_sorted_ = false;  // hits_ is where Next looks
  size_t next_hit_ = 0;
};

}  // namespace basalt::engine
