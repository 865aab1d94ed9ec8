// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace basalt::fuzz {

// Cuts a fuzzer's input into what a target needs. Reading past the end gives zeros and empty
// strings: every input is a whole one.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  size_t left() const { return size_; }
  uint8_t Byte() { return size_ == 0 ? 0 : (--size_, *data_++); }
  uint32_t Number() { return uint32_t{Byte()} << 8 | Byte(); }
  // As many bytes as the next number says, at most `most`, in memory of exactly that size, so that
  // the sanitizer sees each step outside.
  std::vector<uint8_t> Block(size_t most) {
    const size_t wanted = most == 0 ? 0 : Number() % (most + 1);
    const size_t bytes = wanted < size_ ? wanted : size_;
    return Take(bytes);
  }
  std::vector<uint8_t> Rest() { return Take(size_); }

 private:
  std::vector<uint8_t> Take(size_t bytes) {
    std::vector<uint8_t> block(data_, data_ + bytes);
    block.shrink_to_fit();
    data_ += bytes;
    size_ -= bytes;
    return block;
  }

  const uint8_t* data_;
  size_t size_;
};

inline Bytes BytesOf(const std::vector<uint8_t>& block) {
  return MakeBytes(block.data(), block.size());
}

// A property that does not hold ends the run like a crash does, and the fuzzer keeps the input.
inline void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  __builtin_trap();
}

}  // namespace basalt::fuzz
