// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/server_headers.h"

namespace basalt::server {

// Upper ends of LIKE ranges, made high enough.
//
// The server searches `v LIKE 'a%'` up to 'a' with as many of the collation's greatest characters
// as the key part has room for. In many Unicode collations (utf8mb4_bin, utf8mb4_unicode_ci and
// their kin) it takes U+FFFF for the greatest, and all characters beyond that plane, emoji among
// them, are greater: it would miss them. Such an end is told by what it is, a part filled up with
// that character, which no text has: it is replaced by the same beginning with U+10FFFF.
//
// The range gets no smaller, and the server looks at the condition again for each row; so somebody
// who does compare with U+FFFF gets his answer too.
//
// One for each handler, used by its thread. A table without such key parts costs a look at a flag;
// nothing is allocated but the first time.
class LikeBounds {
 public:
  // Before any other function, when the table is open: which key parts are concerned.
  void Open(const TABLE& table);

  // The ends of a range in the order of the index, null for none: where one has to be higher, it is
  // exchanged for a copy that is valid until the next call. The upper ends of ascending parts are
  // in *end, those of descending parts in *start. Ranges of one value are left alone.
  void Raise(uint index, const key_range** start, const key_range** end);
  // The same for a search from an upper end on: the tuple to search with instead of `key`.
  const uchar* Raise(uint index, const uchar* key, key_part_map parts, enum ha_rkey_function find);

 private:
  // A bound of a range: the tuple as it is searched with, and what says so to the others.
  struct Bound {
    std::string tuple;
    key_range range;
  };

  const key_range* RaiseParts(uint index, const key_range* range, bool descending, Bound* bound);
  static bool Concerns(const KEY_PART_INFO& part);
  static bool RaisePart(const KEY_PART_INFO& part, uchar* value);

  const TABLE* table_ = nullptr;
  bool any_ = false;
  std::vector<key_part_map> concerned_;  // by index: which of its parts
  Bound start_;
  Bound end_;
};

}  // namespace basalt::server
