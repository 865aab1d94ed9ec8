// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace basalt {

// Reads a record from its front: big-endian integers and runs of bytes. It never reads outside of
// the bytes. Once they do not hold what is asked for, it has failed: each number is 0 and each run
// empty from then on, so that a decoder may ask at the end of a part whether all of it was there.
//
// Borrows the bytes; the runs that it gives point into them. One thread.
class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : rest_(bytes) {}

  // Was something asked for that was not there?
  bool failed() const { return failed_; }
  bool AtEnd() const { return rest_.empty(); }

  // Numbers of 1, 2, 4 and 8 bytes.
  uint8_t Read8() { return Has(1) ? *Unsigned(Take(1)) : 0; }
  uint16_t Read16() { return Has(2) ? LoadBigEndian16(Take(2).data()) : 0; }
  uint32_t Read32() { return Has(4) ? LoadBigEndian32(Take(4).data()) : 0; }
  uint64_t Read64() { return Has(8) ? LoadBigEndian64(Take(8).data()) : 0; }
  // The next `length` bytes.
  Bytes ReadBytes(size_t length) { return Has(length) ? Take(length) : Bytes(); }

 private:
  bool Has(size_t length) {
    failed_ = failed_ || rest_.size() < length;
    return !failed_;
  }
  Bytes Take(size_t length) {
    const Bytes taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  Bytes rest_;
  bool failed_ = false;
};

}  // namespace basalt
