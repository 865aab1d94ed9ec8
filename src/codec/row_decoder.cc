// SPDX-License-Identifier: GPL-2.0-only
#include "codec/row_decoder.h"

#include <cstring>
#include <utility>

#include "base/prefetch.h"
#include "codec/null_image.h"
#include "codec/row_value.h"
#include "codec/slot_reader.h"

namespace basalt::codec {

namespace {

// So many hops are over before a fetch of all lines ahead would pay.
constexpr size_t kFewSteps = 3;

// Copies a column of varying size. Returns behind it in the value; null when it does not fit into
// the value or the column.
inline const uint8_t* TakeVarying(const RowStep& step, const uint8_t* from, const uint8_t* end,
                                  uint8_t* record) {
  if (static_cast<size_t>(end - from) < step.length_bytes) return nullptr;
  const uint32_t length = LoadLength(from, step.length_bytes);
  const uint8_t* data = from + step.length_bytes;
  if (static_cast<size_t>(end - data) < length) return nullptr;
  uint8_t* column = record + step.record_offset;
  if (step.op == RowOp::kBlob) {
    std::memcpy(column, from, step.length_bytes);
    std::memcpy(column + step.length_bytes, &data, sizeof(data));
    return data + length;
  }
  if (length > step.bytes) return nullptr;
  std::memcpy(column, from, step.length_bytes + size_t{length});
  return data + length;
}

// Passes over `count` columns of varying size. Returns behind them; null when they do not fit into
// the value.
inline const uint8_t* SkipVarying(unsigned length_bytes, uint32_t count, const uint8_t* from,
                                  const uint8_t* end) {
  const auto bytes = static_cast<size_t>(end - from);
  size_t at = 0;
  if (length_bytes == 1) [[likely]] {  // without a look at what kind of length it is
    for (; count > 0; --count) {
      if (at >= bytes) return nullptr;
      at += size_t{1} + from[at];
    }
  } else {
    for (; count > 0; --count) {
      if (at + length_bytes > bytes) return nullptr;
      at += length_bytes + size_t{LoadLength(from + at, length_bytes)};
    }
  }
  return at <= bytes ? from + at : nullptr;
}

// Are both unwanted, never NULL and of varying size with as many length bytes?
bool CanPassTogether(const RowStep& a, const RowStep& b) {
  return !a.wanted && !b.wanted && !a.nullable && !b.nullable && a.op != RowOp::kFixed &&
         b.op != RowOp::kFixed && a.length_bytes == b.length_bytes;
}

}  // namespace

void RowDecoder::Compile(const TableDescriptor& table, const KeyCodec& primary,
                         const RowCodec& rows, const ColumnSet& wanted) {
  key_.Compile(table, primary, wanted);
  default_record_ = DefaultRecordOf(table);
  null_bitmap_bytes_ = rows.null_bitmap_bytes();
  has_unpack_block_ = rows.has_unpack_block();
  has_ttl_ = rows.has_ttl();
  wanted_ = wanted;
  compiled_ = true;
  extension_.Compile(rows.slots(), default_record_, wanted);
  if (extension_.empty()) {
    CompileSteps(rows, wanted);
  } else {
    CompileSteps(rows, *rows.slots(), wanted);
  }
}

void RowDecoder::CompileSteps(const RowCodec& rows, const ColumnSet& wanted) {
  steps_.clear();
  size_t last_wanted = 0;
  uint32_t passed_bytes = 0;
  for (const RowStep& stored : rows.steps()) {
    const bool is_wanted = wanted.Contains(stored.column);
    Append(stored, is_wanted, &passed_bytes);
    if (is_wanted) last_wanted = steps_.size();
  }
  steps_.resize(last_wanted);
}

// The whole base: the extension begins where it ends.
void RowDecoder::CompileSteps(const RowCodec& rows, const RowSlots& slots,
                              const ColumnSet& wanted) {
  steps_.clear();
  uint32_t passed_bytes = 0;
  for (size_t i = 0; i < rows.steps().size(); ++i) {
    const RowStep& stored = rows.steps()[i];
    const SlotStep& slot = slots.base()[i];
    if (slots.IsDirect(i) || !slot.has_column() || !wanted.Contains(slot.place.column)) {
      Append(stored, wanted.Contains(stored.column), &passed_bytes);
      continue;
    }
    if (slot.IsFoundLater()) {
      Append(stored, false, &passed_bytes);
      extension_.AddPredecessor(slot);
      continue;
    }
    steps_.push_back(Step{stored, std::exchange(passed_bytes, 0), 1, &slot});
  }
  trailing_bytes_ = passed_bytes;
}

// Adds a column to the program. *passed_bytes: what has been left out of it since the last step.
void RowDecoder::Append(const RowStep& stored, bool wanted, uint32_t* passed_bytes) {
  if (!wanted && !stored.nullable && stored.op == RowOp::kFixed) {
    *passed_bytes += stored.bytes;
    return;
  }
  Step step{stored, *passed_bytes, 1, nullptr};
  step.wanted = wanted;
  if (*passed_bytes == 0 && !steps_.empty()) {
    Step& last = steps_.back();
    if (wanted && last.wanted && JoinRecordNeighbours(step, &last)) return;
    if (last.slot == nullptr && CanPassTogether(step, last)) {
      ++last.repeats;
      return;
    }
  }
  steps_.push_back(step);
  *passed_bytes = 0;
}

// A column of another form than its own, or whose NULL is told elsewhere.
const uint8_t* RowDecoder::DecodeSlot(const Step& step, const uint8_t* bitmap, const uint8_t* from,
                                      const uint8_t* end, uint8_t* record) const {
  if (!step.IsNullInValue(bitmap)) return ReadSlot(*step.slot, from, end, record);
  SetNull(step.slot->place, default_record_, record);
  return from;
}

// The columns in the key; *value then begins with the others.
inline bool RowDecoder::DecodeHead(Bytes key, Bytes* value, const uint8_t** bitmap,
                                   uint8_t* record) const {
  Bytes unpack_content;
  if (!TakeRowHead(has_ttl_, null_bitmap_bytes_, has_unpack_block_, value, bitmap,
                   &unpack_content)) {
    return false;
  }
  if (steps_.size() > kFewSteps) Prefetch(value->data(), value->size());
  return key_.empty() || key_.DecodeWithUnpack(key, unpack_content, record);
}

// Returns behind the last column; null when the bytes contradict the format.
template <bool kWithSlots>
inline const uint8_t* RowDecoder::DecodeColumns(const uint8_t* bitmap, const uint8_t* from,
                                                const uint8_t* end, uint8_t* record) const {
  for (const Step& step : steps_) {
    if (static_cast<size_t>(end - from) < step.passed_bytes) return nullptr;
    from += step.passed_bytes;
    if (kWithSlots && step.slot != nullptr) {
      from = DecodeSlot(step, bitmap, from, end, record);
      if (from == nullptr) return nullptr;
      continue;
    }
    if (step.nullable) {
      if (step.IsNullInValue(bitmap)) {
        if (step.wanted) SetNull(step, default_record_, record);
        continue;
      }
      if (step.wanted) record[step.null_offset] &= static_cast<uint8_t>(~step.null_mask);
    }
    if (step.op != RowOp::kFixed) {
      from = step.wanted ? TakeVarying(step, from, end, record)
                         : SkipVarying(step.length_bytes, step.repeats, from, end);
      if (from == nullptr) return nullptr;
      continue;
    }
    if (static_cast<size_t>(end - from) < step.bytes) return nullptr;
    if (step.wanted) CopyFixed(from, step.bytes, record + step.record_offset);
    from += step.bytes;
  }
  return from;
}

bool RowDecoder::Decode(Bytes key, Bytes value, uint8_t* record) const {
  if (!extension_.empty()) [[unlikely]]
    return DecodeWithExtension(key, value, record);
  const uint8_t* bitmap;
  if (!DecodeHead(key, &value, &bitmap, record)) return false;
  const uint8_t* from = Unsigned(value);
  return DecodeColumns<false>(bitmap, from, from + value.size(), record) != nullptr;
}

bool RowDecoder::DecodeWithExtension(Bytes key, Bytes value, uint8_t* record) const {
  const uint8_t* bitmap;
  if (!DecodeHead(key, &value, &bitmap, record)) return false;
  const uint8_t* const base = Unsigned(value);
  const uint8_t* const end = base + value.size();
  const uint8_t* from = DecodeColumns<true>(bitmap, base, end, record);
  if (from == nullptr || static_cast<size_t>(end - from) < trailing_bytes_) return false;
  return extension_.Decode(base, from + trailing_bytes_, end, record);
}

}  // namespace basalt::codec
