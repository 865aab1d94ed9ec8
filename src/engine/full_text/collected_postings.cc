// SPDX-License-Identifier: GPL-2.0-only
#include "engine/full_text/collected_postings.h"

#include <algorithm>

#include "codec/posting.h"

namespace basalt::engine {

Status CollectedPostings::Collect(const codec::WordBeginning& beginning, PostingSource* source) {
  bytes_.clear();
  documents_.clear();
  beginning_ = &beginning;
  BASALT_RETURN_IF_ERROR(source->VisitWords(beginning.range(), this));
  SortAndAddUp();
  return Status::Ok();
}

Status CollectedPostings::Visit(Bytes word, Bytes document, Bytes positions) {
  if (!beginning_->Matches(word)) return Status::Ok();
  const uint64_t frequency = codec::CountPositions(positions);
  if (frequency == 0) {
    return Status(Code::kCorruption, "an entry of a FULLTEXT index has a malformed value");
  }
  documents_.push_back({bytes_.size(), static_cast<uint32_t>(document.size()), frequency});
  bytes_.append(document);
  if (bytes_.size() + documents_.size() * sizeof(Document) > most_bytes_) {
    return Status(Code::kOutOfMemory,
                  "too many rows have words with the beginning that a full-text query asks for; "
                  "a longer beginning takes less memory");
  }
  return Status::Ok();
}

void CollectedPostings::SortAndAddUp() {
  const auto document_of = [this](const Document& one) {
    return Bytes(bytes_).substr(one.begin, one.bytes);
  };
  std::sort(documents_.begin(), documents_.end(),
            [&](const Document& a, const Document& b) { return document_of(a) < document_of(b); });
  size_t kept = 0;
  for (size_t i = 0; i < documents_.size(); ++i) {
    if (kept > 0 && document_of(documents_[kept - 1]) == document_of(documents_[i])) {
      documents_[kept - 1].frequency += documents_[i].frequency;
    } else {
      documents_[kept++] = documents_[i];
    }
  }
  documents_.resize(kept);
}

}  // namespace basalt::engine
