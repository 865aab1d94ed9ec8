// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/column.h"
#include "codec/document_words.h"
#include "codec/word_source.h"
#include "engine/full_text/posting_source.h"

namespace basalt::engine {

// A FULLTEXT index as if the table had one row: that of a record. With it, a search tells whether a
// row that has just been read matches, whatever the index said of it in an earlier view.
//
// One thread. Borrows the words' rules and the collation.
class RowPostings final : public PostingSource {
 public:
  // The document of the only row.
  static constexpr Bytes kDocument = {};

  // `columns`: those of the index, in its order.
  RowPostings(const codec::WordSource* words, std::vector<codec::Column> columns);

  // Takes a row, whose record lives as long as it is searched. An error is the parser's.
  Status Take(const uint8_t* record);

  Status NewCursor(const std::string& image, std::unique_ptr<PostingCursor>* cursor) override;
  Status VisitWords(const std::string& range, PostingVisitor* visitor) override;
  Status Count(TextTotals* totals) override;
  Status FindLength(Bytes document, uint64_t* words) override;
  Status ReadRow(Bytes document, codec::DocumentWords* words) override;

 private:
  class OnlyPosting;

  const std::vector<codec::Column> columns_;
  codec::DocumentWords words_;  // those of the index
  const uint8_t* record_ = nullptr;
};

}  // namespace basalt::engine
