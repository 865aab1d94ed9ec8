// SPDX-License-Identifier: GPL-2.0-only
#include "codec/posting_block.h"

#include <algorithm>

#include "codec/variable_number.h"

namespace basalt::codec {

namespace {

// How many bytes the two begin with alike.
size_t SharedBytes(Bytes one, Bytes other) {
  const auto end = one.begin() + static_cast<ptrdiff_t>(std::min(one.size(), other.size()));
  return static_cast<size_t>(std::mismatch(one.begin(), end, other.begin()).first - one.begin());
}

// A number of bytes, and then so many.
void AppendSized(Bytes bytes, std::string* to) {
  AppendVariableNumber(bytes.size(), to);
  to->append(bytes);
}

[[nodiscard]] bool TakeSized(Bytes* from, Bytes* bytes) {
  uint64_t size;
  if (!TakeVariableNumber(from, &size) || size > from->size()) return false;
  *bytes = from->substr(0, size);
  from->remove_prefix(size);
  return true;
}

}  // namespace

void PostingBlockWriter::Add(Bytes document, Bytes positions) {
  if (!empty()) {
    const size_t shared = SharedBytes(before_, last_document_);
    AppendVariableNumber(shared, &others_);
    AppendSized(last_document_.substr(shared), &others_);
    AppendSized(last_positions_, &others_);
    ++count_;
    before_ = last_document_;
  }
  last_document_ = document;
  last_positions_ = positions;
}

void PostingBlockWriter::Finish(std::string* to) {
  AppendVariableNumber(count_, to);
  *to += others_;
  *to += last_positions_;
  others_.clear();
  count_ = 0;
  before_ = {};
  last_positions_ = {};
}

PostingBlockReader::PostingBlockReader(Bytes value, Bytes last) : rest_(value), last_(last) {
  failed_ = !TakeVariableNumber(&rest_, &others_);
}

bool PostingBlockReader::Next() {
  if (failed_ || at_last_) return false;
  if (others_ != 0 ? TakeOther() : TakeLast()) return true;
  failed_ = true;
  return false;
}

bool PostingBlockReader::TakeOther() {
  --others_;
  uint64_t shared;
  Bytes behind;
  if (!TakeVariableNumber(&rest_, &shared) || shared > document_.size()) return false;
  if (!TakeSized(&rest_, &behind) || !TakeSized(&rest_, &positions_)) return false;
  // They ascend: what differs is greater, or is more where nothing was.
  if (behind <= Bytes(document_).substr(shared)) return false;
  document_.resize(shared);
  document_ += behind;
  return true;
}

bool PostingBlockReader::TakeLast() {
  at_last_ = true;
  if (last_ <= document_ || rest_.empty()) return false;
  document_.assign(last_);
  positions_ = rest_;
  return true;
}

}  // namespace basalt::codec
