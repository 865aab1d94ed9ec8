// SPDX-License-Identifier: GPL-2.0-only
#include "engine/full_text/text_search.h"

#include <algorithm>
#include <utility>

#include "engine/full_text/query_expansion.h"
#include "engine/full_text/query_parser.h"
#include "engine/full_text/query_words.h"

namespace basalt::engine {

namespace {

codec::DocumentWords NewWords(const TextSearch::Index& index, codec::DocumentWords::Which which) {
  return codec::DocumentWords(&index.words->parser(), &index.words->rules(),
                              index.columns[0].collation, which);
}

}  // namespace

TextSearch::TextSearch(Index index, const Options& options)
    : index_(std::move(index)),
      options_(options),
      all_words_(NewWords(index_, codec::DocumentWords::Which::kAll)),
      row_(index_.words.get(), index_.columns) {}

Status TextSearch::Parse(Bytes text) {
  QueryWords words(&index_.words->parser(), &index_.words->rules(), index_.columns[0].collation);
  QueryParser parser(index_.characters, &words);
  parsed_ = QueryNode();
  return options_.mode == Mode::kBoolean ? parser.ParseBoolean(text, &parsed_)
                                         : parser.ParseNatural(text, &parsed_);
}

Status TextSearch::Begin(std::unique_ptr<PostingSource> source) {
  End();
  source_ = std::move(source);
  query_ = parsed_;
  search_.emplace(source_.get(), &all_words_, options_.memory, options_.formula);
  Status begun;
  if (options_.mode == Mode::kExpanded) {
    codec::DocumentWords words = NewWords(index_, codec::DocumentWords::Which::kOfIndex);
    begun = QueryExpansion(source_.get(), &words, kExpandedBy).Expand(&*search_, &query_);
  }
  if (begun.ok()) begun = search_->Begin(&query_);
  if (!begun.ok()) End();
  return begun;
}

void TextSearch::End() {
  search_.reset();
  source_.reset();
  hits_.clear();
  has_hits_ = is_sorted_ = false;
}

void TextSearch::Rewind() {
  search_->Rewind();
  next_hit_ = 0;
}

Status TextSearch::Next(SearchHit* hit) {
  if (options_.by_rank && !has_hits_) BASALT_RETURN_IF_ERROR(Gather());
  if (!is_sorted_) return search_->Next(hit);
  if (next_hit_ == hits_.size()) return Status(Code::kEndOfRange);
  *hit = hits_[next_hit_++];
  return Status::Ok();
}

// Where they take too much memory, none is kept.
Status TextSearch::Gather() {
  has_hits_ = true;
  Rewind();
  size_t bytes = 0;
  SearchHit hit;
  Status status = search_->Next(&hit);
  for (; status.ok(); status = search_->Next(&hit)) {
    bytes += sizeof(SearchHit) + hit.document.size();
    if (bytes > options_.hit_bytes) break;
    hits_.push_back(hit);
  }
  Rewind();
  if (status.ok()) {
    hits_ = {};
    return status;
  }
  if (status.code() != Code::kEndOfRange) return status;
  is_sorted_ = true;
  std::stable_sort(hits_.begin(), hits_.end(),
                   [](const SearchHit& a, const SearchHit& b) { return a.rank > b.rank; });
  return Status::Ok();
}

Status TextSearch::RankOf(Bytes document, float* rank) {
  bool matches = false;
  return search_->RankOf(document, &matches, rank);
}

// Words weigh what they do in the whole table, of which the row is one.
Status TextSearch::RankOfRow(const uint8_t* record, float* rank) {
  *rank = 0;
  BASALT_RETURN_IF_ERROR(row_.Take(record));
  WordSearch search(&row_, &all_words_, options_.memory, options_.formula);
  BASALT_RETURN_IF_ERROR(search.Begin(&query_));
  search.RankAs(*search_);
  bool matches = false;
  return search.RankOf(RowPostings::kDocument, &matches, rank);
}

}  // namespace basalt::engine
