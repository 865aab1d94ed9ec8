// SPDX-License-Identifier: GPL-2.0-only
#include "codec/document_words.h"

#include <algorithm>

#include "base/eight_bytes.h"

namespace basalt::codec {

DocumentWords::DocumentWords(const TextParser* parser, const WordRules* rules,
                             const Collation* collation, Which which)
    : parser_(parser), rules_(rules), word_images_(collation), which_(which) {}

void DocumentWords::Begin() {
  column_ = 0;
  images_.clear();
  positions_.clear();
  occurrences_.clear();
  entries_.clear();
}

Status DocumentWords::AddColumn(Bytes text) {
  ordinal_ = 0;
  BASALT_RETURN_IF_ERROR(parser_->Parse(text, this));
  ++column_;
  return Status::Ok();
}

void DocumentWords::AddWord(const ScannedWord& word) {
  ++ordinal_;
  image_.clear();
  word_images_.Append(word.bytes, &image_);
  if (which_ == Which::kOfIndex && !rules_->HasWord(word.characters, image_)) return;
  occurrences_.push_back({EightBytesAt(0, image_),
                          EightBytesAt(8, image_),
                          {images_.size(), image_.size()},
                          {column_, ordinal_}});
  images_ += image_;
}

// No image is the beginning of another, so two of up to sixteen bytes that agree in those are
// alike.
bool DocumentWords::Less(const Occurrence& a, const Occurrence& b) const {
  constexpr size_t kCompared = 16;
  if (a.first != b.first) return a.first < b.first;
  if (a.second != b.second) return a.second < b.second;
  if (a.image.bytes > kCompared || b.image.bytes > kCompared) {
    const int order = Part(images_, a.image).compare(Part(images_, b.image));
    if (order != 0) return order < 0;
  }
  return a.position < b.position;
}

void DocumentWords::Finish() {
  const auto image_of = [this](const Occurrence& one) { return Part(images_, one.image); };
  std::sort(occurrences_.begin(), occurrences_.end(),
            [this](const Occurrence& a, const Occurrence& b) { return Less(a, b); });
  for (size_t at = 0; at < occurrences_.size();) {
    const Bytes image = image_of(occurrences_[at]);
    Entry& entry = entries_.emplace_back();
    entry.image = occurrences_[at].image;
    entry.positions.begin = positions_.size();
    PositionWriter writer(&positions_);
    for (; at < occurrences_.size() && image_of(occurrences_[at]) == image; ++at) {
      writer.Add(occurrences_[at].position);
    }
    entry.positions.bytes = positions_.size() - entry.positions.begin;
  }
}

Bytes DocumentWords::Find(Bytes image) const {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), image,
      [this](const Entry& entry, Bytes wanted) { return Part(images_, entry.image) < wanted; });
  if (found == entries_.end() || Part(images_, found->image) != image) return {};
  return Part(positions_, found->positions);
}

}  // namespace basalt::codec
