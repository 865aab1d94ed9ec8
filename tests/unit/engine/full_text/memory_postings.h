// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codec/document_words.h"
#include "engine/full_text/posting_source.h"
#include "unit/codec/ascii_characters.h"
#include "unit/codec/fake_collation.h"

namespace basalt::test {

// Words of three to ten letters, a and A alike, without "the", "and" and "for".
class TestLanguage {
 public:
  TestLanguage();
  const AsciiCharacters* characters() const { return &characters_; }
  const codec::TextParser* parser() const { return &parser_; }
  const codec::WordRules* rules() const { return &rules_; }
  const codec::Collation* collation() const { return collation_; }
  codec::DocumentWords NewWords(codec::DocumentWords::Which which) const {
    return codec::DocumentWords(&parser_, &rules_, collation_, which);
  }

 private:
  AsciiCharacters characters_;
  codec::ScanningParser parser_;
  const codec::Collation* collation_;
  codec::WordRules rules_;
};

// A FULLTEXT index over rows in memory, its postings as the engine would write them.
class MemoryPostings final : public engine::PostingSource {
 public:
  using Row = std::vector<std::optional<std::string>>;

  explicit MemoryPostings(const TestLanguage* language);

  void Add(const std::string& document, const Row& row);

  Status NewCursor(const std::string& image,
                   std::unique_ptr<engine::PostingCursor>* cursor) override;
  Status VisitWords(const std::string& range, engine::PostingVisitor* visitor) override;
  Status Count(engine::TextTotals* totals) override;
  Status FindLength(Bytes document, uint64_t* words) override;
  Status ReadRow(Bytes document, codec::DocumentWords* words) override;

  // Makes each posting of the word malformed.
  void Damage(const std::string& image);
  size_t rows_read() const { return rows_read_; }
  size_t steps() const { return steps_; }

 private:
  using List = std::map<std::string, std::string, std::less<>>;  // document -> positions
  class Cursor;

  codec::DocumentWords words_;
  std::map<std::string, List> postings_;
  std::map<std::string, Row, std::less<>> rows_;
  std::map<std::string, uint64_t, std::less<>> lengths_;  // of the same rows
  size_t rows_read_ = 0;
  size_t steps_ = 0;
};

}  // namespace basalt::test
