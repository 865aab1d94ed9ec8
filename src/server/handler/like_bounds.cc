// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/like_bounds.h"

#include <algorithm>
#include <cstring>

namespace basalt::server {
namespace {

constexpr my_wc_t kGreatest = 0x10FFFF;
constexpr size_t kLongestCharacter = 4;
constexpr size_t kNotFound = static_cast<size_t>(-1);

// A character in the bytes of a character set; empty when the set lacks it.
struct Character {
  Character(CHARSET_INFO* set, my_wc_t code) {
    const int stored = set->cset->wc_mb(set, code, bytes, bytes + sizeof(bytes));
    length = stored > 0 ? static_cast<size_t>(stored) : 0;
  }
  uchar bytes[kLongestCharacter];
  size_t length;
};

// What the server fills the upper end of a LIKE with. Its number is a code point in Unicode, else
// the bytes of the character.
struct GreatestTaken : Character {
  explicit GreatestTaken(CHARSET_INFO* set) : Character(set, set->max_sort_char) {
    if ((set->state & MY_CS_UNICODE) != 0) return;
    length = 0;
    if (set->max_sort_char > UINT8_MAX) {
      bytes[length++] = static_cast<uchar>(set->max_sort_char >> 8);
    }
    bytes[length++] = static_cast<uchar>(set->max_sort_char);
  }
};

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

bool IsDescending(const KEY_PART_INFO& part) { return (part.key_part_flag & HA_REVERSE_SORT) != 0; }

// Characters that a part has room for.
size_t RoomIn(const KEY_PART_INFO& part) { return part.length / part.field->charset()->mbmaxlen; }

size_t CountCharacters(CHARSET_INFO* set, const uchar* text, size_t length) {
  const char* begin = reinterpret_cast<const char*>(text);
  return set->cset->numchars(set, begin, begin + length);
}

bool IsText(const Field& field) {
  const ha_base_keytype type =
      field.key_type();  // an ENUM has a character set, and numbers as keys
  return field.has_charset() &&
         (type == HA_KEYTYPE_TEXT || type == HA_KEYTYPE_VARTEXT1 || type == HA_KEYTYPE_VARTEXT2);
}

// Is there a greater character than the one the server takes for the greatest?
bool HasUpperToRaise(const Field& field) {
  if (!IsText(field)) return false;
  CHARSET_INFO* set = field.charset();
  if (set->mbmaxlen < kLongestCharacter) return false;
  if ((set->state & MY_CS_UNICODE) == 0 || set->max_sort_char >= kGreatest) return false;
  const GreatestTaken taken(set);
  const Character greatest(set, kGreatest);
  if (taken.length == 0 || greatest.length == 0) return false;
  return set->coll->strnncoll(set, greatest.bytes, greatest.length, taken.bytes, taken.length,
                              /*b_is_prefix=*/false) > 0;
}

// Does the server make the lower end just the pattern's beginning, where a value that goes on may
// be less? A CHAR's end it fills up itself.
bool HasLowerToFill(const KEY_PART_INFO& part) {
  if (!IsText(*part.field)) return false;
  if ((part.key_part_flag & (HA_VAR_LENGTH_PART | HA_BLOB_PART)) == 0) return false;
  const uint state = part.field->charset()->state;
  return (state & MY_CS_BINSORT) != 0 && (state & MY_CS_NOPAD) == 0;
}

// Where the first of the greatest characters stands that the server has filled in. No character of
// a Unicode character set is a part of another.
size_t FirstOf(const Character& taken, const TextValue& value, size_t step) {
  for (size_t at = 0; at + taken.length <= value.length; at += step) {
    if (memcmp(value.text + at, taken.bytes, taken.length) == 0) return at;
  }
  return kNotFound;
}

// True when `value` may be the upper end of a LIKE, and is a higher one now.
bool RaisePart(const KEY_PART_INFO& part, uchar* value) {
  CHARSET_INFO* set = part.field->charset();
  const TextValue found(part, value);
  size_t kept = FirstOf(GreatestTaken(set), found, set->mbminlen);
  if (kept == kNotFound) return false;
  const Character greatest(set, kGreatest);
  size_t left = CountCharacters(set, found.text, kept);
  for (; left < RoomIn(part) && kept + greatest.length <= part.length; ++left) {
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

// Is the value the upper end of a LIKE that ends with any text? Where less than a character of room
// was left, the server has filled it with spaces.
bool IsFilledUp(const KEY_PART_INFO& part, uchar* value) {
  CHARSET_INFO* set = part.field->charset();
  const GreatestTaken taken(set);
  const TextValue found(part, value);
  size_t kept = found.length;
  if (set->mbminlen == 1) {
    while (found.length - kept < taken.length && kept > 0 && found.text[kept - 1] == ' ') --kept;
  }
  if (taken.length == 0 || kept < taken.length) return false;
  if (memcmp(found.text + kept - taken.length, taken.bytes, taken.length) != 0) return false;
  return CountCharacters(set, found.text, kept) >= RoomIn(part);
}

// True when there was room behind `value` for characters below the space.
bool FillPart(const KEY_PART_INFO& part, uchar* value) {
  CHARSET_INFO* set = part.field->charset();
  const TextValue found(part, value);
  const size_t used = CountCharacters(set, found.text, found.length);
  if (used >= RoomIn(part)) return false;
  const size_t room = part.length - found.length;
  const size_t added = std::min((RoomIn(part) - used) * set->mbminlen, room);
  memset(found.text + found.length, 0, added);
  int2store(value, static_cast<uint16>(found.length + added));
  return added > 0;
}

// A walk over the parts of a tuple, beside those of the other end of its range.
class TupleWalk {
 public:
  // `other`: null when there is no other end.
  TupleWalk(const KEY& key, uchar* tuple, size_t length, const key_range* other)
      : part_(key.key_part),
        at_(tuple),
        end_(tuple + length),
        other_(other == nullptr ? nullptr : const_cast<uchar*>(other->key)),
        other_end_(other == nullptr ? nullptr : other->key + other->length) {
    SkipEqualities();
  }
  bool done() const { return at_ >= end_; }
  void Next() {
    if (other_ != nullptr) other_ += part_->store_length;
    at_ += part_->store_length;
    ++part_;
    ++number_;
  }
  bool IsLast() const { return at_ + part_->store_length >= end_; }
  bool IsNull() const { return part_->null_bit != 0 && *at_ != 0; }
  const KEY_PART_INFO& part() const { return *part_; }
  key_part_map bit() const { return key_part_map{1} << number_; }
  uchar* value() const { return at_ + (part_->null_bit != 0 ? HA_KEY_NULL_LENGTH : 0); }
  // The value of this part in the other end; null when that has none.
  uchar* other_value() const {
    if (!HasOther() || (part_->null_bit != 0 && *other_ != 0)) return nullptr;
    return other_ + (part_->null_bit != 0 ? HA_KEY_NULL_LENGTH : 0);
  }

 private:
  bool HasOther() const { return other_ != nullptr && other_ < other_end_; }
  void SkipEqualities() {
    while (!done() && HasOther() && memcmp(at_, other_, part_->store_length) == 0) Next();
  }

  const KEY_PART_INFO* part_;
  uint number_ = 0;
  uchar* at_;
  uchar* const end_;
  uchar* other_;
  const uchar* const other_end_;
};

}  // namespace

void LikeBounds::Open(const TABLE& table) {
  table_ = &table;
  any_ = false;
  concerned_.assign(table.s->keys, Concerned{});
  for (uint index = 0; index < table.s->keys; ++index) {
    const KEY& key = table.key_info[index];
    for (uint part = 0; part < key.user_defined_key_parts; ++part) {
      const key_part_map bit = key_part_map{1} << part;
      if (HasUpperToRaise(*key.key_part[part].field)) concerned_[index].upper |= bit;
      if (HasLowerToFill(key.key_part[part])) concerned_[index].lower |= bit;
    }
    any_ = any_ || (concerned_[index].upper | concerned_[index].lower) != 0;
  }
}

// Asked while the server makes its definition, when the parts do not have their fields yet.
bool LikeBounds::LosesBackwards(const TABLE_SHARE& share, const KEY& key) {
  const auto loses = [&share](const KEY_PART_INFO& part) {
    return IsDescending(part) && HasUpperToRaise(*share.field[part.fieldnr - 1]);
  };
  return std::any_of(key.key_part, key.key_part + key.user_defined_key_parts, loses);
}

void LikeBounds::Widen(uint index, const key_range** start, const key_range** end) {
  if (!IsConcerned(index)) [[likely]]
    return;
  const key_range* const old_start = *start;
  *start = Widened(index, *start, *end, /*is_end=*/false, &start_);
  *end = Widened(index, *end, old_start, /*is_end=*/true, &end_);
}

void LikeBounds::WidenInPlace(uint index, const key_range* start, const key_range* end) {
  const key_range* new_start = start;
  const key_range* new_end = end;
  Widen(index, &new_start, &new_end);
  // The length of a tuple does not change with its values.
  const auto put = [](const key_range* to, const key_range* from) {
    if (to != from) memcpy(const_cast<uchar*>(to->key), from->key, from->length);
  };
  put(start, new_start);
  put(end, new_end);
}

// Each part is widened for itself: the range gets no smaller by that, whatever comes before and
// after the part.
const key_range* LikeBounds::Widened(uint index, const key_range* range, const key_range* other,
                                     bool is_end, Bound* bound) const {
  if (range == nullptr) return nullptr;
  bound->tuple.assign(reinterpret_cast<const char*>(range->key), range->length);
  uchar* tuple = reinterpret_cast<uchar*>(bound->tuple.data());
  const bool is_open = range->flag == (is_end ? HA_READ_BEFORE_KEY : HA_READ_AFTER_KEY);
  const Concerned& concerned = concerned_[index];
  bool widened = false;
  for (TupleWalk walk(table_->key_info[index], tuple, range->length, other); !walk.done();
       walk.Next()) {
    if (walk.IsNull()) continue;
    if (IsDescending(walk.part()) != is_end) {  // this is the upper end of the part
      if ((concerned.upper & walk.bit()) != 0) widened |= RaisePart(walk.part(), walk.value());
    } else if ((concerned.lower & walk.bit()) != 0 && !(is_open && walk.IsLast())) {
      uchar* upper = walk.other_value();
      if (upper == nullptr || IsFilledUp(walk.part(), upper)) {
        widened |= FillPart(walk.part(), walk.value());
      }
    }
  }
  if (!widened) return range;
  bound->range = *range;
  bound->range.key = tuple;
  return &bound->range;
}

const uchar* LikeBounds::Raise(uint index, const uchar* key, key_part_map parts,
                               enum ha_rkey_function find) {
  if (!IsConcerned(index) || find != HA_READ_PREFIX_LAST_OR_PREV) [[likely]]
    return key;
  const uint length = calculate_key_len(const_cast<TABLE*>(table_), index, key, parts);
  end_.tuple.assign(reinterpret_cast<const char*>(key), length);
  uchar* tuple = reinterpret_cast<uchar*>(end_.tuple.data());
  for (TupleWalk walk(table_->key_info[index], tuple, length, nullptr); !walk.done(); walk.Next()) {
    const bool may_be = (concerned_[index].upper & walk.bit()) != 0 && !IsDescending(walk.part());
    if (may_be && !walk.IsNull() && IsFilledUp(walk.part(), walk.value())) {
      (void)RaisePart(walk.part(), walk.value());
    }
  }
  return tuple;
}

}  // namespace basalt::server
