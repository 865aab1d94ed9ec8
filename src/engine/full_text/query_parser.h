// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/word_scanner.h"
#include "engine/full_text/query_words.h"
#include "engine/full_text/search_query.h"

namespace basalt::engine {

// Makes trees of query texts. Its language is InnoDB's:
//
//   query   = { [operator] part | [operator] "(" query ")" }
//   operator = "+" | "-" | "~" | "<" | ">"
//   part    = word ["*"] | phrase ["@" number]
//   phrase  = '"' words '"'
//
// A run of other characters may hold several words, which share its operator. Blanks may stand
// anywhere between. `%`, a quote without its counterpart, and `*` before a word are passed over.
class QueryParser {
 public:
  // Lists within lists: more are refused, as trees are walked by recursion.
  static constexpr size_t kDeepest = 32;

  // Borrows its arguments.
  QueryParser(const codec::CharacterTypes* characters, QueryWords* words)
      : characters_(characters), words_(words) {}

  // A boolean query. kInvalidArgument for a syntax error, with the place in its text.
  Status ParseBoolean(Bytes query, QueryNode* root);
  // Words, any of which may be there. Quotes make phrases, as in boolean queries; nothing else has
  // a meaning.
  Status ParseNatural(Bytes query, QueryNode* root);

 private:
  enum class Sign : uint8_t { kEnd, kOperator, kOpen, kClose, kStar, kAt, kPhrase, kRun };

  void Begin(Bytes query);
  void TakeSign();
  void TakePhrase();
  void TakeRun();
  bool IsOfRun(Bytes rest, size_t* bytes) const;

  Status ParseList(size_t depth, QueryNode* list);
  Status ParseItem(size_t depth, QueryNode* list);
  Status ParseSubList(size_t depth, QueryNode::Operator op, QueryNode* list);
  Status ParsePhrase(QueryNode::Operator op, QueryNode* list);
  Status ParseRun(QueryNode::Operator op, QueryNode* list);
  Status ParseDistance(uint32_t* distance);
  static void AddWords(std::vector<QueryWord> words, QueryNode::Operator op, QueryNode* list);
  static void AddNode(QueryNode node, QueryNode::Operator op, QueryNode* list);
  Status SyntaxError() const;

  const codec::CharacterTypes* characters_;
  QueryWords* words_;
  bool natural_ = false;
  Bytes rest_;  // behind the sign at hand
  Sign sign_ = Sign::kEnd;
  Bytes text_;  // of the sign: a phrase without its quotes
};

}  // namespace basalt::engine
