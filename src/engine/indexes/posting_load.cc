// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/posting_load.h"

#include <algorithm>

namespace basalt::engine {

bool PostingLoad::IsFull() const {
  const size_t share = target_.load->buffer_bytes() / target_.full_text_indexes;
  return gatherer_.bytes() + entries_.bytes() >= std::min(share, PostingGatherer::kMostBytes);
}

Status PostingLoad::Add(codec::PostingEncoder* row) {
  // No document is empty.
  if (!target_.in_blocks || row->document() <= last_document_) {
    row->MakeEntries(/*stamp=*/0);
    return AddEntriesOf(*row);
  }
  last_document_.assign(row->document());
  gatherer_.Add(*row, &entries_);
  return IsFull() ? Finish() : Status::Ok();
}

Status PostingLoad::AddEntriesOf(const codec::PostingEncoder& row) {
  for (size_t i = 0; i < row.size(); ++i) {
    BASALT_RETURN_IF_ERROR(AddEntry(row.key(i), row.value(i)));
  }
  return Status::Ok();
}

Status PostingLoad::Finish() {
  gatherer_.Finish(&entries_);
  for (size_t i = 0; i < entries_.count(); ++i) {
    BASALT_RETURN_IF_ERROR(AddEntry(entries_.key(i), entries_.value(i)));
  }
  entries_.Clear();
  return Status::Ok();
}

Status PostingLoad::AddEntry(Bytes key, Bytes value) {
  bytes_ += key.size() + value.size();
  return target_.load->Add(target_.index, key, value);
}

}  // namespace basalt::engine
