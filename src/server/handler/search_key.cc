// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/search_key.h"

namespace basalt::server {

SearchPrecision EncodeSearchKey(const codec::KeyCodec& codec, const uchar* key, key_part_map parts,
                                std::string* out) {
  // The map may name appended primary key parts too (extended keys).
  const unsigned count = parts == HA_WHOLE_KEY ? codec.user_parts()
                                               : static_cast<unsigned>(__builtin_popcountl(parts));
  out->resize(codec.max_key_bytes());
  unsigned done = 0;
  const size_t bytes =
      codec.EncodeSearchTuple(key, count, reinterpret_cast<uint8_t*>(out->data()), &done);
  out->resize(bytes);
  if (done != count) return SearchPrecision::kWidened;
  return codec.EqualBytesAreEqual(count) ? SearchPrecision::kExact : SearchPrecision::kWhole;
}

SearchPrecision EncodeRangeStart(const codec::KeyCodec& codec, const key_range* start,
                                 std::string* out) {
  const SearchPrecision precision = EncodeSearchKey(codec, start == nullptr ? nullptr : start->key,
                                                    start == nullptr ? 0 : start->keypart_map, out);
  const bool whole = precision != SearchPrecision::kWidened;
  if (start != nullptr && start->flag == HA_READ_AFTER_KEY && whole) MakeSuccessor(out);
  return precision;
}

SearchPrecision EncodeRangeEnd(const codec::KeyCodec& codec, const key_range* end,
                               std::string* out) {
  const SearchPrecision precision = EncodeSearchKey(codec, end == nullptr ? nullptr : end->key,
                                                    end == nullptr ? 0 : end->keypart_map, out);
  const bool whole = precision != SearchPrecision::kWidened;
  if (end == nullptr || end->flag != HA_READ_BEFORE_KEY || !whole) MakeSuccessor(out);
  return precision;
}

bool TupleBound::Admits(TABLE* table, uint index, uchar* record) const {
  if (key == nullptr) return true;
  const KEY_PART_INFO* part = table->key_info[index].key_part;
  const my_ptrdiff_t offset = record - table->record[0];
  const uchar* at = key;
  int order = 0;
  // One part at a time: a field that serves two parts must not be moved twice.
  for (const uchar* end = key + bytes; at < end && order == 0; at += part->store_length, ++part) {
    KEY_PART_INFO one = *part;
    one.field->move_field_offset(offset);
    order = key_cmp(&one, at, one.store_length);
    one.field->move_field_offset(-offset);
  }
  return lowest <= order && order <= highest;
}

}  // namespace basalt::server
