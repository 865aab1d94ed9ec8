// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace basalt::engine {

// All postings of one word, in memory, as a cursor gave them: a search that has counted them need
// not read them again. One thread.
class KeptPostings {
 public:
  // Documents come in ascending order, none twice.
  void Add(Bytes document, Bytes positions);

  size_t size() const { return postings_.size(); }
  // Borrowed; valid until the next Add.
  Bytes document(size_t i) const {
    return Bytes(bytes_).substr(postings_[i].begin, postings_[i].document_bytes);
  }
  Bytes positions(size_t i) const {
    const Posting& posting = postings_[i];
    return Bytes(bytes_).substr(posting.begin + posting.document_bytes, posting.position_bytes);
  }
  // Bytes that they take; as many again may lie ready for more.
  size_t bytes() const { return bytes_.size() + postings_.size() * sizeof(Posting); }

 private:
  struct Posting {
    size_t begin = 0;  // in bytes_
    uint32_t document_bytes = 0;
    uint32_t position_bytes = 0;
  };

  std::string bytes_;
  std::vector<Posting> postings_;
};

}  // namespace basalt::engine
