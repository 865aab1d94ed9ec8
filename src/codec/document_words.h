// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/posting.h"
#include "codec/text_parser.h"
#include "codec/word_image.h"
#include "codec/word_rules.h"

namespace basalt::codec {

// The words of one row, as a FULLTEXT index has them: images in ascending order, and where each
// stands.
//
//   words.Begin();
//   for each column of the index: words.AddColumn(text), or words.SkipColumn() when it is NULL;
//   words.Finish();
//
// Reused from row to row it allocates only for rows that are larger than those before. One thread.
class DocumentWords : private WordSink {
 public:
  enum class Which : uint8_t {
    kOfIndex,  // the words that the rules let in
    kAll,      // those that they leave out, too
  };

  // Borrows its arguments.
  DocumentWords(const TextParser* parser, const WordRules* rules, const Collation* collation,
                Which which);

  void Begin();
  // The text lives as long as the call. An error is the parser's.
  Status AddColumn(Bytes text);
  void SkipColumn() { ++column_; }
  void Finish();

  // Different words, after Finish. What is given is valid until the next Begin.
  size_t size() const { return entries_.size(); }
  Bytes image(size_t i) const { return Part(images_, entries_[i].image); }
  // As the value of a posting has them.
  Bytes positions(size_t i) const { return Part(positions_, entries_[i].positions); }
  // Where the word of that image stands; nothing when it does not.
  Bytes Find(Bytes image) const;
  // Places of all words together.
  uint64_t length() const { return occurrences_.size(); }

 private:
  struct Range {
    size_t begin = 0;
    size_t bytes = 0;
  };
  struct Occurrence {
    uint64_t first = 0;   // eight bytes of the image, as a number: most comparisons end there
    uint64_t second = 0;  // the next eight
    Range image;
    WordPosition position;
  };
  struct Entry {
    Range image;
    Range positions;
  };

  void AddWord(const ScannedWord& word) override;
  bool Less(const Occurrence& a, const Occurrence& b) const;
  static Bytes Part(const std::string& all, Range range) {
    return Bytes(all).substr(range.begin, range.bytes);
  }

  const TextParser* parser_;
  const WordRules* rules_;
  WordImages word_images_;
  Which which_;
  uint32_t column_ = 0;
  uint32_t ordinal_ = 0;
  std::string image_;      // of the word at hand
  std::string images_;     // of all occurrences
  std::string positions_;  // of all entries
  std::vector<Occurrence> occurrences_;
  std::vector<Entry> entries_;
};

}  // namespace basalt::codec
