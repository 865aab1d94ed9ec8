// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <utility>

#include "codec/text_parser.h"
#include "codec/word_rules.h"

namespace basalt::codec {

// How the texts of a FULLTEXT index become its words. Immutable; shared by all who write or read
// the index, in any number of threads.
class WordSource {
 public:
  // The parser must not be null.
  WordSource(std::unique_ptr<const TextParser> parser, WordRules rules)
      : parser_(std::move(parser)), rules_(std::move(rules)) {}

  const TextParser& parser() const { return *parser_; }
  const WordRules& rules() const { return rules_; }

 private:
  std::unique_ptr<const TextParser> parser_;
  WordRules rules_;
};

}  // namespace basalt::codec
