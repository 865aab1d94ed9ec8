// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codec/word_image.h"

namespace basalt::engine {

// A full-text query as a tree. What it finds, and by which rank, is in docs/decisions/full-text.md.

// A word of a query, as the index has it.
struct QueryWord {
  std::string image;
  // False when the rules of the index leave it out: then no posting has it, and only a look at the
  // row itself tells whether it is there.
  bool in_index = true;
};

struct QueryNode {
  enum class Kind : uint8_t {
    kWord,       // one word
    kBeginning,  // the words that begin with `beginning`
    kPhrase,     // `words` one after the other; or near each other when `distance` is not 0
    kList,       // `children` with their operators
  };
  enum class Operator : uint8_t {
    kNone,     // may be there
    kMust,     // +
    kMustNot,  // -
    kNegate,   // ~ lowers the rank, and makes no match
    kLess,     // < may be there, and lowers the rank
    kMore,     // > may be there, and raises the rank
  };

  Kind kind = Kind::kList;
  Operator op = Operator::kNone;
  std::vector<QueryWord> words;
  std::optional<codec::WordBeginning> beginning;
  uint32_t distance = 0;  // all words stand within so many words, themselves counted
  std::vector<QueryNode> children;
};

}  // namespace basalt::engine
