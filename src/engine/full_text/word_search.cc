// SPDX-License-Identifier: GPL-2.0-only
#include "engine/full_text/word_search.h"

#include <algorithm>
#include <limits>

namespace basalt::engine {

namespace {

using Kind = QueryNode::Kind;
using Operator = QueryNode::Operator;

// By how much an operator changes the rank of a document, and how far all of them together.
constexpr float kStep = 1.0F;
constexpr float kMostChange = 1.0F;

float ChangeBy(Operator op) {
  if (op == Operator::kMore) return kStep;
  return op == Operator::kLess || op == Operator::kNegate ? -kStep : 0.0F;
}

bool MakesMatch(Operator op) {
  return op == Operator::kNone || op == Operator::kLess || op == Operator::kMore;
}

bool HasMust(const QueryNode& list) {
  return std::any_of(list.children.begin(), list.children.end(),
                     [](const QueryNode& child) { return child.op == Operator::kMust; });
}

}  // namespace

Status WordSearch::Begin(const QueryNode* query) {
  root_ = Node();
  terms_.clear();
  known_.clear();
  next_.clear();
  SearchMemory left = memory_;
  BASALT_RETURN_IF_ERROR(Plan(*query, &left, &root_));
  TextTotals totals;
  if (!terms_.empty()) BASALT_RETURN_IF_ERROR(source_->Count(&totals));
  weights_.SetTotals(totals);
  for (SearchTerm& term : terms_) term.SetRarity(weights_.RarityOf(term.documents()));
  return Status::Ok();
}

// The terms of one query are the same ones, in the same order, in each search.
void WordSearch::RankAs(const WordSearch& other) {
  weights_ = other.weights_;
  for (size_t i = 0; i < terms_.size(); ++i) terms_[i].SetRarity(other.terms_[i].rarity());
}

Status WordSearch::Plan(const QueryNode& query, SearchMemory* memory, Node* node) {
  node->query = &query;
  for (const QueryNode& child : query.children) {
    BASALT_RETURN_IF_ERROR(Plan(child, memory, &node->children.emplace_back()));
  }
  const codec::WordBeginning* beginning = query.beginning ? &*query.beginning : nullptr;
  for (const QueryWord& word : query.words) {
    BASALT_RETURN_IF_ERROR(PlanTerm(word, beginning, memory, node));
  }
  return Status::Ok();
}

// A word that the query names twice is one term. A beginning and the word of the same letters are
// two.
Status WordSearch::PlanTerm(const QueryWord& word, const codec::WordBeginning* beginning,
                            SearchMemory* memory, Node* node) {
  const std::string image = (beginning != nullptr ? "*" : "=") + word.image;
  const auto [known, is_new] = known_.emplace(image, terms_.size());
  node->terms.push_back(known->second);
  if (!is_new) return Status::Ok();
  return terms_.emplace_back().Begin(word, beginning, memory, source_);
}

Status WordSearch::Next(SearchHit* hit) {
  while (true) {
    bool found = false;
    BASALT_RETURN_IF_ERROR(Advance(root_, &next_, &found));
    if (!found) return Status(Code::kEndOfRange);
    hit->document = next_;
    next_.push_back('\0');
    bool matches = false;
    BASALT_RETURN_IF_ERROR(RankOf(hit->document, &matches, &hit->rank));
    if (matches) return Status::Ok();
  }
}

Status WordSearch::RankOf(Bytes document, bool* matches, float* rank) {
  found_.clear();
  Match match;
  BASALT_RETURN_IF_ERROR(Look(root_, document, &match));
  *matches = match.matches;
  *rank = 0;
  return match.matches ? Rank(document, match.change, rank) : Status::Ok();
}

Status WordSearch::Advance(const Node& node, std::string* document, bool* found) {
  switch (node.query->kind) {
    case Kind::kWord:
    case Kind::kBeginning:
      return AdvanceTerm(node.terms[0], document, found);
    case Kind::kPhrase:
      return AdvancePhrase(node, document, found);
    case Kind::kList:
      break;
  }
  return HasMust(*node.query) ? AdvanceList(node, document, found)
                              : AdvanceToAny(node, document, found);
}

Status WordSearch::AdvanceTerm(size_t term, std::string* document, bool* found) {
  SearchTerm& postings = terms_[term];
  BASALT_RETURN_IF_ERROR(postings.SeekTo(*document));
  *found = postings.valid();
  if (*found) document->assign(postings.document());
  return Status::Ok();
}

// Until all words that the index has stand at the same document.
Status WordSearch::AdvancePhrase(const Node& node, std::string* document, bool* found) {
  std::string before;
  bool has_word = false;
  do {
    before = *document;
    for (size_t i = 0; i < node.terms.size(); ++i) {
      if (!node.query->words[i].in_index) continue;
      has_word = true;
      BASALT_RETURN_IF_ERROR(AdvanceTerm(node.terms[i], document, found));
      if (!*found) return Status::Ok();
    }
  } while (*document != before);
  *found = has_word;
  return Status::Ok();
}

Status WordSearch::AdvanceList(const Node& node, std::string* document, bool* found) {
  std::string before;
  do {
    before = *document;
    for (const Node& child : node.children) {
      if (child.query->op != Operator::kMust) continue;
      BASALT_RETURN_IF_ERROR(Advance(child, document, found));
      if (!*found) return Status::Ok();
    }
  } while (*document != before);
  return Status::Ok();
}

Status WordSearch::AdvanceToAny(const Node& node, std::string* document, bool* found) {
  std::string first;
  *found = false;
  for (const Node& child : node.children) {
    if (!MakesMatch(child.query->op)) continue;
    std::string candidate = *document;
    bool has_candidate = false;
    BASALT_RETURN_IF_ERROR(Advance(child, &candidate, &has_candidate));
    if (!has_candidate || (*found && candidate >= first)) continue;
    first.swap(candidate);
    *found = true;
  }
  if (*found) document->swap(first);
  return Status::Ok();
}

Status WordSearch::Look(const Node& node, Bytes document, Match* match) {
  switch (node.query->kind) {
    case Kind::kWord:
    case Kind::kBeginning:
      return LookAtTerm(node.terms[0], document, &match->matches);
    case Kind::kPhrase:
      return LookAtPhrase(node, document, &match->matches);
    case Kind::kList:
      break;
  }
  // What a list has found that does not match is forgotten.
  const size_t found_before = found_.size();
  BASALT_RETURN_IF_ERROR(LookAtList(node, document, match));
  if (!match->matches) found_.resize(found_before);
  return Status::Ok();
}

Status WordSearch::LookAtTerm(size_t term, Bytes document, bool* matches) {
  SearchTerm& postings = terms_[term];
  BASALT_RETURN_IF_ERROR(postings.SeekTo(document));
  *matches = postings.valid() && postings.document() == document;
  if (*matches) found_.push_back(term);
  return Status::Ok();
}

Status WordSearch::LookAtPhrase(const Node& node, Bytes document, bool* matches) {
  const size_t found_before = found_.size();
  for (size_t i = 0; i < node.terms.size(); ++i) {
    if (!node.query->words[i].in_index) continue;
    BASALT_RETURN_IF_ERROR(LookAtTerm(node.terms[i], document, matches));
    if (!*matches) break;
  }
  if (*matches) {
    BASALT_RETURN_IF_ERROR(FindPlaces(node, document));
    const uint32_t distance = node.query->distance;
    *matches = distance == 0 ? StandTogether(places_) : StandWithin(places_, distance);
  }
  if (!*matches) found_.resize(found_before);
  return Status::Ok();
}

// Words that the index leaves out are looked for in the row.
Status WordSearch::FindPlaces(const Node& node, Bytes document) {
  const std::vector<QueryWord>& words = node.query->words;
  places_.resize(words.size());
  const bool has_all =
      std::all_of(words.begin(), words.end(), [](const QueryWord& word) { return word.in_index; });
  if (!has_all) BASALT_RETURN_IF_ERROR(source_->ReadRow(document, all_words_));
  for (size_t i = 0; i < words.size(); ++i) {
    places_[i].clear();
    const Bytes positions =
        words[i].in_index ? terms_[node.terms[i]].positions() : all_words_->Find(words[i].image);
    if (positions.empty() && !words[i].in_index) continue;
    BASALT_RETURN_IF_ERROR(ReadPlaces(positions, &places_[i]));
  }
  return Status::Ok();
}

Status WordSearch::ReadPlaces(Bytes positions, std::vector<codec::WordPosition>* places) {
  codec::PositionReader reader(positions);
  codec::WordPosition place;
  while (reader.Next(&place)) places->push_back(place);
  if (!reader.failed()) return Status::Ok();
  return Status(Code::kCorruption, "an entry of a FULLTEXT index has a malformed value");
}

Status WordSearch::LookAtList(const Node& node, Bytes document, Match* match) {
  bool has_any = false;
  const bool has_must = HasMust(*node.query);
  for (const Node& child : node.children) {
    const Operator op = child.query->op;
    Match part;
    BASALT_RETURN_IF_ERROR(Look(child, document, &part));
    if (part.matches ? op == Operator::kMustNot : op == Operator::kMust) {
      match->matches = false;
      return Status::Ok();
    }
    if (!part.matches) continue;
    has_any = has_any || MakesMatch(op);
    match->change =
        std::clamp(match->change + part.change + ChangeBy(op), -kMostChange, kMostChange);
  }
  match->matches = has_must || has_any;
  return Status::Ok();
}

// Single precision is added up, word by word in the order of the query, as InnoDB does.
Status WordSearch::Rank(Bytes document, float change, float* rank) {
  *rank = change;
  uint64_t length = 0;
  if (weights_.need_length()) BASALT_RETURN_IF_ERROR(source_->FindLength(document, &length));
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  for (const size_t term : found_) {
    uint64_t places = 0;
    BASALT_RETURN_IF_ERROR(terms_[term].CountPlaces(&places));
    *rank += static_cast<float>(weights_.WeightOf(terms_[term].rarity(), places, length));
  }
  // SQL takes 0 for a row that does not match.
  if (*rank == 0) *rank = std::numeric_limits<float>::min();
  return Status::Ok();
}

}  // namespace basalt::engine
