// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/word_image.h"
#include "engine/full_text/posting_source.h"

namespace basalt::engine {

// The documents of all words with a common beginning, each once, with how often such words stand
// there. They lie in memory, since the index has them word by word. One thread.
class CollectedPostings : private PostingVisitor {
 public:
  // Takes at most `most_bytes` of memory, roughly.
  explicit CollectedPostings(size_t most_bytes) : most_bytes_(most_bytes) {}

  // Collects them. kOutOfMemory when they take more than they may.
  Status Collect(const codec::WordBeginning& beginning, PostingSource* source);

  size_t size() const { return documents_.size(); }
  Bytes document(size_t i) const {
    return Bytes(bytes_).substr(documents_[i].begin, documents_[i].bytes);
  }
  uint64_t frequency(size_t i) const { return documents_[i].frequency; }

 private:
  struct Document {
    size_t begin = 0;  // in bytes_
    uint32_t bytes = 0;
    uint64_t frequency = 0;
  };

  Status Visit(Bytes word, Bytes document, Bytes positions) override;
  void SortAndAddUp();

  size_t most_bytes_;
  const codec::WordBeginning* beginning_ = nullptr;
  std::string bytes_;
  std::vector<Document> documents_;
};

}  // namespace basalt::engine
