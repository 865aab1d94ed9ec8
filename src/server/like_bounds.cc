// SPDX-License-Identifier: GPL-2.0-only
#include "server/like_bounds.h"

#include <cstring>

namespace basalt::server {
namespace {

constexpr my_wc_t kGreatest = 0x10FFFF;
constexpr size_t kLongestCharacter = 4;

// A character in the bytes of a character set.
struct Character {
  Character(CHARSET_INFO* set, my_wc_t code) {
    const int stored = set->cset->wc_mb(set, code, bytes, bytes + sizeof(bytes));
    length = stored > 0 ? static_cast<size_t>(stored) : 0;
  }
  uchar bytes[kLongestCharacter];
  size_t length;
};

bool EndsWith(const uchar* text, size_t length, const Character& character) {
  return length >= character.length &&
         memcmp(text + length - character.length, character.bytes, character.length) == 0;
}

// The value of a part in a search tuple, behind its NULL byte.
struct TextValue {
  TextValue(const KEY_PART_INFO& part, uchar* value)
      : has_length((part.key_part_flag & (HA_VAR_LENGTH_PART | HA_BLOB_PART)) != 0),
        text(value + (has_length ? HA_KEY_BLOB_LENGTH : 0)),
        length(has_length ? uint2korr(value) : part.length) {}
  const bool has_length;
  uchar* const text;
  const size_t length;
};

}  // namespace

void LikeBounds::Open(const TABLE& table) {
  table_ = &table;
  any_ = false;
  concerned_.assign(table.s->keys, 0);
  for (uint index = 0; index < table.s->keys; ++index) {
    const KEY& key = table.key_info[index];
    for (uint part = 0; part < key.user_defined_key_parts; ++part) {
      if (Concerns(key.key_part[part])) concerned_[index] |= key_part_map{1} << part;
    }
    any_ = any_ || concerned_[index] != 0;
  }
}

// Is there a greater character than the one the server takes for the greatest?
bool LikeBounds::Concerns(const KEY_PART_INFO& part) {
  const Field* field = part.field;
  if (!field->has_charset() || field->charset()->mbmaxlen < kLongestCharacter) return false;
  CHARSET_INFO* set = field->charset();
  if ((set->state & MY_CS_UNICODE) == 0 || set->max_sort_char >= kGreatest) return false;
  const Character taken(set, set->max_sort_char);
  const Character greatest(set, kGreatest);
  if (taken.length == 0 || greatest.length == 0) return false;
  return set->coll->strnncoll(set, greatest.bytes, greatest.length, taken.bytes, taken.length,
                              /*b_is_prefix=*/false) > 0;
}

void LikeBounds::Raise(uint index, const key_range** start, const key_range** end) {
  if (!any_ || !concerned_[index]) [[likely]]
    return;
  if (*start != nullptr && *end != nullptr && (*start)->length == (*end)->length &&
      memcmp((*start)->key, (*end)->key, (*end)->length) == 0) {
    return;
  }
  if (*start != nullptr) *start = RaiseParts(index, *start, /*descending=*/true, &start_);
  if (*end != nullptr) *end = RaiseParts(index, *end, /*descending=*/false, &end_);
}

const uchar* LikeBounds::Raise(uint index, const uchar* key, key_part_map parts,
                               enum ha_rkey_function find) {
  if (!any_ || !concerned_[index]) [[likely]]
    return key;
  const bool down = find == HA_READ_PREFIX_LAST_OR_PREV || find == HA_READ_KEY_OR_PREV;
  if (!down && find != HA_READ_KEY_OR_NEXT) return key;
  key_range range;
  range.key = key;
  range.keypart_map = parts;
  range.length = calculate_key_len(const_cast<TABLE*>(table_), index, key, parts);
  range.flag = find;
  return RaiseParts(index, &range, /*descending=*/!down, &start_)->key;
}

// Each part that is an upper end is raised for itself: the tuple gets no lower by that, whatever
// comes before and after it.
const key_range* LikeBounds::RaiseParts(uint index, const key_range* range, bool descending,
                                        Bound* bound) {
  bound->tuple.assign(reinterpret_cast<const char*>(range->key), range->length);
  uchar* at = reinterpret_cast<uchar*>(bound->tuple.data());
  const uchar* const end = at + range->length;
  bool raised = false;
  const KEY_PART_INFO* part = table_->key_info[index].key_part;
  key_part_map concerned = concerned_[index];
  for (; at < end; at += part->store_length, ++part, concerned >>= 1) {
    const bool is_null = part->null_bit != 0 && *at != 0;
    const bool is_descending = (part->key_part_flag & HA_REVERSE_SORT) != 0;
    if (is_null || is_descending != descending || (concerned & 1) == 0) continue;
    raised |= RaisePart(*part, at + (part->null_bit != 0 ? HA_KEY_NULL_LENGTH : 0));
  }
  if (!raised) return range;
  bound->range = *range;
  bound->range.key = reinterpret_cast<const uchar*>(bound->tuple.data());
  return &bound->range;
}

// True when `value` was the upper end of a LIKE, and is a higher one now.
bool LikeBounds::RaisePart(const KEY_PART_INFO& part, uchar* value) {
  CHARSET_INFO* set = part.field->charset();
  const TextValue found(part, value);
  const Character taken(set, set->max_sort_char);
  // Where less than a character of room was left, the server has filled it with spaces.
  size_t kept = found.length;
  if (set->mbminlen == 1) {
    while (found.length - kept < taken.length && kept > 0 && found.text[kept - 1] == ' ') --kept;
  }
  if (!EndsWith(found.text, kept, taken)) return false;
  const size_t room = part.length / set->mbmaxlen;  // characters
  const char* text = reinterpret_cast<const char*>(found.text);
  if (set->cset->numchars(set, text, text + kept) < room) return false;
  while (EndsWith(found.text, kept, taken)) kept -= taken.length;
  const Character greatest(set, kGreatest);
  size_t left = set->cset->numchars(set, text, text + kept);
  for (; left < room && kept + greatest.length <= part.length; ++left) {
    memcpy(found.text + kept, greatest.bytes, greatest.length);
    kept += greatest.length;
  }
  if (found.has_length) {
    int2store(value, static_cast<uint16>(kept));
  } else {
    char* rest = reinterpret_cast<char*>(found.text) + kept;
    set->cset->fill(set, rest, found.length - kept, set->pad_char);
  }
  return true;
}

}  // namespace basalt::server
