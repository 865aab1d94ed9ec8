// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/posting_encoder.h"
#include "engine/indexes/index_walk.h"
#include "engine/table.h"

namespace basalt::engine {

// All entries that a row must have in an index: one, or in a FULLTEXT index one for each word and
// the row's own. One thread. Borrows the table.
class RowEntries {
 public:
  explicit RowEntries(const Table& table);

  // Makes them for one index. An error is that of the index's parser.
  Status Encode(size_t index, const RowImage& row);

  // In ascending order of the keys. What is given is valid until the next Encode.
  size_t size() const { return words_ == nullptr ? 1 : words_->size(); }
  Bytes key(size_t i) const { return words_ == nullptr ? entry_.key() : words_->key(i); }
  // What of the value counts, see EntryContent.
  Bytes content(size_t i) const;
  // The position of the entry with this key; size() when the row has none such.
  size_t Find(Bytes key) const;

 private:
  const Table& table_;
  EntryEncoder entry_;
  std::vector<std::unique_ptr<codec::PostingEncoder>> encoders_;  // by index; null but for FULLTEXT
  const codec::PostingEncoder* words_ = nullptr;  // of the index at hand, if it is a FULLTEXT one
  const codec::KeyCodec* codec_ = nullptr;
};

}  // namespace basalt::engine
