// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/row_encoder.h"

#include "codec/unique_image.h"

namespace basalt::engine {

void RowEncoder::EncodePrimary(const uint8_t* record, uint64_t hidden_id, uint64_t stamp,
                               IndexEntry* entry) {
  size_t unpack_bytes = 0;
  const size_t key_bytes = table_->primary().codec->EncodeKey(record, hidden_id, key_buffer_.data(),
                                                              unpack_buffer_.data(), &unpack_bytes);
  entry->key.assign(reinterpret_cast<const char*>(key_buffer_.data()), key_bytes);
  table_->row_codec().EncodeValue(record, MakeBytes(unpack_buffer_.data(), unpack_bytes), stamp,
                                  &entry->value);
}

void RowEncoder::EncodeSecondary(size_t index, const uint8_t* record, uint64_t hidden_id,
                                 uint64_t stamp, IndexEntry* entry) {
  const codec::KeyCodec& codec = *table_->index(index).codec;
  size_t unpack_bytes = 0;
  const size_t key_bytes =
      codec.EncodeKey(record, hidden_id, key_buffer_.data(), unpack_buffer_.data(), &unpack_bytes);
  entry->key.assign(reinterpret_cast<const char*>(key_buffer_.data()), key_bytes);
  codec::EncodeSecondaryValue(codec, MakeBytes(unpack_buffer_.data(), unpack_bytes), stamp,
                              &entry->value);
}

Bytes RowEncoder::EntryKey(size_t index, const uint8_t* record, uint64_t hidden_id) {
  const size_t bytes = table_->index(index).codec->EncodeKey(record, hidden_id, key_buffer_.data(),
                                                             nullptr, nullptr);
  return MakeBytes(key_buffer_.data(), bytes);
}

Bytes RowEncoder::RowKeyOfEntry(size_t index, Bytes entry) {
  if (index == table_->primary_position()) return entry;
  const size_t bytes = table_->index(index).codec->ExtractPrimaryKey(entry, key_buffer_.data());
  return MakeBytes(key_buffer_.data(), bytes);
}

UniqueValue RowEncoder::UniqueValueOf(size_t index, const uint8_t* record) {
  const codec::KeyCodec& codec = *table_->index(index).codec;
  const bool exact = codec.UniqueIsExact();
  const size_t bytes = exact ? codec.EncodePrefix(record, codec.user_parts(), key_buffer_.data())
                             : codec::EncodeUniquePrefix(codec, record, key_buffer_.data());
  UniqueValue value{index, {}, {}};
  value.prefix.assign(reinterpret_cast<const char*>(key_buffer_.data()), bytes);
  if (!exact) codec::EncodeUniqueImage(codec, record, &value.image);
  return value;
}

}  // namespace basalt::engine
