// SPDX-License-Identifier: GPL-2.0-only
#include "codec/key_codec.h"

#include <algorithm>
#include <cstring>

#include "codec/inverted.h"
#include "codec/key_compiler.h"
#include "codec/key_part_encoder.h"
#include "codec/key_part_reader.h"
#include "codec/kv_format.h"

namespace basalt::codec {

namespace {

constexpr uint32_t kHiddenIdBytes = 8;

// The server allows 32 parts in a key; a secondary key may carry a whole primary key behind its
// own. Codecs with more parts than this are refused, so walks can keep positions on the stack.
constexpr size_t kMaxParts = 128;

KeyCursor CursorBehindIndexNumber(Bytes key) {
  KeyCursor cursor;
  cursor.key = Unsigned(key) + kIndexNumberBytes;
  cursor.key_end = Unsigned(key) + key.size();
  return cursor;
}

// Most bytes a step contributes to the unpack info.
size_t MaxUnpackBytes(const KeyStep& step) {
  if (step.unpack.value_bytes != 0) {
    return size_t{step.unpack.value_bytes} + step.column.record_bytes - step.column.length_bytes;
  }
  if (step.unpack.has_zero_sign) return 1;
  if (!step.unpack.has_bits) return step.unpack.count_bytes;
  const uint32_t characters =
      step.unpack.count_bytes != 0 ? step.string.weights : step.source_bytes;
  const size_t bits = size_t{characters} * step.string.collation->weight_classes()->max_bits;
  return step.unpack.count_bytes + (bits + 7) / 8;
}

}  // namespace

Status KeyCodec::Compile(const TableDescriptor& table, size_t index,
                         std::unique_ptr<KeyCodec>* codec) {
  BASALT_RETURN_IF_ERROR(Validate(table));
  if (index >= table.indexes.size()) return Status(Code::kInvalidArgument, "no such index");
  const IndexDescriptor& descriptor = table.indexes[index];
  const std::vector<KeyPart> parts = PartsInKey(table, descriptor);
  if (parts.size() > kMaxParts) return Status(Code::kNotSupported, "too many key parts");

  std::unique_ptr<KeyCodec> made(new KeyCodec);
  made->index_number_ = descriptor.number;
  made->primary_number_ = table.primary_index().number;
  made->index_kind_ = descriptor.kind;
  made->has_ttl_ = descriptor.has_ttl;
  made->user_parts_ =
      basalt::codec::IsFullText(descriptor) ? 1 : static_cast<unsigned>(descriptor.parts.size());
  for (const KeyPart& part : parts) {
    KeyStep step;
    BASALT_RETURN_IF_ERROR(CompileKeyStep(table, descriptor, part, &step));
    made->steps_.push_back(step);
  }
  if (table.hidden_primary) made->steps_.push_back(HiddenIdStep());
  made->PlanUnpackInfo(table, descriptor, parts);
  made->PlanPrimaryKeyExtraction(table, parts);
  made->PlanEquality();
  made->decodable_columns_.Reset(table.columns.size());
  made->SumUp();
  *codec = std::move(made);
  return Status::Ok();
}

// Decides whether values carry unpack info, and what can be decoded with it.
void KeyCodec::PlanUnpackInfo(const TableDescriptor& table, const IndexDescriptor& index,
                              const std::vector<KeyPart>& parts) {
  if (index_kind_ == IndexKind::kSecondary) {
    // A secondary entry is only a second way to a value, so where decoding can go wrong the row
    // is read instead.
    bool hidden = false;
    for (size_t i = 0; i < parts.size(); ++i) {
      KeyStep& step = steps_[i];
      const Column& column = table.columns[parts[i].column];
      hidden = hidden || HidesUnpackInfo(column, parts[i], index.kv_format_version);
      may_have_unpack_info_ = may_have_unpack_info_ || !step.unpack.empty();
      if (hidden && !step.unpack.empty()) step.restore = RestoreFrom::kNothing;
    }
    hides_unpack_info_ = hidden;
    return;
  }
  for (const KeyPart& part : parts) {
    may_have_unpack_info_ = may_have_unpack_info_ || NeedsUnpackInfo(table.columns[part.column],
                                                                     part, index.kv_format_version);
  }
  if (may_have_unpack_info_) return;
  for (KeyStep& step : steps_) step.unpack.count_bytes = 0;  // rows have no block to hold them
}

void KeyCodec::PlanPrimaryKeyExtraction(const TableDescriptor& table,
                                        const std::vector<KeyPart>& parts) {
  if (index_kind_ != IndexKind::kSecondary) return;
  if (table.hidden_primary) {
    fixed_primary_tail_ = kHiddenIdBytes;
    return;
  }
  const std::vector<KeyPart>& primary_parts = table.primary_index().parts;
  for (const uint32_t position : PrimaryPartPositions(table, parts)) {
    const bool inverted =
        parts[position].descending != primary_parts[primary_positions_.size()].descending;
    primary_positions_.push_back({position, inverted});
  }
  uint32_t tail = 0;
  const size_t first = steps_.size() - std::min(steps_.size(), primary_positions_.size());
  for (size_t i = 0; i < primary_positions_.size(); ++i) {
    const auto [position, inverted] = primary_positions_[i];
    if (position != first + i || inverted || !steps_[position].is_fixed_size()) return;
    tail += steps_[position].key_bytes;
  }
  fixed_primary_tail_ = tail;
}

void KeyCodec::PlanEquality() {
  const bool primary = index_kind_ != IndexKind::kSecondary;
  parts_with_equal_bytes_ = total_parts();
  for (unsigned i = 0; i < total_parts(); ++i) {
    const KeyStep& step = steps_[i];
    const bool declared = i < user_parts_;
    const bool whole = step.scope == SearchScope::kAll;
    if (declared && !whole) search_is_whole_ = unique_is_exact_ = false;
    if (primary || step.equal_bytes_are_equal) continue;
    if (declared) unique_is_exact_ = false;
    parts_with_equal_bytes_ = std::min(parts_with_equal_bytes_, i);
  }
}

void KeyCodec::SumUp() {
  max_key_bytes_ = kIndexNumberBytes;
  for (const KeyStep& step : steps_) {
    max_key_bytes_ += step.max_key_bytes + (step.column.nullable ? 1 : 0);
    max_unpack_bytes_ += MaxUnpackBytes(step);
    if (step.decodable()) decodable_columns_.Add(step.column.position);
  }
}

size_t KeyCodec::EncodeIndexNumber(uint8_t* out) const {
  StoreBigEndian32(out, index_number_);
  return kIndexNumberBytes;
}

size_t KeyCodec::EncodeKey(const uint8_t* record, uint64_t hidden_id, uint8_t* key_out,
                           uint8_t* unpack_out, size_t* unpack_bytes) const {
  uint8_t* out = key_out + EncodeIndexNumber(key_out);
  uint8_t* unpack = unpack_out;
  uint8_t** const unpack_to = unpack_out != nullptr && may_have_unpack_info_ ? &unpack : nullptr;
  for (const KeyStep& step : steps_) {
    if (step.op == KeyOp::kHiddenId) {
      StoreBigEndian64(out, hidden_id);
      out += kHiddenIdBytes;
      continue;
    }
    out = EncodeNullablePart(step, record, out, unpack_to);
  }
  if (unpack_out != nullptr) *unpack_bytes = static_cast<size_t>(unpack - unpack_out);
  return static_cast<size_t>(out - key_out);
}

size_t KeyCodec::EncodePrefix(const uint8_t* record, unsigned parts, uint8_t* out) const {
  uint8_t* at = out + EncodeIndexNumber(out);
  const unsigned last = std::min(parts, total_parts());
  for (unsigned i = 0; i < last && steps_[i].op != KeyOp::kHiddenId; ++i) {
    at = EncodeNullablePart(steps_[i], record, at, nullptr);
  }
  return static_cast<size_t>(at - out);
}

size_t KeyCodec::EncodeSearchTuple(const uint8_t* tuple, unsigned parts, uint8_t* out,
                                   unsigned* parts_done) const {
  uint8_t* at = out + EncodeIndexNumber(out);
  const unsigned last = std::min(parts, total_parts());
  unsigned done = 0;
  for (; done < last && steps_[done].op != KeyOp::kHiddenId; ++done) {
    const KeyStep& step = steps_[done];
    const uint8_t* data = tuple;
    tuple += step.tuple_bytes;
    uint8_t* const start = at;
    const bool is_null = step.column.nullable && *data++ != 0;
    if (step.column.nullable) *at++ = is_null ? 0 : 1;
    bool whole = true;
    if (!is_null) at = EncodeSearchPart(step, SourceInTuple(step, data), at, &whole);
    if (step.inverted != 0) Invert(start, static_cast<size_t>(at - start));
    if (!whole) break;
  }
  if (parts_done != nullptr) *parts_done = done;
  return static_cast<size_t>(at - out);
}

unsigned KeyCodec::PartsInSearchTuple(size_t bytes) const {
  unsigned parts = 0;
  while (parts < total_parts() && steps_[parts].op != KeyOp::kHiddenId &&
         bytes >= steps_[parts].tuple_bytes) {
    bytes -= steps_[parts].tuple_bytes;
    ++parts;
  }
  return parts;
}

bool KeyCodec::UserPartsHaveNull(const uint8_t* record) const {
  for (unsigned i = 0; i < user_parts_; ++i) {
    if (steps_[i].column.IsNull(record)) return true;
  }
  return false;
}

bool KeyCodec::HasIndexNumber(Bytes key) const {
  return key.size() >= kIndexNumberBytes && LoadBigEndian32(key.data()) == index_number_;
}

bool KeyCodec::UserPartsHaveNull(Bytes key) const {
  if (!HasIndexNumber(key)) return false;
  KeyCursor cursor = CursorBehindIndexNumber(key);
  for (unsigned i = 0; i < user_parts_; ++i) {
    const PartPresence presence = ReadPresence(steps_[i], &cursor);
    if (presence == PartPresence::kNull) return true;
    if (presence == PartPresence::kMalformed || !SkipPart(steps_[i], &cursor)) return false;
  }
  return false;
}

unsigned KeyCodec::PartEnds(Bytes key, unsigned max_parts, uint32_t* ends) const {
  if (!HasIndexNumber(key)) return 0;
  KeyCursor cursor = CursorBehindIndexNumber(key);
  const unsigned last = std::min(max_parts, total_parts());
  for (unsigned i = 0; i < last; ++i) {
    if (!SkipNullablePart(steps_[i], &cursor)) return i;
    ends[i] = static_cast<uint32_t>(cursor.key - Unsigned(key));
  }
  return last;
}

size_t KeyCodec::PrefixBytes(Bytes key, unsigned parts) const {
  if (!HasIndexNumber(key)) return 0;
  KeyCursor cursor = CursorBehindIndexNumber(key);
  const unsigned last = std::min(parts, total_parts());
  for (unsigned i = 0; i < last; ++i) {
    if (!SkipNullablePart(steps_[i], &cursor)) return 0;
  }
  return static_cast<size_t>(cursor.key - Unsigned(key));
}

bool KeyCodec::UnpackContentBytes(Bytes key, Bytes content, size_t* bytes) const {
  if (!HasIndexNumber(key)) return false;
  KeyCursor cursor = CursorBehindIndexNumber(key);
  cursor.unpack = Unsigned(content);
  cursor.unpack_end = cursor.unpack + content.size();
  for (const KeyStep& step : steps_) {
    const PartPresence presence = ReadPresence(step, &cursor);
    if (presence == PartPresence::kNull) continue;
    if (presence == PartPresence::kMalformed || !SkipPartAndUnpack(step, &cursor)) return false;
  }
  *bytes = static_cast<size_t>(cursor.unpack - Unsigned(content));
  return true;
}

size_t KeyCodec::ExtractPrimaryKey(Bytes secondary_key, uint8_t* out) const {
  if (!HasIndexNumber(secondary_key)) return 0;
  StoreBigEndian32(out, primary_number_);
  if (fixed_primary_tail_ != 0) {
    if (secondary_key.size() < kIndexNumberBytes + fixed_primary_tail_) return 0;
    std::memcpy(out + kIndexNumberBytes,
                secondary_key.data() + secondary_key.size() - fixed_primary_tail_,
                fixed_primary_tail_);
    return kIndexNumberBytes + fixed_primary_tail_;
  }
  uint32_t ends[kMaxParts + 1];  // filled below, not twice
  ends[0] = kIndexNumberBytes;
  if (PartEnds(secondary_key, total_parts(), ends + 1) != total_parts()) return 0;
  uint8_t* at = out + kIndexNumberBytes;
  for (const auto [position, inverted] : primary_positions_) {
    const uint32_t bytes = ends[position + 1] - ends[position];
    std::memcpy(at, secondary_key.data() + ends[position], bytes);
    if (inverted) Invert(at, bytes);
    at += bytes;
  }
  return static_cast<size_t>(at - out);
}

bool KeyCodec::Covers(const ColumnSet& wanted) const {
  if (index_kind_ != IndexKind::kSecondary) return true;
  const std::vector<uint64_t>& columns = wanted.words();
  const std::vector<uint64_t>& decodable = decodable_columns_.words();
  for (size_t i = 0; i < columns.size(); ++i) {
    if ((columns[i] & ~(i < decodable.size() ? decodable[i] : 0)) != 0) return false;
  }
  return true;
}

uint64_t HiddenIdOf(Bytes key) {
  if (key.size() < kIndexNumberBytes + kHiddenIdBytes) return 0;
  return LoadBigEndian64(key.data() + key.size() - kHiddenIdBytes);
}

}  // namespace basalt::codec
