// SPDX-License-Identifier: GPL-2.0-only
#include "codec/posting.h"

#include <limits>

#include "codec/variable_number.h"
#include "codec/word_image.h"

namespace basalt::codec {

namespace {

constexpr char kNextColumn = 0;
// Stands behind the number of words of a row's own entry.
constexpr char kInBlocks = 1;
// More columns than an index can have; keeps damaged values from counting on.
constexpr uint32_t kMostColumns = 64;

}  // namespace

void AppendPostingHead(uint32_t index_number, PostingKind kind, std::string* to) {
  AppendBigEndian32(to, index_number);
  to->push_back(static_cast<char>(kind));
}

void SetPostingKind(PostingKind kind, std::string* key) {
  (*key)[kPostingHeadBytes - 1] = static_cast<char>(kind);
}

size_t PostingPartBytes(Bytes part, size_t levels) {
  if (part.empty()) return 0;
  switch (static_cast<PostingKind>(part.front())) {
    case PostingKind::kDocument:
    case PostingKind::kSuperseded:
      return 1;
    case PostingKind::kWord:
    case PostingKind::kBlock: {
      const size_t word_bytes = WordImageBytes(part.substr(1), levels);
      return word_bytes == 0 ? 0 : 1 + word_bytes;
    }
  }
  return 0;
}

bool DecodePostingKey(Bytes key, size_t levels, PostingKey* posting) {
  if (key.size() < kPostingHeadBytes) return false;
  const Bytes part = key.substr(kPostingHeadBytes - 1);
  const size_t bytes = PostingPartBytes(part, levels);
  if (bytes == 0) return false;
  posting->kind = static_cast<PostingKind>(part.front());
  posting->word = part.substr(1, bytes - 1);
  posting->document = part.substr(bytes);
  return true;
}

void PositionWriter::Add(WordPosition position) {
  for (; last_.column < position.column; ++last_.column) {
    to_->push_back(kNextColumn);
    last_.ordinal = 0;
  }
  AppendVariableNumber(position.ordinal - last_.ordinal, to_);
  last_ = position;
}

bool PositionReader::Next(WordPosition* position) {
  if (failed_ || (rest_.empty() && any_)) return false;
  while (!rest_.empty() && rest_.front() == kNextColumn) {
    rest_.remove_prefix(1);
    if (++last_.column == kMostColumns) return Fail();
    last_.ordinal = 0;
  }
  uint64_t distance;
  if (!TakeVariableNumber(&rest_, &distance)) return Fail();
  if (distance > std::numeric_limits<uint32_t>::max() - last_.ordinal) return Fail();
  last_.ordinal += static_cast<uint32_t>(distance);
  any_ = true;
  *position = last_;
  return true;
}

bool PositionReader::Fail() {
  failed_ = true;
  return false;
}

uint64_t CountPositions(Bytes value) {
  PositionReader reader(value);
  WordPosition position;
  uint64_t count = 0;
  while (reader.Next(&position)) ++count;
  return reader.failed() ? 0 : count;
}

void AppendDocumentValue(const DocumentValue& document, std::string* to) {
  AppendVariableNumber(document.words, to);
  if (document.in_blocks) to->push_back(kInBlocks);
}

bool DecodeDocumentValue(Bytes value, DocumentValue* document) {
  if (!TakeVariableNumber(&value, &document->words)) return false;
  document->in_blocks = !value.empty();
  return value.empty() || (value.size() == 1 && value.front() == kInBlocks);
}

}  // namespace basalt::codec
