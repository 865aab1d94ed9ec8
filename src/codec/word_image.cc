// SPDX-License-Identifier: GPL-2.0-only
#include "codec/word_image.h"

#include <algorithm>
#include <functional>

namespace basalt::codec {

namespace {

// What ends the weights of a level; a zero within them is followed by kZero.
constexpr char kEnd = 0;
constexpr char kZero = 1;

constexpr size_t kMostKnown = 512;
constexpr size_t kLongestKnown = 24;  // bytes of a word

// Bytes of the level that the image begins with, what ends it included; 0 when malformed.
size_t LevelBytes(Bytes image) {
  for (size_t at = 0; at + 1 < image.size(); ++at) {
    if (image[at] != 0) continue;
    if (image[at + 1] == kEnd) return at + 2;
    if (image[at + 1] != kZero) return 0;
    ++at;
  }
  return 0;
}

}  // namespace

size_t WordImageBytes(Bytes key, size_t levels) {
  size_t bytes = 0;
  for (size_t level = 0; level < levels; ++level) {
    const size_t taken = LevelBytes(key.substr(bytes));
    if (taken == 0) return 0;
    bytes += taken;
  }
  return bytes;
}

void WordImages::Append(Bytes word, std::string* to) {
  if (word.empty() || word.size() > kLongestKnown) return AppendNew(word, to);
  if (known_.empty()) known_.resize(kMostKnown);
  Known& known = known_[std::hash<Bytes>()(word) % kMostKnown];
  if (known.word != word) {
    known.image.clear();
    AppendNew(word, &known.image);
    known.word = word;
  }
  *to += known.image;
}

void WordImages::AppendNew(Bytes word, std::string* to) {
  const Bytes counted = WithoutSpaces(word);
  for (size_t level = 0; level < levels(); ++level) {
    AppendLevel(level, counted, to);
    to->push_back(0);
    to->push_back(kEnd);
  }
}

std::string WordImages::Of(Bytes word) {
  std::string image;
  Append(word, &image);
  return image;
}

void WordImages::AppendLevel(size_t level, Bytes word, std::string* to) {
  // The room is that of a column's bytes, each character of which may be as long as any.
  const size_t column_bytes = word.size() * collation_->properties().bytes_per_character_max;
  weights_.resize(std::max(weights_.size(), collation_->OrderRoom(column_bytes)));
  auto* weights = reinterpret_cast<uint8_t*>(weights_.data());
  const size_t bytes =
      collation_->OrderWeights(level, weights, weights_.size(), Unsigned(word), word.size());
  const size_t begin = to->size();
  to->resize(begin + 2 * bytes);  // room for each to be a zero
  char* at = to->data() + begin;
  for (size_t i = 0; i < bytes; ++i) {
    *at++ = weights_[i];
    if (weights_[i] == 0) *at++ = kZero;
  }
  to->resize(static_cast<size_t>(at - to->data()));
}

Bytes WordImages::WithoutSpaces(Bytes word) const {
  if (!collation_->cuts_spaces()) return word;
  return word.substr(0, collation_->LengthWithoutTrailingSpaces(Unsigned(word), word.size()));
}

WordBeginning::WordBeginning(Bytes beginning, WordImages* images) {
  const Bytes counted = images->WithoutSpaces(beginning);
  for (size_t level = 0; level < images->levels(); ++level) {
    images->AppendLevel(level, counted, &levels_.emplace_back());
  }
}

bool WordBeginning::Matches(Bytes image) const {
  for (const std::string& beginning : levels_) {
    const size_t bytes = LevelBytes(image);
    if (bytes == 0 || image.substr(0, beginning.size()) != beginning) return false;
    // A zero of the image's end must not stand for one of the beginning.
    if (beginning.size() > bytes - 2) return false;
    image.remove_prefix(bytes);
  }
  return image.empty();
}

}  // namespace basalt::codec
