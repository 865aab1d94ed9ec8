// SPDX-License-Identifier: GPL-2.0-only
#include "codec/checksum_chunk.h"

#include <array>

namespace basalt::codec {

namespace {

constexpr std::array<uint32_t, 256> MakeCrcTable() {
  constexpr uint32_t kReflectedPolynomial = 0xEDB88320;
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 1) != 0 ? crc >> 1 ^ kReflectedPolynomial : crc >> 1;
    }
    table[byte] = crc;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kCrcTable = MakeCrcTable();

}  // namespace

uint32_t Crc32(Bytes bytes) {
  uint32_t crc = ~uint32_t{0};
  for (const char byte : bytes) {
    crc = crc >> 8 ^ kCrcTable[(crc ^ static_cast<uint8_t>(byte)) & 0xFF];
  }
  return ~crc;
}

ChecksumState VerifyChecksumChunk(Bytes key, Bytes value) {
  const Bytes covered = value.substr(0, value.size() - kChecksumChunkBytes);
  const char* chunk = value.data() + covered.size();
  if (LoadBigEndian32(chunk + 1) != Crc32(key)) return ChecksumState::kKeyDiffers;
  if (LoadBigEndian32(chunk + 5) != Crc32(covered)) return ChecksumState::kValueDiffers;
  return ChecksumState::kMatches;
}

}  // namespace basalt::codec
