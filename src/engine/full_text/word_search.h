// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/document_words.h"
#include "engine/full_text/phrase_match.h"
#include "engine/full_text/posting_source.h"
#include "engine/full_text/search_query.h"
#include "engine/full_text/search_term.h"
#include "engine/full_text/word_weights.h"

namespace basalt::engine {

// What a search has found.
struct SearchHit {
  std::string document;
  float rank = 0;
};

// Finds the rows that match a full-text query, in the order of their documents, with their ranks.
// It goes through the postings of all words side by side. One thread.
class WordSearch {
 public:
  // Borrows its arguments. `all_words` has all words of rows (codec::DocumentWords::Which::kAll),
  // for phrases with words that the index leaves out. `memory` is what the search may take.
  WordSearch(PostingSource* source, codec::DocumentWords* all_words, const SearchMemory& memory,
             RankFormula formula = RankFormula::kInnoDb)
      : source_(source), all_words_(all_words), memory_(memory), weights_(formula) {}

  // Counts how many rows have each word. The query lives as long as the search.
  Status Begin(const QueryNode* query);

  // Ranks rows as that search of the same query does, which has begun in another view.
  void RankAs(const WordSearch& other);
  // Back to before the first row.
  void Rewind() { next_.clear(); }

  // The next row that matches; kEndOfRange when there is none.
  Status Next(SearchHit* hit);
  // The rank of any row, never 0 where *matches says that it is a match. Leaves Next where it is.
  Status RankOf(Bytes document, bool* matches, float* rank);

 private:
  // A node of the query and what it asks the index for.
  struct Node {
    const QueryNode* query = nullptr;
    std::vector<size_t> terms;  // in terms_; of a phrase one a word
    std::vector<Node> children;
  };
  // What of a document has been found to match.
  struct Match {
    bool matches = false;
    float change = 0;  // of the rank, by operators
  };

  Status Plan(const QueryNode& query, SearchMemory* memory, Node* node);
  Status PlanTerm(const QueryWord& word, const codec::WordBeginning* beginning,
                  SearchMemory* memory, Node* node);

  // The first document at or behind *document that may match; *found says whether there is one.
  Status Advance(const Node& node, std::string* document, bool* found);
  Status AdvanceTerm(size_t term, std::string* document, bool* found);
  Status AdvancePhrase(const Node& node, std::string* document, bool* found);
  Status AdvanceList(const Node& node, std::string* document, bool* found);
  Status AdvanceToAny(const Node& node, std::string* document, bool* found);

  Status Look(const Node& node, Bytes document, Match* match);
  Status LookAtTerm(size_t term, Bytes document, bool* matches);
  Status LookAtPhrase(const Node& node, Bytes document, bool* matches);
  Status LookAtList(const Node& node, Bytes document, Match* match);
  Status FindPlaces(const Node& node, Bytes document);
  Status ReadPlaces(Bytes positions, std::vector<codec::WordPosition>* places);
  Status Rank(Bytes document, float change, float* rank);

  PostingSource* source_;
  codec::DocumentWords* all_words_;
  SearchMemory memory_;
  WordWeights weights_;
  Node root_;
  std::vector<SearchTerm> terms_;                  // in the order in which the query names them
  std::unordered_map<std::string, size_t> known_;  // the same by image: words may be named twice
  std::vector<size_t> found_;                      // those that the document at hand matches by
  PhrasePlaces places_;
  std::string next_;  // where Next goes on
};

}  // namespace basalt::engine
