// SPDX-License-Identifier: GPL-2.0-only
#include "codec/word_scanner.h"

namespace basalt::codec {

bool WordScanner::Next(ScannedWord* word) {
  bool in_word = false;
  while (!rest_.empty()) {
    const size_t bytes = Look(&in_word);
    if (in_word) break;
    rest_.remove_prefix(bytes);
  }
  const Bytes begin = rest_;
  word->characters = 0;
  while (!rest_.empty()) {
    const size_t bytes = Look(&in_word);
    if (!in_word) break;
    rest_.remove_prefix(bytes);
    ++word->characters;
  }
  word->bytes = begin.substr(0, begin.size() - rest_.size());
  return word->characters != 0;
}

size_t WordScanner::Look(bool* in_word) const {
  const size_t bytes = characters_->Read(rest_, in_word);
  *in_word = *in_word || (bytes == 1 && rest_.front() == '_');
  return bytes;
}

}  // namespace basalt::codec
