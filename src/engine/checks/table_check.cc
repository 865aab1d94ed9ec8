// SPDX-License-Identifier: GPL-2.0-only
#include "engine/checks/table_check.h"

#include "codec/checksum_chunk.h"
#include "codec/unique_image.h"
#include "engine/database.h"
#include "engine/entry_name.h"
#include "engine/indexes/entry_content.h"
#include "store/reports/file_check.h"

namespace basalt::engine {

TableCheck::TableCheck(Table* table, txn::Transaction* transaction, CheckDepth depth,
                       TaskProgress* progress, VirtualColumns* virtual_columns)
    : table_(*table),
      transaction_(transaction),
      depth_(depth),
      progress_(progress),
      findings_(table_),
      row_(table_, virtual_columns),
      must_have_(table_),
      blocks_(table_.index_count()),
      prefix_buffer_(table_.max_key_bytes()),
      passes_(table_.index_count()) {
  given_back_.record.resize(table_.descriptor().record_length);
}

// The files, the rows, each secondary index; entries and rows of those that are looked at again.
unsigned TableCheck::max_stages() const {
  return static_cast<unsigned>(2 * table_.index_count() + 1);
}

void TableCheck::BeginStage(uint64_t expected) {
  if (expected_steps_ != 0) progress_->NextStage();
  done_ = 0;
  expected_steps_ = expected + 1;
}

Status TableCheck::Proceed() {
  if (++done_ % TaskProgress::kEntriesPerReport != 0) return Status::Ok();
  if (progress_->Report(done_, expected_steps_)) return Status::Ok();
  return Status(Code::kInterrupted, "the check was interrupted");
}

Status TableCheck::Run() {
  if (depth_ == CheckDepth::kExtended) BASALT_RETURN_IF_ERROR(CheckFiles());
  BASALT_RETURN_IF_ERROR(CheckRows());
  for (size_t i = 0; i < table_.index_count(); ++i) {
    if (Secondary(i)) BASALT_RETURN_IF_ERROR(CheckEntries(i));
  }
  if (depth_ != CheckDepth::kQuick) return SearchDifferences();
  for (size_t i = 0; i < table_.index_count(); ++i) CompareCounts(i);
  return Status::Ok();
}

// What a walk ended with: damage is a finding, and the rest of the table is still checked.
Status TableCheck::EndWalk(size_t index, Bytes previous_key, Status status, bool* complete) {
  *complete = status.code() == Code::kEndOfRange;
  if (*complete) return Status::Ok();
  if (status.code() != Code::kCorruption && status.code() != Code::kIoError) return status;
  const std::string behind = previous_key.empty() ? "" : " behind key " + HexOf(previous_key);
  findings_.AddText(index, "cannot be read" + behind + ": " + std::string(status.message()));
  return Status::Ok();
}

Status TableCheck::CheckRows() {
  BeginStage(table_.statistics().Rows());
  IndexWalk walk(table_, table_.primary_position(), transaction_);
  Status status = walk.Next();
  for (; status.ok(); status = walk.Next()) {
    BASALT_RETURN_IF_ERROR(Proceed());
    if (walk.EntryHasExpired()) continue;
    ++rows_;
    if (depth_ == CheckDepth::kQuick) {
      CheckRowQuickly(walk.key(), walk.value());
    } else {
      BASALT_RETURN_IF_ERROR(CheckRow(walk.key(), walk.value()));
    }
    if (walk.key() <= walk.previous_key()) {
      findings_.Add(table_.primary_position(), Finding::kOutOfOrder, walk.key());
    }
  }
  return EndWalk(table_.primary_position(), walk.previous_key(), std::move(status),
                 &rows_complete_);
}

void TableCheck::CheckRowQuickly(Bytes key, Bytes value) {
  const codec::KeyCodec& codec = *table_.primary().codec;
  bool has_checksum = false;
  if (codec.PrefixBytes(key, codec.total_parts()) == key.size() &&
      RowEndsWell(table_.row_codec(), value, &has_checksum)) {
    return;
  }
  findings_.Add(table_.primary_position(), Finding::kUndecodable, key);
}

Status TableCheck::CheckRow(Bytes key, Bytes value) {
  const size_t primary = table_.primary_position();
  if (!row_.Decode(key, value)) {
    findings_.Add(primary, Finding::kUndecodable, key);
    return Status::Ok();
  }
  if (depth_ == CheckDepth::kExtended && table_.row_codec().HasChecksumChunk(value)) {
    CheckChecksum(primary, key, value);
  }
  const codec::KeyCodec& codec = *table_.primary().codec;
  BASALT_RETURN_IF_ERROR(must_have_.Encode(primary, row_));
  if (must_have_.key(0) != key) findings_.Add(primary, Finding::kMisplaced, key);
  if (!codec.UniqueIsExact()) CheckImage(primary, key, row_, &primary_run_);
  for (size_t i = 0; i < table_.index_count(); ++i) {
    if (!Secondary(i)) continue;
    BASALT_RETURN_IF_ERROR(must_have_.Encode(i, row_));
    for (size_t entry = 0; entry < must_have_.size(); ++entry) {
      passes_[i].expected.Add(must_have_.key(entry), must_have_.content(entry));
    }
  }
  return Status::Ok();
}

void TableCheck::CheckChecksum(size_t index, Bytes key, Bytes value) {
  if (codec::VerifyChecksumChunk(key, value) == codec::ChecksumState::kMatches) return;
  findings_.Add(index, Finding::kWrongChecksum, key);
}

Status TableCheck::CheckEntries(size_t index) {
  BeginStage(rows_);
  EntryWalk walk(table_, index, transaction_);
  Status status = walk.Next();
  for (; status.ok(); status = walk.Next()) {
    BASALT_RETURN_IF_ERROR(Proceed());
    if (walk.EntryHasExpired()) continue;
    ++passes_[index].entries;
    CheckEntry(index, walk.key(), walk.value(), walk.previous_key());
  }
  passes_[index].marks_agree = walk.MarksAgree();
  return EndWalk(index, walk.previous_key(), std::move(status), &passes_[index].complete);
}

void TableCheck::CheckEntry(size_t index, Bytes key, Bytes value, Bytes previous) {
  const codec::KeyCodec& codec = *table_.index(index).codec;
  EntryContent content;
  if (codec.PrefixBytes(key, codec.total_parts()) != key.size() ||
      !ReadEntryContent(codec, key, value, &content)) {
    return findings_.Add(index, Finding::kMalformed, key);
  }
  if (key <= previous) findings_.Add(index, Finding::kOutOfOrder, key);
  if (depth_ == CheckDepth::kQuick) return;
  passes_[index].actual.Add(key, content.unpack);
  if (content.has_checksum && depth_ == CheckDepth::kExtended) CheckChecksum(index, key, value);
  if (!table_.index(index).unique || !codec.UniqueIsExact()) return;
  // Equal values are neighbours, and no value's bytes are the beginning of another's.
  const Bytes declared = key.substr(0, codec.PrefixBytes(key, codec.user_parts()));
  if (previous.starts_with(declared) && !codec.UserPartsHaveNull(key)) {
    findings_.Add(index, Finding::kDuplicate, key);
  }
}

// Rows that conflict share an image, and their keys begin with the same bytes. All keys that begin
// with these are neighbours, so the images of one run of them are all that has to be kept. A row
// with shorter bytes widens the run.
void TableCheck::CheckImage(size_t index, Bytes key, const RowImage& row, ImageRun* run) {
  const codec::KeyCodec& codec = *table_.index(index).codec;
  if (codec.UserPartsHaveNull(row.record())) return;
  const size_t bytes = codec::EncodeUniquePrefix(codec, row.record(), prefix_buffer_.data());
  const Bytes prefix = MakeBytes(prefix_buffer_.data(), bytes);
  if (run->prefix.empty() || !key.starts_with(run->prefix)) {
    if (!Bytes(run->prefix).starts_with(prefix)) run->images.clear();
    run->prefix = prefix;
  } else if (prefix.size() < run->prefix.size()) {
    run->prefix = prefix;
  }
  std::string image;
  codec::EncodeUniqueImage(codec, row.record(), &image);
  if (!run->images.insert(std::move(image)).second) {
    findings_.Add(index, Finding::kDuplicate, key);
  }
}

void TableCheck::CompareCounts(size_t index) {
  if (!Secondary(index) || !rows_complete_ || !passes_[index].complete) return;
  if (passes_[index].entries == rows_ || IsFullText(*table_.index(index).codec)) return;
  findings_.AddText(index, "has " + std::to_string(passes_[index].entries) +
                               " entries, the table " + std::to_string(rows_) + " rows");
}

// Reads past the cache, which may still hold what the disk has lost.
Status TableCheck::CheckFiles() {
  BeginStage(0);
  store::Store* store = table_.database()->store();
  const auto go_on = [this] { return progress_->Report(0, 1); };
  for (size_t i = 0; i < table_.index_count(); ++i) {
    std::vector<std::string> damaged;
    BASALT_RETURN_IF_ERROR(
        store::CheckFiles(store, table_.index(i).id, table_.index(i).family, go_on, &damaged));
    for (const std::string& text : damaged) {
      findings_.AddText(i, "shares a damaged table file: " + text);
    }
  }
  return Status::Ok();
}

}  // namespace basalt::engine
