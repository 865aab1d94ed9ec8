// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/posting_gatherer.h"

#include "codec/posting.h"

namespace basalt::engine {
namespace {

// A search decodes a block from its beginning to get at a row in it.
constexpr size_t kBlockBytes = 2000;

}  // namespace

void PostingGatherer::Add(const codec::PostingEncoder& row, txn::EntryBuffer* entries) {
  const codec::DocumentWords& words = row.words();
  const auto number = static_cast<uint32_t>(document_ends_.size());
  for (size_t i = 0; i < words.size(); ++i) {
    positions_ += words.positions(i);
    postings_.push_back(
        {words_.NumberOf(words.image(i)), number, static_cast<uint32_t>(positions_.size())});
  }
  documents_ += row.document();
  document_ends_.push_back(documents_.size());
  key_.clear();
  value_.clear();
  codec::AppendPostingHead(index_number_, codec::PostingKind::kDocument, &key_);
  key_ += row.document();
  codec::AppendDocumentValue({words.length(), /*in_blocks=*/true}, &value_);
  entries->Add(key_, value_);
}

// What Finish needs to sort them is counted, too.
size_t PostingGatherer::bytes() const {
  constexpr size_t kBytesOfPosting = sizeof(Posting) + 2 * sizeof(uint32_t);
  return words_.bytes() + postings_.size() * kBytesOfPosting + positions_.size() +
         documents_.size() + document_ends_.size() * sizeof(size_t);
}

void PostingGatherer::Finish(txn::EntryBuffer* entries) {
  const ByWord by_word = PostingsByWord();
  codec::PostingBlockWriter block;
  for (const WordNumbers::Word& word : words_.Sorted()) {
    for (uint32_t i = by_word.begins[word.number]; i < by_word.begins[word.number + 1]; ++i) {
      const uint32_t posting = by_word.postings[i];
      block.Add(DocumentOf(postings_[posting].row), PositionsOf(posting));
      if (block.bytes() >= kBlockBytes) AddBlock(word.bytes, &block, entries);
    }
    if (!block.empty()) AddBlock(word.bytes, &block, entries);
  }
  words_.Clear();
  postings_.clear();
  positions_.clear();
  documents_.clear();
  document_ends_.clear();
}

PostingGatherer::ByWord PostingGatherer::PostingsByWord() const {
  ByWord found;
  found.begins.resize(words_.size() + 1);
  for (const Posting& posting : postings_) ++found.begins[posting.word + 1];
  for (size_t i = 1; i < found.begins.size(); ++i) found.begins[i] += found.begins[i - 1];
  std::vector<uint32_t> next = found.begins;
  found.postings.resize(postings_.size());
  for (uint32_t i = 0; i < postings_.size(); ++i) {
    found.postings[next[postings_[i].word]++] = i;
  }
  return found;
}

void PostingGatherer::AddBlock(Bytes image, codec::PostingBlockWriter* block,
                               txn::EntryBuffer* entries) {
  key_.clear();
  value_.clear();
  codec::AppendPostingHead(index_number_, codec::PostingKind::kBlock, &key_);
  key_.append(image).append(block->last_document());
  block->Finish(&value_);
  entries->Add(key_, value_);
}

Bytes PostingGatherer::DocumentOf(uint32_t row) const {
  const size_t begin = row == 0 ? 0 : document_ends_[row - 1];
  return Bytes(documents_).substr(begin, document_ends_[row] - begin);
}

Bytes PostingGatherer::PositionsOf(uint32_t posting) const {
  const uint32_t begin = posting == 0 ? 0 : postings_[posting - 1].positions_end;
  return Bytes(positions_).substr(begin, postings_[posting].positions_end - begin);
}

}  // namespace basalt::engine
