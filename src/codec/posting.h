// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace basalt::codec {

// Entries of a FULLTEXT index (docs/format/full-text.md). A posting says where a word stands in a
// row; each row has an entry of its own besides. A row is named by its document: the bytes of its
// primary key's parts, as they stand at the end of the entry's key.

// kDocument: a row. kWord: a word in a row. kBlock: a word in several rows (posting_block.h).
// kSuperseded: blocks say nothing of the row any more.
enum class PostingKind : uint8_t { kDocument = 0, kWord = 1, kBlock = 2, kSuperseded = 3 };

// Bytes of a key before the word or the document: the index number and the kind.
inline constexpr size_t kPostingHeadBytes = 4 + 1;

// A place in a row: columns in the order of the index from 0, words of a column from 1.
struct WordPosition {
  uint32_t column = 0;
  uint32_t ordinal = 0;

  bool operator==(const WordPosition&) const = default;
  bool operator<(const WordPosition& other) const {
    return column != other.column ? column < other.column : ordinal < other.ordinal;
  }
};

// What all keys of the kind begin with. Adds to the end of `to`.
void AppendPostingHead(uint32_t index_number, PostingKind kind, std::string* to);
// Makes the key of a row's own entry that of another kind which has no word.
void SetPostingKind(PostingKind kind, std::string* key);

// A key that was taken apart. Borrows the bytes of the key.
struct PostingKey {
  PostingKind kind = PostingKind::kDocument;
  Bytes word;      // its image; empty where the kind has none
  Bytes document;  // the last one of a block
};

// Bytes of the kind and the word that `part` begins with, by a collation of so many levels; 0 when
// it is cut short or has no known kind.
size_t PostingPartBytes(Bytes part, size_t levels);

// False for a key that is cut short or has no known kind. The document may be any bytes: only the
// table knows how long it is.
[[nodiscard]] bool DecodePostingKey(Bytes key, size_t levels, PostingKey* posting);

// Makes the value of a posting.
class PositionWriter {
 public:
  // Adds to the end of `to`, which outlives the writer.
  explicit PositionWriter(std::string* to) : to_(to) {}

  // Places come in ascending order, none twice.
  void Add(WordPosition position);

 private:
  std::string* to_;
  WordPosition last_;
};

// Reads the value of a posting, without a timestamp. Borrows the bytes.
class PositionReader {
 public:
  explicit PositionReader(Bytes value) : rest_(value) {}

  // Gives the next place. False at the end, and when malformed.
  [[nodiscard]] bool Next(WordPosition* position);
  // Was the value malformed? Asked at the end. A posting without a place is.
  bool failed() const { return failed_; }

 private:
  bool Fail();

  Bytes rest_;
  WordPosition last_;
  bool failed_ = false;
  bool any_ = false;
};

// How many places the value has; 0 when it is malformed.
uint64_t CountPositions(Bytes value);

// The value of a row's own entry.
struct DocumentValue {
  uint64_t words = 0;      // how many places its words have
  bool in_blocks = false;  // its words are in blocks, and not in entries of their own
};

void AppendDocumentValue(const DocumentValue& document, std::string* to);
// False when malformed.
[[nodiscard]] bool DecodeDocumentValue(Bytes value, DocumentValue* document);

}  // namespace basalt::codec
