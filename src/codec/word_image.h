// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "codec/collation.h"

namespace basalt::codec {

// The image of a word: its weights, as keys of a FULLTEXT index have them. Words that the collation
// takes for equal have equal images, and no image is the beginning of another. The layout is in
// docs/format/full-text.md, "Word".

// Bytes of the image that `key` begins with, by a collation of so many levels; 0 when it is cut
// short or malformed.
size_t WordImageBytes(Bytes key, size_t levels);

// Makes images of words by one collation. Keeps a buffer for weights, and the images of some short
// words: most words of a text come again soon, and the server makes weights a character at a time.
// One thread. The collation is prepared and outlives the object.
class WordImages {
 public:
  explicit WordImages(const Collation* collation) : collation_(collation) {}

  // Adds the image of the word to the end of `to`.
  void Append(Bytes word, std::string* to);
  std::string Of(Bytes word);

 private:
  friend class WordBeginning;

  struct Known {
    std::string word;
    std::string image;
  };

  void AppendNew(Bytes word, std::string* to);
  // Weights of one level with their zeros written as in images, without what ends them.
  void AppendLevel(size_t level, Bytes word, std::string* to);
  Bytes WithoutSpaces(Bytes word) const;
  size_t levels() const { return collation_->levels().size(); }

  const Collation* collation_;
  std::string weights_;
  std::vector<Known> known_;  // each in the only place that it may have; made for the first word
};

// The words that begin as a given one does, by the weights of each level.
class WordBeginning {
 public:
  // Keeps nothing of its arguments.
  WordBeginning(Bytes beginning, WordImages* images);

  // With this each image of such a word begins. It may be empty.
  const std::string& range() const { return levels_[0]; }
  // Is this whole image that of such a word? False for malformed images.
  bool Matches(Bytes image) const;

 private:
  std::vector<std::string> levels_;
};

}  // namespace basalt::codec
