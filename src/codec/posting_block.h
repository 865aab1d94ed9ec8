// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace basalt::codec {

// The postings of one word in several rows, in one entry (docs/format/full-text.md, Blocks). Its
// key ends with the last document of the block, the value has the others.

// Makes the value of a block. One thread. Borrows what Add is given, until Finish.
class PostingBlockWriter {
 public:
  // Documents come in ascending order, none twice.
  void Add(Bytes document, Bytes positions);

  bool empty() const { return last_positions_.empty(); }
  // Bytes that the value has so far, about.
  size_t bytes() const { return others_.size() + last_positions_.size(); }
  Bytes last_document() const { return last_document_; }
  // Adds the value to the end of `to`, and begins anew. Not when empty.
  void Finish(std::string* to);

 private:
  std::string others_;  // all postings but the last
  uint64_t count_ = 0;  // of them
  Bytes before_;        // the document of the one before the last
  Bytes last_document_;
  Bytes last_positions_;
};

// Reads a block. Borrows the bytes.
class PostingBlockReader {
 public:
  // `last`: the document that the key ends with.
  PostingBlockReader(Bytes value, Bytes last);

  // To the first posting, then to the next. False at the end, and when malformed.
  [[nodiscard]] bool Next();
  // Was the value malformed? Asked at the end.
  bool failed() const { return failed_; }

  // Valid until the next move. Documents ascend, none is there twice; their length only the table
  // knows. Positions are read by PositionReader, which looks whether they are any.
  Bytes document() const { return document_; }
  Bytes positions() const { return positions_; }

 private:
  bool TakeOther();
  bool TakeLast();

  Bytes rest_;
  const Bytes last_;
  uint64_t others_ = 0;  // still to come
  bool at_last_ = false;
  bool failed_ = false;
  std::string document_;
  Bytes positions_;
};

}  // namespace basalt::codec
