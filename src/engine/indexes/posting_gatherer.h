// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "codec/posting_block.h"
#include "codec/posting_encoder.h"
#include "engine/indexes/word_numbers.h"
#include "txn/entry_buffer.h"

namespace basalt::engine {

// Gathers the words of many rows in memory, and makes blocks of them: entries of a FULLTEXT index
// that each say of a word in which rows it stands. Only words are sorted, not all their postings.
//
// Memory grows with what is added: the caller asks for bytes(), and finishes when they have come to
// kMostBytes at the latest. One thread.
class PostingGatherer {
 public:
  // Numbers have 32 bits, and the last row may be a large one.
  static constexpr size_t kMostBytes = 1u << 30;

  explicit PostingGatherer(uint32_t index_number) : index_number_(index_number) {}

  // A row that has been taken apart. Rows come in ascending order of their documents, also from one
  // Finish to the next. The row's own entry goes to `entries`.
  void Add(const codec::PostingEncoder& row, txn::EntryBuffer* entries);
  // In use besides the entries.
  size_t bytes() const;
  // Adds the blocks of all rows to `entries`, and begins anew.
  void Finish(txn::EntryBuffer* entries);

 private:
  // A word in a row.
  struct Posting {
    uint32_t word = 0;
    uint32_t row = 0;
    uint32_t positions_end = 0;  // in positions_; they begin where those of the one before end
  };
  // Which postings each word has, in the order of the rows: those of word n are at begins[n] and
  // behind, before begins[n + 1].
  struct ByWord {
    std::vector<uint32_t> begins;
    std::vector<uint32_t> postings;
  };
  ByWord PostingsByWord() const;
  void AddBlock(Bytes image, codec::PostingBlockWriter* block, txn::EntryBuffer* entries);
  Bytes DocumentOf(uint32_t row) const;
  Bytes PositionsOf(uint32_t posting) const;

  const uint32_t index_number_;
  WordNumbers words_;  // by image
  std::vector<Posting> postings_;
  std::string positions_;
  std::string documents_;
  std::vector<size_t> document_ends_;  // in documents_
  std::string key_;
  std::string value_;
};

}  // namespace basalt::engine
