// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/frm_header.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace basalt::server {

namespace {

// Places in the fixed head of the file; numbers are little-endian.
constexpr size_t kHeadBytes = 64;
constexpr size_t kFormatAt = 2;
constexpr size_t kEngineTypeAt = 3;
constexpr size_t kSegmentLengthAt = 4;
constexpr size_t kKeysAt = 6;
constexpr size_t kKeysLengthAt = 14;
constexpr size_t kRecordLengthAt = 16;
constexpr size_t kLongKeysLengthAt = 47;
constexpr size_t kNamesLengthAt = 55;

// The section of the keys: how many, in one byte or two; then for each what it is and its parts,
// both of fixed length; then all names, between bytes that no name has, up to a zero.
constexpr uint8_t kFirstFormatWithTheseKeys = 9;
constexpr uint8_t kManyKeys = 0x80;
constexpr size_t kKeysHeadBytes = 6;
constexpr size_t kKeyBytes = 8;
constexpr size_t kPartsOfKeyAt = 4;
constexpr size_t kKeyPartBytes = 9;
constexpr char kBetweenNames = '\xff';

constexpr uint8_t kTypeOfPartitionedTables = 20;
// In the segment behind the head: a byte of type, a length, the content.
constexpr uint8_t kIdentity = 0;
constexpr uint8_t kEngineOfPartitions = 1;

uint8_t Byte(Bytes from, size_t at) { return static_cast<uint8_t>(from[at]); }

size_t Number16(Bytes from, size_t at) {
  return Byte(from, at) | static_cast<size_t>(Byte(from, at + 1)) << 8;
}

size_t Number32(Bytes from, size_t at) { return Number16(from, at) | Number16(from, at + 2) << 16; }

bool HasHead(Bytes image) { return image.size() >= kHeadBytes && image.starts_with("\xfe\x01"); }

// Takes the length of the next entry of the segment off its front: one byte, or a zero and two.
bool TakeLength(Bytes* rest, size_t* length) {
  if (rest->empty()) return false;
  *length = Byte(*rest, 0);
  rest->remove_prefix(1);
  if (*length != 0) return true;
  if (rest->size() < 2) return false;
  *length = Number16(*rest, 0);
  rest->remove_prefix(2);
  return true;
}

void ReadSegment(Bytes segment, FrmHeader* header) {
  while (!segment.empty()) {
    const uint8_t type = Byte(segment, 0);
    segment.remove_prefix(1);
    size_t length = 0;
    if (!TakeLength(&segment, &length) || length > segment.size()) return;
    const Bytes content = segment.substr(0, length);
    if (type == kIdentity) header->identity = content;
    if (type == kEngineOfPartitions) header->engine = content;
    segment.remove_prefix(length);
  }
}

// The name stands behind the keys and the record of default values, after the connect string.
void ReadEngineName(Bytes image, FrmHeader* header) {
  if (Number32(image, kNamesLengthAt) == 0) return;
  const size_t keys = Number16(image, kKeysLengthAt);
  size_t at = Number16(image, kKeysAt) +
              (keys == UINT16_MAX ? Number32(image, kLongKeysLengthAt) : keys) +
              Number16(image, kRecordLengthAt);
  if (at + 2 > image.size()) return;
  at += 2 + Number16(image, at);
  if (at + 2 > image.size()) return;
  const size_t length = Number16(image, at);
  if (length > image.size() - at - 2) return;
  header->engine = image.substr(at + 2, length);
}

// Takes the descriptions of the keys off the front of their section; their number.
bool SkipKeys(Bytes* section, size_t* keys) {
  if (section->size() < kKeysHeadBytes) return false;
  *keys = Byte(*section, 0);
  if (*keys & kManyKeys) *keys = (*keys & ~kManyKeys) | static_cast<size_t>(Byte(*section, 1)) << 7;
  section->remove_prefix(kKeysHeadBytes);
  for (size_t i = 0; i < *keys; ++i) {
    if (section->size() < kKeyBytes) return false;
    const size_t bytes = kKeyBytes + Byte(*section, kPartsOfKeyAt) * kKeyPartBytes;
    if (section->size() < bytes) return false;
    section->remove_prefix(bytes);
  }
  return true;
}

}  // namespace

bool ReadFrmHeader(Bytes image, FrmHeader* header) {
  *header = FrmHeader();
  if (!HasHead(image)) return false;
  header->partitioned = Byte(image, kEngineTypeAt) == kTypeOfPartitionedTables;
  // Very old files have a path where the segment is now.
  Bytes segment = image.substr(kHeadBytes);
  const size_t length = Number16(image, kSegmentLengthAt);
  if (length <= segment.size() && !segment.starts_with('/')) {
    ReadSegment(segment.substr(0, length), header);
  }
  if (!header->partitioned) ReadEngineName(image, header);
  return true;
}

bool ReadFrmKeyNames(Bytes image, std::vector<std::string>* names) {
  names->clear();
  if (!HasHead(image)) return false;
  const size_t begin = Number16(image, kKeysAt);
  if (Byte(image, kFormatAt) < kFirstFormatWithTheseKeys || begin > image.size()) return false;
  Bytes rest = image.substr(begin);
  size_t keys = 0;
  if (!SkipKeys(&rest, &keys)) return false;
  std::vector<std::string> found;
  for (size_t i = 0; i < keys; ++i) {
    if (!rest.starts_with(kBetweenNames)) return false;
    rest.remove_prefix(1);
    const size_t length = rest.find(kBetweenNames);
    if (length == Bytes::npos) return false;
    found.emplace_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  *names = std::move(found);
  return true;
}

}  // namespace basalt::server
