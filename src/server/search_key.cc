// SPDX-License-Identifier: GPL-2.0-only
#include "server/search_key.h"

namespace basalt::server {

void EncodeSearchKey(const codec::KeyCodec& codec, const uchar* key, key_part_map parts,
                     std::string* out, bool* exact) {
  // The map may name appended primary key parts too (extended keys).
  const unsigned count = parts == HA_WHOLE_KEY ? codec.user_parts()
                                               : static_cast<unsigned>(__builtin_popcountl(parts));
  out->resize(codec.max_key_bytes());
  unsigned done = 0;
  const size_t bytes =
      codec.EncodeSearchTuple(key, count, reinterpret_cast<uint8_t*>(out->data()), &done);
  out->resize(bytes);
  *exact = done == count;
}

void MakeSuccessor(std::string* key) {
  // Ends: the index number in front is never all ones.
  while (static_cast<uint8_t>(key->back()) == 0xff) key->pop_back();
  key->back() = static_cast<char>(static_cast<uint8_t>(key->back()) + 1);
}

void EncodeRangeStart(const codec::KeyCodec& codec, const key_range* start, std::string* out) {
  bool exact = true;
  EncodeSearchKey(codec, start == nullptr ? nullptr : start->key,
                  start == nullptr ? 0 : start->keypart_map, out, &exact);
  if (start != nullptr && start->flag == HA_READ_AFTER_KEY && exact) MakeSuccessor(out);
}

void EncodeRangeEnd(const codec::KeyCodec& codec, const key_range* end, std::string* out) {
  bool exact = true;
  EncodeSearchKey(codec, end == nullptr ? nullptr : end->key,
                  end == nullptr ? 0 : end->keypart_map, out, &exact);
  if (end == nullptr || end->flag != HA_READ_BEFORE_KEY || !exact) MakeSuccessor(out);
}

}  // namespace basalt::server
