// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/new_row.h"

namespace basalt::engine {
namespace {

// What is converted is read as the table has it; its virtual columns nobody needs.
RowImage ImageOf(const Table& table, const NewRow::Target& target, bool converts,
                 VirtualColumns* virtual_columns) {
  if (converts) {
    return RowImage(table.descriptor(), *table.primary().codec, table.row_codec(), nullptr);
  }
  return RowImage(target.descriptor, target.primary, target.rows, virtual_columns);
}

}  // namespace

NewRow::NewRow(const Table& table, const Target& target, RowConversion* conversion,
               VirtualColumns* virtual_columns, Room room)
    : target_(target.descriptor),
      rows_(target.rows),
      conversion_(conversion),
      virtual_columns_(virtual_columns),
      image_(ImageOf(table, target, conversion != nullptr, virtual_columns)),
      converted_(conversion == nullptr ? 0 : target.descriptor.record_length),
      encoder_(room.key, room.unpack),
      word_encoders_(target.descriptor.indexes.size()) {}

Status NewRow::Decode(Bytes key, Bytes value) {
  if (!image_.Decode(key, value)) return Status(Code::kCorruption, "a row cannot be decoded");
  has_stamp_ = codec::ReadTtl(value, &stamp_);
  if (conversion_ == nullptr) return Status::Ok();
  BASALT_RETURN_IF_ERROR(conversion_->Convert(image_.record(), converted_.data()));
  if (virtual_columns_ != nullptr) virtual_columns_->ComputeAll(converted_.data());
  return Status::Ok();
}

codec::PostingEncoder* NewRow::WordsOf(const NewIndex& index) {
  if (!IsFullText(*index.codec)) return nullptr;
  std::unique_ptr<codec::PostingEncoder>& words = word_encoders_[index.position];
  if (words == nullptr) {
    words = std::make_unique<codec::PostingEncoder>(target_, index.position, index.codec.get());
  }
  return words.get();
}

Status NewRow::TakeWords(const NewIndex& index, codec::PostingEncoder** words) {
  *words = WordsOf(index);
  return (*words)->Take(record(), image_.hidden_id());
}

Status NewRow::Encode(const NewIndex& index) {
  const codec::KeyCodec& codec = *index.codec;
  words_ = nullptr;
  entries_ = 0;
  if (codec.has_ttl() && !has_stamp_) return Status::Ok();
  const uint64_t stamp = codec.has_ttl() ? stamp_ : 0;
  words_ = WordsOf(index);
  if (words_ != nullptr) return words_->Encode(record(), image_.hidden_id(), stamp);
  entries_ = 1;
  encoder_.Encode(codec, record(), image_.hidden_id());
  if (index.primary) {
    rows_.EncodeValue(record(), encoder_.unpack(), stamp, &value_);
  } else {
    codec::EncodeSecondaryValue(codec, encoder_.unpack(), stamp, &value_);
  }
  return Status::Ok();
}

}  // namespace basalt::engine
