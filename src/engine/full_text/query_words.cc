// SPDX-License-Identifier: GPL-2.0-only
#include "engine/full_text/query_words.h"

#include <utility>

namespace basalt::engine {

Status QueryWords::Find(Bytes text, std::vector<QueryWord>* words) {
  words_ = words;
  return parser_->Parse(text, this);
}

Status QueryWords::FindWithBeginning(Bytes text, std::vector<QueryWord>* words,
                                     std::vector<QueryNode>* beginning) {
  BASALT_RETURN_IF_ERROR(Find(text, words));
  if (words->empty()) return Status::Ok();
  QueryNode& node = beginning->emplace_back();
  node.kind = QueryNode::Kind::kBeginning;
  node.words.push_back(std::move(words->back()));
  words->pop_back();
  node.beginning.emplace(last_, &images_);
  return Status::Ok();
}

void QueryWords::AddWord(const codec::ScannedWord& word) {
  QueryWord& added = words_->emplace_back();
  images_.Append(word.bytes, &added.image);
  added.in_index = rules_->HasWord(word.characters, added.image);
  last_.assign(word.bytes);
}

}  // namespace basalt::engine
