// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/text_parser.h"
#include "codec/word_image.h"
#include "codec/word_rules.h"
#include "engine/full_text/search_query.h"

namespace basalt::engine {

// The words of a query's parts, found and compared as those of the index's rows are. One thread.
class QueryWords : private codec::WordSink {
 public:
  // Borrows its arguments.
  QueryWords(const codec::TextParser* parser, const codec::WordRules* rules,
             const codec::Collation* collation)
      : parser_(parser), rules_(rules), images_(collation) {}

  // All words of the text in their order. An error is the parser's.
  Status Find(Bytes text, std::vector<QueryWord>* words);
  // All words but the last, which is taken for the beginning of words and comes as a node. A text
  // without a word gives no node.
  Status FindWithBeginning(Bytes text, std::vector<QueryWord>* words,
                           std::vector<QueryNode>* beginning);

 private:
  void AddWord(const codec::ScannedWord& word) override;

  const codec::TextParser* parser_;
  const codec::WordRules* rules_;
  codec::WordImages images_;
  std::vector<QueryWord>* words_ = nullptr;
  std::string last_;  // the text of the last word
};

}  // namespace basalt::engine
