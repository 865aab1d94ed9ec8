// SPDX-License-Identifier: GPL-2.0-only
//
// The second half of TableCheck: where fingerprints differ, entries and rows are looked up one by
// one to tell which are wrong.
#include "engine/checks/table_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/database.h"
#include "engine/indexes/entry_content.h"
#include "engine/posting_key.h"
#include "engine/ttl_clock.h"

namespace basalt::engine {
namespace {

template <typename Number>
bool SameNumber(const uint8_t* one, const uint8_t* other) {
  Number first;
  Number second;
  std::memcpy(&first, one, sizeof(first));
  std::memcpy(&second, other, sizeof(second));
  return first == second || (std::isnan(first) && std::isnan(second));
}

// Length, and pointer to the data.
bool SameBlob(const codec::Column& column, const uint8_t* one, const uint8_t* other) {
  if (std::memcmp(one, other, column.length_bytes) != 0) return false;
  size_t length = 0;
  std::memcpy(&length, one, column.length_bytes);
  const uint8_t* first;
  const uint8_t* second;
  std::memcpy(&first, one + column.length_bytes, sizeof(first));
  std::memcpy(&second, other + column.length_bytes, sizeof(second));
  return length == 0 || std::memcmp(first, second, length) == 0;
}

// Is the column the same in both record images? A key holds zero without its sign.
bool SameColumn(const codec::Column& column, const uint8_t* one, const uint8_t* other) {
  if (column.IsNull(one) || column.IsNull(other)) return column.IsNull(one) == column.IsNull(other);
  one += column.offset;
  other += column.offset;
  if (column.kind == codec::ColumnKind::kFloat) return SameNumber<float>(one, other);
  if (column.kind == codec::ColumnKind::kDouble) return SameNumber<double>(one, other);
  if (codec::IsBlob(column.kind)) return SameBlob(column, one, other);
  size_t bytes = column.pack_length;
  if (codec::IsVariableLength(column.kind)) {
    const size_t length = column.length_bytes == 1 ? one[0] : one[0] | size_t{one[1]} << 8;
    bytes = std::min(bytes, column.length_bytes + length);
  }
  return std::memcmp(one, other, bytes) == 0;
}

}  // namespace

// Both passes have come to their end, and with different results.
bool TableCheck::Differs(size_t index) const {
  const IndexPass& pass = passes_[index];
  return rows_complete_ && pass.complete && pass.expected != pass.actual;
}

// Also where the keys of a unique index do not decide what is equal: then rows have to be compared.
bool TableCheck::NeedsEntrySearch(size_t index) const {
  const Index& data = table_.index(index);
  return depth_ == CheckDepth::kExtended || Differs(index) ||
         (data.unique && !data.codec->UniqueIsExact());
}

Status TableCheck::SearchDifferences() {
  std::vector<size_t> with_rows;
  for (size_t i = 0; i < table_.index_count(); ++i) {
    if (!Secondary(i)) continue;
    if (NeedsEntrySearch(i)) BASALT_RETURN_IF_ERROR(SearchEntries(i));
    if (depth_ == CheckDepth::kExtended || Differs(i)) with_rows.push_back(i);
  }
  if (!with_rows.empty() || depth_ == CheckDepth::kExtended) {
    BASALT_RETURN_IF_ERROR(SearchRows(with_rows));
  }
  for (size_t i = 0; i < table_.index_count(); ++i) ReportWhole(i);
  return Status::Ok();
}

// What is wrong with an index none of whose entries is.
void TableCheck::ReportWhole(size_t index) {
  const bool all_decoded = findings_.count(table_.primary_position(), Finding::kUndecodable) == 0;
  if (!all_decoded || findings_.damaged()[index]) return;
  if (Differs(index)) return findings_.AddText(index, "does not hold what the rows say");
  if (!passes_[index].complete || passes_[index].marks_agree) return;
  findings_.AddText(index, "does not mark the rows whose words are in blocks");
}

Status TableCheck::SearchEntries(size_t index) {
  BeginStage(rows_);
  EntryWalk walk(table_, index, transaction_);
  ImageRun run;
  Status status = walk.Next();
  for (; status.ok(); status = walk.Next()) {
    BASALT_RETURN_IF_ERROR(Proceed());
    if (walk.EntryHasExpired()) continue;
    BASALT_RETURN_IF_ERROR(SearchEntry(index, walk.key(), walk.value(), &run));
  }
  // What could not be read has been said when the entries were counted.
  if (status.code() == Code::kInterrupted) return status;
  return Status::Ok();
}

// Ok with *found kOk, kNotFound (also for what has expired), or kCorruption for whatever keeps the
// value from being read.
Status TableCheck::LookUp(size_t index, Bytes key, rocksdb::PinnableSlice* value, Code* found) {
  Status status =
      transaction_->reads().Get(table_.index(index).family, key, txn::View::kSnapshot, value);
  *found = status.code();
  if (status.code() == Code::kIoError) *found = Code::kCorruption;
  const uint64_t seconds = table_.index(index).ttl_seconds;
  if (status.ok() && seconds != 0 &&
      store::ValueHasExpired(Bytes(value->data(), value->size()), seconds,
                             SnapshotSeconds(table_, transaction_))) {
    *found = Code::kNotFound;
  }
  if (*found == Code::kOk || *found == Code::kNotFound || *found == Code::kCorruption) {
    return Status::Ok();
  }
  return status;
}

Status TableCheck::SearchEntry(size_t index, Bytes key, Bytes value, ImageRun* run) {
  const codec::KeyCodec& codec = *table_.index(index).codec;
  EntryContent content;
  if (codec.PrefixBytes(key, codec.total_parts()) != key.size() ||
      !ReadEntryContent(codec, key, value, &content)) {
    return Status::Ok();  // counted before
  }
  const size_t bytes = codec.ExtractPrimaryKey(key, prefix_buffer_.data());
  const std::string row_key(MakeBytes(prefix_buffer_.data(), bytes));
  rocksdb::PinnableSlice row;
  Code found;
  BASALT_RETURN_IF_ERROR(LookUp(table_.primary_position(), row_key, &row, &found));
  if (found == Code::kNotFound) {
    findings_.Add(index, Finding::kNoRow, key);
    return Status::Ok();
  }
  if (found != Code::kOk || !row_.Decode(row_key, row.ToStringView())) {
    findings_.Add(index, Finding::kUnreadableRow, key);
    return Status::Ok();
  }
  BASALT_RETURN_IF_ERROR(must_have_.Encode(index, row_));
  const size_t entry = must_have_.Find(key);
  if (entry == must_have_.size()) {
    findings_.Add(index, Finding::kForeign, key);
  } else if (must_have_.content(entry) != content.unpack || !EntryGivesRowBack(index, key, value)) {
    findings_.Add(index, Finding::kWrongContent, key);
  }
  if (table_.index(index).unique && !codec.UniqueIsExact()) CheckImage(index, key, row_, run);
  return Status::Ok();
}

// Decodes the entry, and compares what comes out with the row in row_.
bool TableCheck::EntryGivesRowBack(size_t index, Bytes key, Bytes value) {
  const codec::KeyCodec& codec = *table_.index(index).codec;
  if (depth_ != CheckDepth::kExtended || IsFullText(codec)) return true;
  const codec::TableDescriptor& descriptor = table_.descriptor();
  if (given_back_.index != index) {
    given_back_.decoder.Compile(descriptor, codec,
                                codec::ColumnSet::All(descriptor.columns.size()));
    given_back_.index = index;
  }
  if (!given_back_.decoder.Decode(key, value, given_back_.record.data())) return false;
  for (unsigned part = 0; part < codec.total_parts(); ++part) {
    if (!codec.IsPartDecodable(part)) continue;
    const codec::Column& column = descriptor.columns[codec.PartColumn(part)];
    if (!SameColumn(column, row_.record(), given_back_.record.data())) return false;
  }
  return true;
}

Status TableCheck::SearchRows(const std::vector<size_t>& indexes) {
  BeginStage(rows_);
  const size_t primary = table_.primary_position();
  IndexWalk walk(table_, primary, transaction_);
  rocksdb::PinnableSlice value;
  Code found;
  Status status = walk.Next();
  for (; status.ok(); status = walk.Next()) {
    BASALT_RETURN_IF_ERROR(Proceed());
    if (walk.EntryHasExpired()) continue;
    if (depth_ == CheckDepth::kExtended) {
      BASALT_RETURN_IF_ERROR(LookUp(primary, walk.key(), &value, &found));
      if (found != Code::kOk) findings_.Add(primary, Finding::kNotFoundByKey, walk.key());
    }
    if (!row_.Decode(walk.key(), walk.value())) continue;
    for (const size_t index : indexes) {
      BASALT_RETURN_IF_ERROR(SearchEntriesOfRow(index, walk.key()));
    }
  }
  if (status.code() == Code::kInterrupted) return status;
  return Status::Ok();
}

// Of the row in row_.
Status TableCheck::SearchEntriesOfRow(size_t index, Bytes row_key) {
  BASALT_RETURN_IF_ERROR(must_have_.Encode(index, row_));
  for (size_t entry = 0; entry < must_have_.size(); ++entry) {
    Code found;
    BASALT_RETURN_IF_ERROR(LookUpEntry(index, must_have_.key(entry), &found));
    if (found == Code::kNotFound) findings_.Add(index, Finding::kMissing, row_key);
  }
  return Status::Ok();
}

Status TableCheck::LookUpEntry(size_t index, Bytes key, Code* found) {
  rocksdb::PinnableSlice value;
  BASALT_RETURN_IF_ERROR(LookUp(index, key, &value, found));
  if (*found != Code::kNotFound || !IsFullText(*table_.index(index).codec)) return Status::Ok();
  return LookUpInBlocks(index, key, found);
}

Status TableCheck::LookUpInBlocks(size_t index, Bytes key, Code* found) {
  codec::PostingKey posting;
  if (!DecodePostingKey(table_.index(index), key, &posting)) return Status::Ok();
  if (posting.kind != codec::PostingKind::kWord) return Status::Ok();
  std::unique_ptr<BlockCursor>& blocks = blocks_[index];
  if (blocks == nullptr) {
    blocks = std::make_unique<BlockCursor>(table_, index);
    BASALT_RETURN_IF_ERROR(blocks->BindTo(transaction_, /*fill_cache=*/true));
  }
  Status sought = blocks->SeekTo(posting.word, posting.document);
  if (sought.code() == Code::kCorruption) return Status::Ok();  // told before
  BASALT_RETURN_IF_ERROR(std::move(sought));
  const bool is_there =
      blocks->valid() && blocks->word() == posting.word && blocks->document() == posting.document;
  if (is_there) *found = Code::kOk;
  return Status::Ok();
}

}  // namespace basalt::engine
