// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "codec/document_words.h"
#include "engine/full_text/posting_source.h"
#include "engine/full_text/search_query.h"
#include "engine/full_text/word_search.h"

namespace basalt::engine {

// WITH QUERY EXPANSION: a query whose words are joined by those of the rows that it finds first.
// One thread.
class QueryExpansion {
 public:
  // Borrows its arguments. `index_words` has the words of rows that the index has (kOfIndex).
  // `rows`: of how many rows at most, those with the highest ranks, words are taken.
  QueryExpansion(PostingSource* source, codec::DocumentWords* index_words, size_t rows)
      : source_(source), index_words_(index_words), rows_(rows) {}

  // Searches with `search` and adds the words to the natural query; `search` must begin anew.
  Status Expand(WordSearch* search, QueryNode* query);

 private:
  Status FindBest(WordSearch* search, std::vector<SearchHit>* best) const;
  Status AddWordsOf(const SearchHit& hit, QueryNode* query);

  PostingSource* source_;
  codec::DocumentWords* index_words_;
  size_t rows_;
};

}  // namespace basalt::engine
