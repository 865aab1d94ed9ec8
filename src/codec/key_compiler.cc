// SPDX-License-Identifier: GPL-2.0-only
#include "codec/key_compiler.h"

#include <string>

#include "codec/chunk.h"
#include "codec/extent_key.h"
#include "codec/inverted.h"
#include "codec/kv_format.h"
#include "codec/segment.h"

namespace basalt::codec {

namespace {

constexpr uint8_t kTopBit = 0x80;

// Columns below this many bytes need one byte for the count of trailing spaces, others two.
constexpr uint32_t kTwoByteCount = 256 - kCountOffset;

KeyOp IntegerOp(uint32_t bytes) {
  switch (bytes) {
    case 1:
      return KeyOp::kInteger8;
    case 2:
      return KeyOp::kInteger16;
    case 3:
      return KeyOp::kInteger24;
    case 4:
      return KeyOp::kInteger32;
    default:
      return KeyOp::kInteger64;
  }
}

// Everything whose key has as many bytes as its record image.
void SetNumberOp(const Column& column, uint16_t version, KeyStep* step) {
  switch (column.kind) {
    case ColumnKind::kSigned:
    case ColumnKind::kOldTime:
      step->op = IntegerOp(column.pack_length);
      step->flip = kTopBit;
      break;
    case ColumnKind::kUnsigned:
    case ColumnKind::kDate:
    case ColumnKind::kOldDatetime:
    case ColumnKind::kOldTimestamp:
    case ColumnKind::kEnum:
    case ColumnKind::kSet:
      step->op = IntegerOp(column.pack_length);
      break;
    case ColumnKind::kFloat:
      step->op = KeyOp::kFloat;
      break;
    case ColumnKind::kDouble:
      step->op = KeyOp::kDouble;
      break;
    case ColumnKind::kOldTimeHires:
      // The image sorts as it is; the inverted bit of the versions before makes long times wrap.
      step->op = KeyOp::kCopy;
      step->flip = version < kKvFormatNewest ? kTopBit : 0;
      break;
    default:
      step->op = KeyOp::kCopy;
      break;
  }
  step->source_bytes = column.pack_length;
  step->key_bytes = column.pack_length;
  step->tuple_bytes = column.pack_length;
}

// The bytes a key image of fixed size has.
Status SetFixedString(KeyOp op, uint64_t key_bytes, const KeyPart& part, KeyStep* step) {
  if (key_bytes == 0 || key_bytes > UINT32_MAX) {
    return Status(Code::kNotSupported, "an index part without bytes");
  }
  step->op = op;
  step->key_bytes = static_cast<uint32_t>(key_bytes);
  step->source_bytes = part.length;
  step->tuple_bytes = part.length;
  return Status::Ok();
}

Status SetChar(const Column& column, const KeyPart& part, KeyStep* step) {
  const Collation& collation = *column.collation;
  const CollationProperties& properties = collation.properties();
  KeyOp op = KeyOp::kCharWeights;
  if (collation.kind() == CollationClass::kBinary || properties.id == kCollationLatin1Bin) {
    op = KeyOp::kCharRaw;
  } else if (properties.id == kCollationUtf8mb3Bin) {
    op = KeyOp::kCharUtf8mb3;
  } else if (collation.kind() == CollationClass::kSimple) {
    op = KeyOp::kCharSimple;
  }
  step->string.weights =
      part.length / properties.bytes_per_character_max * properties.transform_multiplier;
  const bool same_length = op == KeyOp::kCharRaw || op == KeyOp::kCharSimple;
  return SetFixedString(op, same_length ? part.length : collation.TransformLength(part.length),
                        part, step);
}

void SetChunks(const KeyPart& part, KeyStep* step) {
  step->op = KeyOp::kChunks;
  step->source_bytes = part.length;
  step->max_key_bytes = MaxChunkedBytes(part.length);
}

void SetWeightChunks(const Collation& collation, const KeyPart& part, KeyStep* step) {
  const uint32_t weights = static_cast<uint32_t>(collation.TransformLength(part.length));
  step->op = KeyOp::kWeightChunks;
  step->string.transform_room = (weights + kChunkPayload - 1) / kChunkPayload * kChunkBytes;
  step->max_key_bytes = MaxChunkedBytes(step->string.transform_room);
}

void SetPadded(const Collation& collation, const KeyPart& part, KeyStep* step) {
  const uint32_t id = collation.properties().id;
  if (id == kCollationLatin1Bin) {
    step->op = KeyOp::kPaddedRaw;
  } else if (id == kCollationUtf8mb3Bin) {
    step->op = KeyOp::kPaddedUtf8mb3;
  } else if (collation.kind() == CollationClass::kSimple) {
    step->op = KeyOp::kPaddedSimple;
  } else {
    step->op = KeyOp::kPaddedWeights;
  }
  const uint32_t weights = static_cast<uint32_t>(collation.TransformLength(part.length));
  step->string.transform_room = MaxSegmentedBytes(collation.shape(), weights);
  step->max_key_bytes = MaxSegmentedBytes(collation.shape(), step->string.transform_room);
}

void SetVarchar(const Column& column, const KeyPart& part, KeyStep* step) {
  const Collation* collation = column.collation;
  if (column.kind == ColumnKind::kVarbinary || collation->kind() == CollationClass::kBinary) {
    SetChunks(part, step);
  } else {
    step->string.weights = part.length / collation->properties().bytes_per_character_max;
    if (collation->kind() == CollationClass::kMultiLevel) {
      SetWeightChunks(*collation, part, step);
    } else {
      SetPadded(*collation, part, step);
    }
  }
  step->tuple_bytes = part.length + 2;
}

Status SetBlob(const Column& column, const KeyPart& part, KeyStep* step) {
  const bool text =
      column.kind == ColumnKind::kText && column.collation->kind() != CollationClass::kBinary;
  const uint32_t suffix = text ? 0 : column.length_bytes;
  BASALT_RETURN_IF_ERROR(SetFixedString(text ? KeyOp::kTextPrefix : KeyOp::kBlobPrefix,
                                        uint64_t{part.length} + suffix, part, step));
  step->string.weights = part.length;
  step->tuple_bytes = part.length + 2;
  return Status::Ok();
}

// All weights of the characters, level after level, in chunks or segments.
void SetWeighed(const Column& column, const KeyPart& part, KeyStep* step) {
  const Collation& collation = *column.collation;
  const uint32_t room = static_cast<uint32_t>(collation.OrderRoom(part.length));
  step->op = KeyOp::kOrder;
  step->string.transform_room = room;
  step->string.levels = static_cast<uint8_t>(collation.levels().size());
  step->string.cuts_spaces = collation.cuts_spaces();
  const OrderLayout layout = collation.order_layout();
  if (layout != OrderLayout::kSegments) {
    const bool first_only =
        layout == OrderLayout::kChunkThenSegments && column.kind != ColumnKind::kChar;
    step->string.chunked = first_only ? 1 : 0xff;
  }
  for (unsigned level = 0; level < step->string.levels; ++level) {
    step->max_key_bytes += (step->string.chunked >> level & 1) != 0
                               ? MaxChunkedBytes(room)
                               : MaxSegmentedBytes(collation.order_shape(level), room);
  }
}

// The characters' own bytes in chunks.
void SetBytes(const KeyPart& part, KeyStep* step) {
  step->op = KeyOp::kChunks;
  step->max_key_bytes = MaxChunkedBytes(part.length);
}

// How version 14 lays out what it lays out differently from the versions before: BLOBs, TEXT and
// all strings but those of binary, exact and simple collations. False for the others.
bool SetNewestString(const Column& column, const KeyPart& part, KeyStep* step) {
  const bool blob = IsBlob(column.kind);
  if (!blob && column.kind != ColumnKind::kChar && column.kind != ColumnKind::kVarchar)
    return false;
  step->source_bytes = part.length;
  step->tuple_bytes = part.length + (column.kind == ColumnKind::kChar ? 0 : 2);
  if (column.collation == nullptr || column.collation->kind() == CollationClass::kBinary) {
    if (blob) SetBytes(part, step);
    return blob;
  }
  const Collation& collation = *column.collation;
  const uint32_t characters = part.length / collation.properties().bytes_per_character_max;
  if (collation.order_layout() == OrderLayout::kAsBefore) {
    step->string.weights = characters;
    if (blob) SetPadded(collation, part, step);
    return blob;
  }
  const bool counts_spaces = !collation.properties().pad_space;
  const bool all_fit = !step->is_prefix && !(counts_spaces && column.kind == ColumnKind::kChar);
  step->string.characters = all_fit ? 0 : characters;
  if (collation.order_layout() == OrderLayout::kBytes) {
    SetBytes(part, step);
  } else {
    SetWeighed(column, part, step);
  }
  return true;
}

// A search has a window and no value (window_search.h).
void SetExtent(const KeyPart& part, KeyStep* step) {
  step->op = KeyOp::kExtent;
  step->max_key_bytes = kMaxExtentKeyBytes;
  step->tuple_bytes = part.length;
}

// What a row has of a FULLTEXT index in one entry: its own one, without a word (posting.h).
void SetWord(const Column& column, const KeyPart& part, KeyStep* step) {
  step->op = KeyOp::kWord;
  step->max_key_bytes = 1;
  step->tuple_bytes = part.length;
  step->string.levels = static_cast<uint8_t>(column.collation->levels().size());
  step->column.nullable = false;
}

Status SetOp(const Column& column, const KeyPart& part, uint16_t version, KeyStep* step) {
  if (part.full_text) {
    SetWord(column, part, step);
    return Status::Ok();
  }
  if (part.spatial) {
    SetExtent(part, step);
    return Status::Ok();
  }
  if (version >= kKvFormatNewest && SetNewestString(column, part, step)) return Status::Ok();
  if (column.collation != nullptr && column.collation->shape().space_bytes == 0) {
    return Status(Code::kNotSupported, "an index part of format version " +
                                           std::to_string(version) + " with collation " +
                                           column.collation->properties().name);
  }
  switch (column.kind) {
    case ColumnKind::kChar:
      return SetChar(column, part, step);
    case ColumnKind::kBinary:
      return SetFixedString(KeyOp::kCharRaw, part.length, part, step);
    case ColumnKind::kVarchar:
    case ColumnKind::kVarbinary:
      SetVarchar(column, part, step);
      return Status::Ok();
    case ColumnKind::kText:
    case ColumnKind::kBlob:
      return SetBlob(column, part, step);
    default:
      SetNumberOp(column, version, step);
      return Status::Ok();
  }
}

SearchScope ScopeOf(const KeyStep& step, uint16_t version) {
  if (step.op == KeyOp::kExtent || step.op == KeyOp::kWord) return SearchScope::kNothing;
  if (step.op == KeyOp::kBlobPrefix) return SearchScope::kWeights;
  if (version >= kKvFormatNewest) return SearchScope::kAll;
  if (!step.is_prefix || step.string.collation == nullptr) return SearchScope::kAll;
  const CollationProperties& collation = step.string.collation->properties();
  const bool one_byte = collation.bytes_per_character_max == 1;
  if (collation.levels != 1) {
    return one_byte && step.op == KeyOp::kCharWeights ? SearchScope::kAll : SearchScope::kNothing;
  }
  if (collation.transform_multiplier != 1) {
    return one_byte ? SearchScope::kAll : SearchScope::kFewWeights;
  }
  return step.op == KeyOp::kTextPrefix && !one_byte ? SearchScope::kWeights : SearchScope::kAll;
}

// A whole CHAR has room for all its weights; elsewhere the room is counted in characters, and
// collations with several weights a character fill it before the value ends.
bool EqualBytesAreEqual(const KeyStep& step, uint16_t version) {
  if (step.op == KeyOp::kExtent || step.op == KeyOp::kWord) return false;
  if (version >= kKvFormatNewest || step.string.collation == nullptr) return true;
  const CollationProperties& collation = step.string.collation->properties();
  switch (step.op) {
    case KeyOp::kWeightChunks:
      return false;
    case KeyOp::kCharWeights:
    case KeyOp::kPaddedWeights:
    case KeyOp::kTextPrefix:
      if (collation.levels != 1 || !collation.pad_space ||
          !step.string.collation->transforms_as_it_compares()) {
        return false;
      }
      return collation.transform_multiplier == 1 ||
             (step.op == KeyOp::kCharWeights && !step.is_prefix);
    default:
      return true;
  }
}

bool IsPadded(KeyOp op) {
  return op == KeyOp::kPaddedRaw || op == KeyOp::kPaddedSimple || op == KeyOp::kPaddedUtf8mb3 ||
         op == KeyOp::kPaddedWeights;
}

uint8_t CountBytes(const KeyPart& part) { return part.length < kTwoByteCount ? 1 : 2; }

// What full parts of exact, simple and other collations write in the versions before 14.
void SetUnpackInfo(const KeyPart& part, KeyStep* step) {
  if (step->is_prefix) return;
  if (IsPadded(step->op)) step->unpack.count_bytes = CountBytes(part);
  const bool simple = step->op == KeyOp::kPaddedSimple || step->op == KeyOp::kCharSimple;
  step->unpack.has_bits = simple && !step->string.collation->weight_classes()->one_to_one;
}

// What version 14 writes: in a secondary index, whatever the key does not say itself.
void SetNewestUnpackInfo(const Column& column, const KeyPart& part, bool secondary, KeyStep* step) {
  if (NeedsUnpackInfo(column, part, kKvFormatNewest)) return SetUnpackInfo(part, step);
  if (!secondary || step->is_prefix) return;
  step->unpack.has_zero_sign = step->op == KeyOp::kFloat;
  if (column.kind != ColumnKind::kChar && column.kind != ColumnKind::kVarchar) return;
  if (IsDecodable(column, part, kKvFormatNewest) || step->op == KeyOp::kChunks) return;
  if (column.collation->weight_code() == WeightCode::kLossy ||
      !column.collation->properties().pad_space) {
    step->restore = RestoreFrom::kValue;
    step->unpack.value_bytes = column.field_length < 256 ? 1 : 2;
  } else if (column.kind == ColumnKind::kVarchar) {
    step->unpack.count_bytes = CountBytes(part);
  }
}

void SetSource(const Column& column, KeyStep* step) {
  step->column.length_bytes = column.length_bytes;
  step->column.form = IsBlob(column.kind)             ? SourceForm::kBlob
                      : IsVariableLength(column.kind) ? SourceForm::kVarying
                                                      : SourceForm::kFixed;
  step->column.record_offset = column.offset;
  step->column.record_bytes = column.pack_length;
  step->column.null_image_bytes =
      IsVariableLength(column.kind) ? column.length_bytes : column.pack_length;
}

}  // namespace

Status CompileKeyStep(const TableDescriptor& table, const IndexDescriptor& index,
                      const KeyPart& part, KeyStep* step) {
  const Column& column = table.columns[part.column];
  const uint16_t version = LayoutVersionOf(table, index, part);
  const bool secondary = index.kind == IndexKind::kSecondary;
  step->column.nullable = column.nullable;
  step->column.null_mask = column.null_mask;
  step->column.null_offset = column.null_offset;
  step->inverted = part.descending ? kDescending : kAscending;
  step->string.legacy_chunks = version < kKvFormatNineByteChunks;
  step->column.position = part.column;
  step->is_prefix = !CoversWholeColumn(column, part);
  const bool restored = secondary ? IsReadable(column, part, index.kv_format_version)
                                  : IsDecodable(column, part, index.kv_format_version);
  step->restore = restored ? RestoreFrom::kKey : RestoreFrom::kNothing;
  step->string.collation = column.collation;
  step->part_bytes = part.length;
  SetSource(column, step);
  BASALT_RETURN_IF_ERROR(SetOp(column, part, version, step));
  if (index.kv_format_version >= kKvFormatNewest) {
    SetNewestUnpackInfo(column, part, secondary, step);
  } else {
    SetUnpackInfo(part, step);
  }
  if (IsFullText(index)) {
    // Values hold positions, and nobody reads columns from such entries.
    step->unpack = PartUnpackInfo();
    step->restore = RestoreFrom::kNothing;
  }
  step->scope = ScopeOf(*step, version);
  step->equal_bytes_are_equal = EqualBytesAreEqual(*step, version);
  if (step->max_key_bytes == 0) step->max_key_bytes = step->key_bytes;
  if (step->column.nullable) ++step->tuple_bytes;
  return Status::Ok();
}

KeyStep HiddenIdStep() {
  KeyStep step;
  step.op = KeyOp::kHiddenId;
  step.column.position = kNoColumn;
  step.key_bytes = 8;
  step.max_key_bytes = 8;
  return step;
}

}  // namespace basalt::codec
