// SPDX-License-Identifier: GPL-2.0-only
#include "engine/full_text/query_expansion.h"

#include <algorithm>
#include <string>
#include <utility>

namespace basalt::engine {

namespace {

// Higher ranks first, then as the documents come.
bool IsBetter(const SearchHit& a, const SearchHit& b) {
  return a.rank != b.rank ? a.rank > b.rank : a.document < b.document;
}

}  // namespace

// Words that the query has already, or that several rows have, are the search's affair: it knows a
// word that is named twice.
Status QueryExpansion::Expand(WordSearch* search, QueryNode* query) {
  BASALT_RETURN_IF_ERROR(search->Begin(query));
  std::vector<SearchHit> best;
  BASALT_RETURN_IF_ERROR(FindBest(search, &best));
  for (const SearchHit& hit : best) BASALT_RETURN_IF_ERROR(AddWordsOf(hit, query));
  return Status::Ok();
}

// A heap with the worst of the best in front keeps no more of them than are wanted.
Status QueryExpansion::FindBest(WordSearch* search, std::vector<SearchHit>* best) const {
  SearchHit hit;
  Status status = search->Next(&hit);
  for (; status.ok(); status = search->Next(&hit)) {
    best->push_back(hit);
    std::push_heap(best->begin(), best->end(), IsBetter);
    if (best->size() <= rows_) continue;
    std::pop_heap(best->begin(), best->end(), IsBetter);
    best->pop_back();
  }
  if (status.code() != Code::kEndOfRange) return status;
  std::sort_heap(best->begin(), best->end(), IsBetter);
  return Status::Ok();
}

Status QueryExpansion::AddWordsOf(const SearchHit& hit, QueryNode* query) {
  BASALT_RETURN_IF_ERROR(source_->ReadRow(hit.document, index_words_));
  for (size_t i = 0; i < index_words_->size(); ++i) {
    QueryNode node;
    node.kind = QueryNode::Kind::kWord;
    node.words.push_back({std::string(index_words_->image(i)), true});
    query->children.push_back(std::move(node));
  }
  return Status::Ok();
}

}  // namespace basalt::engine
