// SPDX-License-Identifier: GPL-2.0-only
#include "engine/full_text/row_postings.h"

#include <utility>

#include "codec/posting_encoder.h"

namespace basalt::engine {

// The posting of a word in the row; none where `positions` is empty.
class RowPostings::OnlyPosting final : public PostingCursor {
 public:
  explicit OnlyPosting(Bytes positions) : positions_(positions) {}

  Status SeekTo(Bytes document) override {
    valid_ = document == kDocument && !positions_.empty();
    return Status::Ok();
  }
  Status Next() override {
    valid_ = false;
    return Status::Ok();
  }
  bool valid() const override { return valid_; }
  Bytes document() const override { return kDocument; }
  Bytes positions() const override { return positions_; }

 private:
  const Bytes positions_;
  bool valid_ = false;
};

RowPostings::RowPostings(const codec::WordSource* words, std::vector<codec::Column> columns)
    : columns_(std::move(columns)),
      words_(&words->parser(), &words->rules(), columns_[0].collation,
             codec::DocumentWords::Which::kOfIndex) {}

Status RowPostings::Take(const uint8_t* record) {
  record_ = record;
  return FindRowWords(columns_, record, &words_);
}

Status RowPostings::NewCursor(const std::string& image, std::unique_ptr<PostingCursor>* cursor) {
  *cursor = std::make_unique<OnlyPosting>(words_.Find(image));
  return Status::Ok();
}

Status RowPostings::VisitWords(const std::string& range, PostingVisitor* visitor) {
  for (size_t i = 0; i < words_.size(); ++i) {
    if (!words_.image(i).starts_with(range)) continue;
    BASALT_RETURN_IF_ERROR(visitor->Visit(words_.image(i), kDocument, words_.positions(i)));
  }
  return Status::Ok();
}

Status RowPostings::Count(TextTotals* totals) {
  *totals = {1, words_.length()};
  return Status::Ok();
}

Status RowPostings::FindLength(Bytes document, uint64_t* words) {
  *words = document == kDocument ? words_.length() : 0;
  return Status::Ok();
}

Status RowPostings::ReadRow(Bytes, codec::DocumentWords* words) {
  return FindRowWords(columns_, record_, words);
}

}  // namespace basalt::engine
