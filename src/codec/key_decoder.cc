// SPDX-License-Identifier: GPL-2.0-only
#include "codec/key_decoder.h"

#include <cstring>

#include "codec/key_part_reader.h"
#include "codec/null_image.h"
#include "codec/row_codec.h"
#include "codec/unpack_block.h"

namespace basalt::codec {

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
}

bool KeyDecoder::Decode(Bytes key, Bytes value, uint8_t* record) const {
  if (last_unpack_step_ == 0) return DecodeWithUnpack(key, Bytes(), record);
  if (codec_->has_ttl()) {
    if (value.size() < kTtlBytes) return false;
    value.remove_prefix(kTtlBytes);
  }
  return DecodeWithUnpack(key, SecondaryUnpackContent(value), record);
}

bool KeyDecoder::DecodeWithUnpack(Bytes key, Bytes unpack_content, uint8_t* record) const {
  if (key.size() < kIndexNumberBytes) return false;
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
