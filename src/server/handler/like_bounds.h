// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/server_headers.h"

namespace basalt::server {

// Ends of LIKE ranges, made wide enough.
//
// The server searches `v LIKE 'a%'` from 'a' up to 'a' with as many of the collation's greatest
// characters as the key part has room for. Both ends can be wrong:
//  - In many Unicode collations (utf8mb4_bin, utf8mb4_unicode_ci and their kin) it takes U+FFFF for
//    the greatest, and the characters beyond that plane, emoji among them, are greater. From the
//    first U+FFFF on, which no text has, such an end is replaced by U+10FFFF.
//  - In collations that sort by code and pad with spaces (utf8mb4_bin, latin1_bin), 'a' followed by
//    a character below the space is less than 'a'. There the lower end of what may be a LIKE is
//    filled up with U+0000.
//
// The range gets no smaller, and the server looks at the condition again for each row of a range;
// so somebody who does compare with such values gets his answer too. Parts that are the same in
// both ends, which stand for an equality, are left alone.
//
// One for each handler, used by its thread. A table without such key parts costs a look at a flag;
// nothing is allocated but the first time.
class LikeBounds {
 public:
  // Before any other function, when the table is open: which key parts are concerned.
  void Open(const TABLE& table);

  // The ends of a range in the order of the index, null for none: one that has to be another is
  // exchanged for a copy that is valid until the next call.
  void Widen(uint index, const key_range** start, const key_range** end);
  // Widens the ends in their own memory, which is the server's. For ranges that the server reads
  // backwards: it compares each row with the start itself, and ends the range where that is less.
  void WidenInPlace(uint index, const key_range* start, const key_range* end);
  // For a search backwards from an upper end on, in a table with partitions, whose ranges pass by
  // WidenInPlace(): the tuple to search with instead of `key`. Nothing looks at the condition
  // behind MAX(), so only what is filled up to the end of the part counts as a LIKE's.
  const uchar* Raise(uint index, const uchar* key, key_part_map parts, enum ha_rkey_function find);

  // Would a LIKE range over this key of a table with partitions lack values when read backwards?
  // That is so for descending parts, where the server's own start is too low. Looks only at the
  // definition.
  static bool LosesBackwards(const TABLE_SHARE& share, const KEY& key);

 private:
  // A bound of a range: the tuple as it is searched with, and what says so to the others.
  struct Bound {
    std::string tuple;
    key_range range{};
  };
  // Which parts of an index have an upper end to raise, and which a lower one to fill up.
  struct Concerned {
    key_part_map upper = 0;
    key_part_map lower = 0;
  };

  bool IsConcerned(uint index) const {
    return any_ && (concerned_[index].upper | concerned_[index].lower) != 0;
  }
  // `range` as `bound` has it, widened, when there is something to widen; else `range` itself.
  // `other`: the other end, null for none. `is_end`: of the two, the end.
  const key_range* Widened(uint index, const key_range* range, const key_range* other, bool is_end,
                           Bound* bound) const;

  const TABLE* table_ = nullptr;
  bool any_ = false;
  std::vector<Concerned> concerned_;  // by index
  Bound start_;
  Bound end_;
};

}  // namespace basalt::server
