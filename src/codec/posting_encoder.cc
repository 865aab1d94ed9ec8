// SPDX-License-Identifier: GPL-2.0-only
#include "codec/posting_encoder.h"

#include <algorithm>
#include <cstring>

#include "codec/row_value.h"
#include "codec/word_source.h"

namespace basalt::codec {

namespace {

// The text of a column that is not NULL. Borrowed from the record, or from where it points to. A
// length that exceeds the column is cut.
Bytes TextOf(const Column& column, const uint8_t* record) {
  const uint8_t* at = record + column.offset;
  if (column.kind == ColumnKind::kChar) return MakeBytes(at, column.pack_length);
  const uint32_t length = LoadLength(at, column.length_bytes);
  if (IsVariableLength(column.kind)) {
    const uint32_t room = column.pack_length - column.length_bytes;
    return MakeBytes(at + column.length_bytes, std::min(length, room));
  }
  const uint8_t* data;
  std::memcpy(&data, at + column.length_bytes, sizeof(data));
  return length == 0 ? Bytes() : MakeBytes(data, length);
}

}  // namespace

Status FindRowWords(const std::vector<Column>& columns, const uint8_t* record,
                    DocumentWords* words) {
  words->Begin();
  for (const Column& column : columns) {
    if (column.IsNull(record)) {
      words->SkipColumn();
      continue;
    }
    BASALT_RETURN_IF_ERROR(words->AddColumn(TextOf(column, record)));
  }
  words->Finish();
  return Status::Ok();
}

PostingEncoder::PostingEncoder(const TableDescriptor& table, size_t index, const KeyCodec* codec)
    : codec_(codec),
      words_(&table.indexes[index].words->parser(), &table.indexes[index].words->rules(),
             table.columns[table.indexes[index].parts[0].column].collation,
             DocumentWords::Which::kOfIndex),
      key_buffer_(codec->max_key_bytes()) {
  for (const KeyPart& part : table.indexes[index].parts) {
    columns_.push_back(table.columns[part.column]);
  }
}

Status PostingEncoder::Take(const uint8_t* record, uint64_t hidden_id) {
  bytes_.clear();
  entries_.clear();
  BASALT_RETURN_IF_ERROR(FindRowWords(columns_, record, &words_));
  const size_t key_bytes =
      codec_->EncodeKey(record, hidden_id, key_buffer_.data(), nullptr, nullptr);
  document_ = MakeBytes(key_buffer_.data(), key_bytes).substr(kPostingHeadBytes);
  return Status::Ok();
}

Status PostingEncoder::Encode(const uint8_t* record, uint64_t hidden_id, uint64_t stamp) {
  BASALT_RETURN_IF_ERROR(Take(record, hidden_id));
  MakeEntries(stamp);
  return Status::Ok();
}

void PostingEncoder::MakeEntries(uint64_t stamp) {
  AddOwnEntry(stamp);
  for (size_t word = 0; word < words_.size(); ++word) AddWord(word, stamp);
}

void PostingEncoder::AddOwnEntry(uint64_t stamp) {
  BeginEntry(PostingKind::kDocument);
  bytes_ += document_;
  BeginValue(stamp);
  AppendDocumentValue({words_.length(), /*in_blocks=*/false}, &bytes_);
  EndEntry();
}

void PostingEncoder::AddWord(size_t word, uint64_t stamp) {
  BeginEntry(PostingKind::kWord);
  bytes_ += words_.image(word);
  bytes_ += document_;
  BeginValue(stamp);
  bytes_ += words_.positions(word);
  EndEntry();
}

void PostingEncoder::BeginEntry(PostingKind kind) {
  entries_.push_back({bytes_.size(), 0, 0});
  AppendPostingHead(codec_->index_number(), kind, &bytes_);
}

void PostingEncoder::BeginValue(uint64_t stamp) {
  entries_.back().key_bytes = bytes_.size() - entries_.back().begin;
  if (codec_->has_ttl()) AppendBigEndian64(&bytes_, stamp);
}

void PostingEncoder::EndEntry() {
  Entry& entry = entries_.back();
  entry.value_bytes = bytes_.size() - entry.begin - entry.key_bytes;
}

}  // namespace basalt::codec
