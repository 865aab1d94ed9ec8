// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/entry_content.h"

#include "codec/checksum_chunk.h"
#include "codec/posting.h"
#include "codec/unpack_block.h"

namespace basalt::engine {
namespace {

// What follows the content: nothing or a checksum chunk.
bool IsProperEnd(Bytes rest, bool* has_checksum) {
  *has_checksum = rest.size() == codec::kChecksumChunkBytes &&
                  static_cast<uint8_t>(rest.front()) == codec::kChecksumTag;
  return rest.empty() || *has_checksum;
}

// Of a FULLTEXT index, all that is behind the timestamp.
bool ReadPosting(Bytes key, Bytes value, EntryContent* content) {
  content->unpack = value;
  content->has_checksum = false;
  codec::DocumentValue document;
  switch (static_cast<codec::PostingKind>(key[codec::kPostingHeadBytes - 1])) {
    case codec::PostingKind::kDocument:
      if (!codec::DecodeDocumentValue(value, &document)) return false;
      // Where the words are is not what the row says.
      if (document.in_blocks) content->unpack.remove_suffix(1);
      return true;
    case codec::PostingKind::kWord:
      return codec::CountPositions(value) != 0;
    case codec::PostingKind::kBlock:
    case codec::PostingKind::kSuperseded:
      break;
  }
  return false;
}

}  // namespace

bool ReadEntryContent(const codec::KeyCodec& codec, Bytes key, Bytes value, EntryContent* content) {
  content->unpack = Bytes();
  if (codec.has_ttl()) {
    if (value.size() < codec::kTtlBytes) return false;
    value.remove_prefix(codec::kTtlBytes);
  }
  if (IsFullText(codec)) return ReadPosting(key, value, content);
  if (codec.may_have_unpack_info()) {
    const Bytes block = codec::SecondaryUnpackContent(value);
    if (!block.empty()) {
      if (codec.hides_unpack_info()) {
        content->has_checksum = false;
        return true;
      }
      size_t bytes = 0;
      if (!codec.UnpackContentBytes(key, block, &bytes)) return false;
      content->unpack = block.substr(0, bytes);
      value = block.substr(bytes);
    }
  }
  return IsProperEnd(value, &content->has_checksum);
}

bool RowEndsWell(const codec::RowCodec& codec, Bytes value, bool* has_checksum) {
  size_t stored = 0;
  return codec.StoredBytes(value, &stored) && IsProperEnd(value.substr(stored), has_checksum);
}

}  // namespace basalt::engine
