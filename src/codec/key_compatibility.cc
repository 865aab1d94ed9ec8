// SPDX-License-Identifier: GPL-2.0-only
#include "codec/key_compatibility.h"

namespace basalt::codec {

namespace {

// Whether the bytes of a value do not depend on how long it might be.
bool DependsOnValueOnly(const KeyStep& step) {
  if (step.column.form != SourceForm::kVarying || step.is_prefix || !step.equal_bytes_are_equal) {
    return false;
  }
  switch (step.op) {
    case KeyOp::kChunks:
    case KeyOp::kPaddedRaw:
    case KeyOp::kPaddedSimple:
    case KeyOp::kPaddedUtf8mb3:
    case KeyOp::kPaddedWeights:
    case KeyOp::kOrder:
      return true;
    default:
      return false;
  }
}

bool SameSize(const KeyStep& before, const KeyStep& after) {
  if (before.part_bytes == after.part_bytes) return before.key_bytes == after.key_bytes;
  return before.part_bytes < after.part_bytes && DependsOnValueOnly(before) &&
         DependsOnValueOnly(after);
}

bool SameString(const StringLayout& before, const StringLayout& after) {
  return before.collation == after.collation && before.characters == after.characters &&
         before.levels == after.levels && before.chunked == after.chunked &&
         before.cuts_spaces == after.cuts_spaces && before.legacy_chunks == after.legacy_chunks;
}

bool SameUnpackInfo(const PartUnpackInfo& before, const PartUnpackInfo& after) {
  return before.count_bytes == after.count_bytes && before.has_bits == after.has_bits &&
         before.value_bytes == after.value_bytes && before.has_zero_sign == after.has_zero_sign;
}

bool SameBytes(const KeyStep& before, const KeyStep& after) {
  return before.op == after.op && before.flip == after.flip && before.inverted == after.inverted &&
         before.column.form == after.column.form &&
         before.column.nullable == after.column.nullable && SameSize(before, after) &&
         SameString(before.string, after.string) && SameUnpackInfo(before.unpack, after.unpack);
}

// Whether readers conclude as much from the bytes.
bool SameMeaning(const KeyStep& before, const KeyStep& after) {
  return before.restore == after.restore && before.is_prefix == after.is_prefix &&
         before.scope == after.scope && before.equal_bytes_are_equal == after.equal_bytes_are_equal;
}

}  // namespace

bool KeepsEntries(const KeyCodec& before, const KeyCodec& after) {
  if (before.index_kind() != after.index_kind() || before.has_ttl() != after.has_ttl() ||
      before.user_parts() != after.user_parts() || before.total_parts() != after.total_parts()) {
    return false;
  }
  for (size_t i = 0; i < before.steps().size(); ++i) {
    const KeyStep& step = after.steps()[i];
    if (!SameBytes(before.steps()[i], step) || !SameMeaning(before.steps()[i], step)) return false;
  }
  return before.may_have_unpack_info() == after.may_have_unpack_info() &&
         before.hides_unpack_info() == after.hides_unpack_info();
}

}  // namespace basalt::codec
