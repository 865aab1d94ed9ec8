// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

// Fixed-width integers in byte strings. Everything that Basalt itself puts on disk is big-endian
// and unsigned (docs/format/README.md); columns inside a row value keep the server's record image,
// which is little-endian. Readers below do no bounds check: the caller has compared lengths.

namespace basalt {

// A borrowed run of bytes. The standard type, under a name that says it is not text. Comparisons
// are those of memcmp, a shorter run before a longer one that begins with it: the order of keys in
// every forward column family.
using Bytes = std::string_view;

// Writes `value` to the first 2, 4 or 8 bytes at `to`, most significant byte first. `to` needs no
// alignment.
inline void StoreBigEndian16(void* to, uint16_t value) {
  value = __builtin_bswap16(value);
  std::memcpy(to, &value, sizeof(value));
}

inline void StoreBigEndian32(void* to, uint32_t value) {
  value = __builtin_bswap32(value);
  std::memcpy(to, &value, sizeof(value));
}

inline void StoreBigEndian64(void* to, uint64_t value) {
  value = __builtin_bswap64(value);
  std::memcpy(to, &value, sizeof(value));
}

// Reads what the functions above have written. `from` must have that many bytes and needs no
// alignment.
inline uint16_t LoadBigEndian16(const void* from) {
  uint16_t value;
  std::memcpy(&value, from, sizeof(value));
  return __builtin_bswap16(value);
}

inline uint32_t LoadBigEndian32(const void* from) {
  uint32_t value;
  std::memcpy(&value, from, sizeof(value));
  return __builtin_bswap32(value);
}

inline uint64_t LoadBigEndian64(const void* from) {
  uint64_t value;
  std::memcpy(&value, from, sizeof(value));
  return __builtin_bswap64(value);
}

// Adds 2, 4 or 8 bytes to the end of `to`; these allocate when the string has to grow, so they are
// for building records of the dictionary and bounds, not for rows.
inline void AppendBigEndian16(std::string* to, uint16_t value) {
  char bytes[sizeof(value)];
  StoreBigEndian16(bytes, value);
  to->append(bytes, sizeof(bytes));
}

inline void AppendBigEndian32(std::string* to, uint32_t value) {
  char bytes[sizeof(value)];
  StoreBigEndian32(bytes, value);
  to->append(bytes, sizeof(bytes));
}

inline void AppendBigEndian64(std::string* to, uint64_t value) {
  char bytes[sizeof(value)];
  StoreBigEndian64(bytes, value);
  to->append(bytes, sizeof(bytes));
}

// Turns the bytes of a prefix into the least bytes above all that begin with it. Not for bytes that
// are all 0xff: keys begin with the number of their index, which never is.
inline void MakeSuccessor(std::string* prefix) {
  while (static_cast<uint8_t>(prefix->back()) == 0xff) prefix->pop_back();
  prefix->back() = static_cast<char>(static_cast<uint8_t>(prefix->back()) + 1);
}

// Adds bytes as hexadecimal digits, two a byte, small letters; for messages and reports.
inline void AppendHex(Bytes bytes, std::string* to) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const char byte : bytes) {
    to->push_back(kDigits[static_cast<uint8_t>(byte) >> 4]);
    to->push_back(kDigits[static_cast<uint8_t>(byte) & 15]);
  }
}

// Returns the bytes as unsigned numbers. Codecs compute with these; RocksDB's slices and the
// standard library have plain char. Nothing is copied, and the result lives as long as its source.
inline const uint8_t* Unsigned(Bytes bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

// The way back: a run of `length` bytes at `data`, borrowed. Lengths are bytes, never characters.
inline Bytes MakeBytes(const uint8_t* data, size_t length) {
  return Bytes(reinterpret_cast<const char*>(data), length);
}

}  // namespace basalt
