// SPDX-License-Identifier: GPL-2.0-only
#include "codec/key_decoder.h"

#include <cstring>

#include "codec/key_part_reader.h"
#include "codec/null_image.h"
#include "codec/number_key.h"
#include "codec/row_codec.h"
#include "codec/unpack_block.h"

namespace basalt::codec {
namespace {

// Most keys have such parts only, which need none of what the walk looks out for.
bool IsPlainInteger(const KeyStep& step) {
  return (step.op == KeyOp::kInteger32 || step.op == KeyOp::kInteger64) && step.inverted == 0 &&
         !step.column.nullable && step.unpack.empty() && step.restore == RestoreFrom::kKey;
}

}  // namespace

void KeyDecoder::Compile(const TableDescriptor& table, const KeyCodec& codec,
                         const ColumnSet& wanted) {
  codec_ = &codec;
  default_record_ = DefaultRecordOf(table);
  covered_ = codec.Covers(wanted);
  last_step_ = 0;
  last_unpack_step_ = 0;
  const std::vector<KeyStep>& steps = codec.steps();
  actions_.assign(steps.size(), Action::kSkip);
  for (unsigned i = 0; i < steps.size(); ++i) {
    if (!steps[i].decodable() || !wanted.Contains(steps[i].column.position)) continue;
    actions_[i] = Action::kDecode;
    last_step_ = i + 1;
    if (!steps[i].unpack.empty()) last_unpack_step_ = i + 1;
  }
  // Unpack info has no index: to reach a part's, that of all parts before it must be stepped over.
  for (unsigned i = 0; i < last_unpack_step_; ++i) {
    if (actions_[i] == Action::kSkip && !steps[i].unpack.empty()) {
      actions_[i] = Action::kSkipWithUnpack;
    }
  }
  plain_bytes_ = 0;
  for (unsigned i = 0; i < last_step_; ++i) {
    if (!IsPlainInteger(steps[i])) {
      plain_bytes_ = 0;
      break;
    }
    plain_bytes_ += steps[i].key_bytes;
  }
}

bool KeyDecoder::Decode(Bytes key, Bytes value, uint8_t* record) const {
  if (last_unpack_step_ == 0) return DecodeWithUnpack(key, Bytes(), record);
  if (codec_->has_ttl()) {
    if (value.size() < kTtlBytes) return false;
    value.remove_prefix(kTtlBytes);
  }
  return DecodeWithUnpack(key, SecondaryUnpackContent(value), record);
}

bool KeyDecoder::DecodePlain(Bytes key, uint8_t* record) const {
  if (key.size() < kIndexNumberBytes + plain_bytes_) return false;
  const uint8_t* from = Unsigned(key) + kIndexNumberBytes;
  const KeyStep* step = codec_->steps().data();
  for (unsigned i = 0; i < last_step_; ++i, ++step) {
    uint8_t* const column = record + step->column.record_offset;
    if (actions_[i] == Action::kDecode && step->op == KeyOp::kInteger32) {
      DecodeInteger<uint32_t>(from, step->flip, column);
    } else if (actions_[i] == Action::kDecode) {
      DecodeInteger<uint64_t>(from, step->flip, column);
    }
    from += step->key_bytes;
  }
  return true;
}

bool KeyDecoder::DecodeWithUnpack(Bytes key, Bytes unpack_content, uint8_t* record) const {
  if (key.size() < kIndexNumberBytes) return false;
  if (plain_bytes_ != 0) return DecodePlain(key, record);
  KeyCursor cursor{Unsigned(key) + kIndexNumberBytes, Unsigned(key) + key.size(),
                   Unsigned(unpack_content), Unsigned(unpack_content) + unpack_content.size()};
  const KeyStep* step = codec_->steps().data();
  for (unsigned i = 0; i < last_step_; ++i, ++step) {
    const PartPresence presence = ReadPresence(*step, &cursor);
    if (presence == PartPresence::kMalformed) return false;
    if (actions_[i] == Action::kDecode) {
      if (presence == PartPresence::kNull) {
        SetNull(step->column, default_record_, record);
        continue;
      }
      if (step->column.nullable)
        record[step->column.null_offset] &= static_cast<uint8_t>(~step->column.null_mask);
      if (!DecodePart(*step, &cursor, record)) return false;
      continue;
    }
    if (presence == PartPresence::kNull) continue;
    const bool skipped =
        actions_[i] == Action::kSkip ? SkipPart(*step, &cursor) : SkipPartAndUnpack(*step, &cursor);
    if (!skipped) return false;
  }
  return true;
}

}  // namespace basalt::codec
