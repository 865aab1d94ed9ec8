// SPDX-License-Identifier: GPL-2.0-only
#include "server/frm_header.h"

#include <cstddef>
#include <cstdint>

namespace basalt::server {

namespace {

// Places in the fixed head of the file; numbers are little-endian.
constexpr size_t kHeadBytes = 64;
constexpr size_t kEngineTypeAt = 3;
constexpr size_t kSegmentLengthAt = 4;
constexpr size_t kKeysAt = 6;
constexpr size_t kKeysLengthAt = 14;
constexpr size_t kRecordLengthAt = 16;
constexpr size_t kLongKeysLengthAt = 47;
constexpr size_t kNamesLengthAt = 55;

constexpr uint8_t kTypeOfPartitionedTables = 20;
// In the segment behind the head: a byte of type, a length, the content.
constexpr uint8_t kIdentity = 0;
constexpr uint8_t kEngineOfPartitions = 1;

uint8_t Byte(Bytes from, size_t at) { return static_cast<uint8_t>(from[at]); }

size_t Number16(Bytes from, size_t at) {
  return Byte(from, at) | static_cast<size_t>(Byte(from, at + 1)) << 8;
}

size_t Number32(Bytes from, size_t at) { return Number16(from, at) | Number16(from, at + 2) << 16; }

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

}  // namespace

bool ReadFrmHeader(Bytes image, FrmHeader* header) {
  *header = FrmHeader();
  if (image.size() < kHeadBytes || !image.starts_with("\xfe\x01")) return false;
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

}  // namespace basalt::server
