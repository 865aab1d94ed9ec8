// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/document_words.h"
#include "engine/counted_texts.h"

namespace basalt::engine {

// The postings of one word, in ascending order of their documents. One thread. Any function that
// reads may fail with kCorruption, kIoError, and kInterrupted when the client has killed the
// statement; the cursor is of no use then.
class PostingCursor {
 public:
  virtual ~PostingCursor() = default;

  // Goes to the first posting whose document is `document` or comes behind it: forward or backward.
  virtual Status SeekTo(Bytes document) = 0;
  // From a posting to the next one.
  virtual Status Next() = 0;

  // Is there a posting? What follows is asked only then, and valid until the cursor moves.
  virtual bool valid() const = 0;
  virtual Bytes document() const = 0;
  // Where the word stands in it, as codec::PositionReader reads it.
  virtual Bytes positions() const = 0;
};

// Takes the postings of many words.
class PostingVisitor {
 public:
  virtual ~PostingVisitor() = default;
  // The bytes live as long as the call. An error ends the visit, which then gives it back.
  virtual Status Visit(Bytes word, Bytes document, Bytes positions) = 0;
};

// A FULLTEXT index in one view of the table: a transaction's snapshot and its own writes. All that
// it gives, however often it is asked, belongs to that view. One thread.
class PostingSource {
 public:
  virtual ~PostingSource() = default;

  // A cursor over the postings of the word with this image. It is nowhere until its first SeekTo.
  virtual Status NewCursor(const std::string& image, std::unique_ptr<PostingCursor>* cursor) = 0;
  // Shows the postings of all words whose images begin with `range`, in any order.
  virtual Status VisitWords(const std::string& range, PostingVisitor* visitor) = 0;
  // How many rows there are, and words in them.
  virtual Status Count(TextTotals* totals) = 0;
  // At how many places the row has words that the index has. 0 where there is no such row.
  virtual Status FindLength(Bytes document, uint64_t* words) = 0;
  // Fills in the words of a row, from Begin to Finish.
  virtual Status ReadRow(Bytes document, codec::DocumentWords* words) = 0;
};

}  // namespace basalt::engine
