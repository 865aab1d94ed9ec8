// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/collation.h"

namespace basalt::codec {

// Disambiguation bits of simple collations (docs/format/key.md, "Unpack info"). A key holds
// weights, and several bytes may share one; which of them it was is a small number beside the key,
// with as many bits as the class of that weight needs. The numbers are packed from the lowest bit
// of each byte upwards; one that does not fit is split, its upper part first. Each key part starts
// on a fresh byte.

// Writes bits one after another. The caller asks for end() when a part is done. Bytes are cleared
// as they are begun, so the target need not be.
class BitWriter {
 public:
  // Writes from `to` on; the caller has made room for every bit that will come (step sizes are
  // summed up in KeyCodec::max_unpack_bytes).
  explicit BitWriter(uint8_t* to) : at_(to) {}

  // Writes the low `bits` bits of the value, 0 to 8 of them; the others must be zero.
  void Write(unsigned bits, unsigned value) {
    while (bits > 0) {
      if (used_ == 0) *at_ = 0;
      const unsigned room = 8 - used_;
      const unsigned take = bits < room ? bits : room;
      const unsigned piece = (value >> (bits - take)) & ((1u << take) - 1);
      *at_ = static_cast<uint8_t>(*at_ | piece << used_);
      bits -= take;
      used_ += take;
      if (used_ == 8) {
        used_ = 0;
        ++at_;
      }
    }
  }

  // Behind the last byte begun; its unused upper bits are zero.
  uint8_t* end() const { return used_ == 0 ? at_ : at_ + 1; }

 private:
  uint8_t* at_;
  unsigned used_ = 0;
};

// The inverse. Never reads behind `end`, and where it stands is never behind it either, so that
// damaged bytes end a decode instead of a server.
class BitReader {
 public:
  BitReader(const uint8_t* from, const uint8_t* end) : at_(from), end_(end) {}

  // The next `bits` bits as a number; 0 for no bits. False when the bytes end first, and then
  // *value is unchanged.
  [[nodiscard]] bool Read(unsigned bits, unsigned* value) {
    unsigned result = 0;
    while (bits > 0) {
      if (at_ == end_) return false;
      const unsigned room = 8 - used_;
      const unsigned take = bits < room ? bits : room;
      result = result << take | ((*at_ >> used_) & ((1u << take) - 1));
      bits -= take;
      used_ += take;
      if (used_ == 8) {
        used_ = 0;
        ++at_;
      }
    }
    *value = result;
    return true;
  }

  // Steps over bits that belong to this part but tell nothing. False when there are not so many.
  [[nodiscard]] bool Skip(uint64_t bits) {
    bits += used_;
    if (bits / 8 > static_cast<uint64_t>(end_ - at_)) return false;
    at_ += bits / 8;
    used_ = static_cast<unsigned>(bits % 8);
    return used_ == 0 || at_ != end_;
  }

  // Behind the last byte begun: where the next part's unpack info starts.
  const uint8_t* end() const { return used_ == 0 ? at_ : at_ + 1; }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  unsigned used_ = 0;
};

// What a key part contributes to the unpack info (a part of a simple collation, after its count).
// Writes the bits for `length` bytes of an untrimmed value, each by its own class; returns behind
// the last byte begun, where the next part starts.
inline uint8_t* WriteWeightBits(const WeightClasses& classes, const uint8_t* value, size_t length,
                                uint8_t* to) {
  BitWriter writer(to);
  for (size_t i = 0; i < length; ++i) {
    writer.Write(classes.bits_of_byte[value[i]], classes.index_of_byte[value[i]]);
  }
  return writer.end();
}

// The way back, when a key part is decoded; `bits` moves on by what was read.
// Turns `length` weights from a key back into the bytes of the value at `to`. False when the bits
// end early, or name a byte that does not exist (classes need not have a power of two members).
[[nodiscard]] inline bool ReadWeightBits(const WeightClasses& classes, const uint8_t* weights,
                                         size_t length, BitReader* bits, uint8_t* to) {
  for (size_t i = 0; i < length; ++i) {
    const uint8_t weight = weights[i];
    unsigned index = 0;
    if (!bits->Read(classes.bits_of_weight[weight], &index)) return false;
    if (index >= classes.members_of_weight[weight]) return false;
    to[i] = classes.members[classes.first_member[weight] + index];
  }
  return true;
}

// How many bits belong to these weights: the same as to the bytes they stand for, since all bytes
// of a weight have equally many.
inline uint64_t CountWeightBits(const WeightClasses& classes, const uint8_t* weights,
                                size_t length) {
  uint64_t bits = 0;
  for (size_t i = 0; i < length; ++i) bits += classes.bits_of_weight[weights[i]];
  return bits;
}

}  // namespace basalt::codec
