// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/word_scanner.h"

namespace basalt::codec {

// Takes the words that a parser finds.
class WordSink {
 public:
  virtual ~WordSink() = default;
  // The bytes are the parser's and live as long as the call.
  virtual void AddWord(const ScannedWord& word) = 0;
};

// Finds the words of a text: the built-in parser, or a parser plugin behind the border. Any number
// of threads.
class TextParser {
 public:
  virtual ~TextParser() = default;
  // All words of the text in their order, those too that no index has: which these are is not the
  // parser's affair. A plugin's failure comes back as a status.
  virtual Status Parse(Bytes text, WordSink* sink) const = 0;
};

// The built-in parser: the words of WordScanner. Borrows its argument.
class ScanningParser final : public TextParser {
 public:
  explicit ScanningParser(const CharacterTypes* characters) : characters_(characters) {}

  Status Parse(Bytes text, WordSink* sink) const override {
    WordScanner scanner(characters_, text);
    ScannedWord word;
    while (scanner.Next(&word)) sink->AddWord(word);
    return Status::Ok();
  }

 private:
  const CharacterTypes* characters_;
};

}  // namespace basalt::codec
