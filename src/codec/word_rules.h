// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>

#include "base/bytes.h"

namespace basalt::codec {

// Which words an index has. The rules of an index never change: the words of an old row must come
// out as they did when it was written. Complete before it is shared, immutable from then on.
class WordRules {
 public:
  // Words of `least` to `most` characters, both included.
  WordRules(size_t least, size_t most) : least_(least), most_(most) {}

  // The image (word_image.h) of a word that is left out.
  void AddStopWord(std::string image) { stop_words_.insert(std::move(image)); }

  size_t least() const { return least_; }
  size_t most() const { return most_; }
  // The images of the words that are left out, each once, in no order.
  const std::unordered_set<std::string>& stop_words() const { return stop_words_; }

  // Has the index a word of so many characters, with this image?
  bool HasWord(size_t characters, const std::string& image) const {
    return characters >= least_ && characters <= most_ && !stop_words_.contains(image);
  }

 private:
  size_t least_;
  size_t most_;
  std::unordered_set<std::string> stop_words_;
};

}  // namespace basalt::codec
