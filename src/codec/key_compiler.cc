// SPDX-License-Identifier: GPL-2.0-only
#include "codec/key_compiler.h"

#include "codec/chunk.h"
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
void SetNumberOp(const Column& column, KeyStep* step) {
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
      step->op = KeyOp::kCopy;
      step->flip = kTopBit;
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
    step->has_bits = !step->is_prefix && !collation.weight_classes()->one_to_one;
  }
  step->weights =
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
  step->transform_room = (weights + kChunkPayload - 1) / kChunkPayload * kChunkBytes;
  step->max_key_bytes = MaxChunkedBytes(step->transform_room);
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
  step->transform_room = MaxSegmentedBytes(collation, weights);
  step->max_key_bytes = MaxSegmentedBytes(collation, step->transform_room);
  if (step->is_prefix) return;
  step->count_bytes = part.length < kTwoByteCount ? 1 : 2;
  step->has_bits = step->op == KeyOp::kPaddedSimple && !collation.weight_classes()->one_to_one;
}

void SetVarchar(const Column& column, const KeyPart& part, KeyStep* step) {
  const Collation* collation = column.collation;
  if (column.kind == ColumnKind::kVarbinary || collation->kind() == CollationClass::kBinary) {
    SetChunks(part, step);
  } else {
    step->weights = part.length / collation->properties().bytes_per_character_max;
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
  step->weights = part.length;
  step->tuple_bytes = part.length + 2;
  return Status::Ok();
}

Status SetOp(const Column& column, const KeyPart& part, KeyStep* step) {
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
      SetNumberOp(column, step);
      return Status::Ok();
  }
}

SearchScope ScopeOf(const KeyStep& step) {
  if (step.op == KeyOp::kBlobPrefix) return SearchScope::kWeights;
  if (!step.is_prefix || step.collation == nullptr) return SearchScope::kAll;
  const CollationProperties& collation = step.collation->properties();
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
bool EqualBytesAreEqual(const KeyStep& step) {
  switch (step.op) {
    case KeyOp::kWeightChunks:
      return false;
    case KeyOp::kCharWeights:
      if (!step.is_prefix) return step.collation->properties().levels == 1;
      [[fallthrough]];
    case KeyOp::kPaddedWeights:
    case KeyOp::kTextPrefix:
      return step.collation->properties().levels == 1 &&
             step.collation->properties().transform_multiplier == 1;
    default:
      return true;
  }
}

}  // namespace

Status CompileKeyStep(const TableDescriptor& table, const IndexDescriptor& index,
                      const KeyPart& part, KeyStep* step) {
  const Column& column = table.columns[part.column];
  step->nullable = column.nullable;
  step->null_mask = column.null_mask;
  step->null_offset = column.null_offset;
  step->length_bytes = column.length_bytes;
  step->legacy_chunks = index.kv_format_version < kKvFormatNineByteChunks;
  step->column = part.column;
  step->record_offset = column.offset;
  step->record_bytes = column.pack_length;
  step->is_prefix = !CoversWholeColumn(column, part);
  step->decodable = IsDecodable(column, part);
  step->null_image_bytes = IsVariableLength(column.kind) ? column.length_bytes : column.pack_length;
  step->collation = column.collation;
  step->part_bytes = part.length;
  BASALT_RETURN_IF_ERROR(SetOp(column, part, step));
  step->scope = ScopeOf(*step);
  step->equal_bytes_are_equal = EqualBytesAreEqual(*step);
  if (step->max_key_bytes == 0) step->max_key_bytes = step->key_bytes;
  if (column.nullable) ++step->tuple_bytes;
  return Status::Ok();
}

KeyStep HiddenIdStep() {
  KeyStep step;
  step.op = KeyOp::kHiddenId;
  step.column = kNoColumn;
  step.key_bytes = 8;
  step.max_key_bytes = 8;
  return step;
}

}  // namespace basalt::codec
