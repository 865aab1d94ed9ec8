// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/key_codec.h"
#include "codec/row_slots.h"
#include "codec/row_step.h"
#include "codec/table_descriptor.h"

namespace basalt::codec {

// Bytes of the timestamp at the start of values of an index with a time to live.
inline constexpr uint32_t kTtlBytes = 8;

// Builds the values of a table's rows and index entries (docs/format/value.md). Compiled once when
// a table is opened; immutable from then on, shared by threads. The output strings are reused by
// the caller: they are cleared, then filled, and allocate only to grow.
class RowCodec {
 public:
  // `primary` is the codec of the table's (hidden) primary key; it is read here and not kept.
  // kCorruption when the table has a layout of rows that is not its own.
  static Status Compile(const TableDescriptor& table, const KeyCodec& primary, RowCodec* codec);

  // The value of a row. `unpack_content` is what primary.EncodeKey() gave for it (ignored when the
  // primary key has no unpack info). `ttl_seconds` (since 1970) is used only if the index has TTL.
  void EncodeValue(const uint8_t* record, Bytes unpack_content, uint64_t ttl_seconds,
                   std::string* out) const;

  // Bytes of a row's value up to the end of its last column; a checksum chunk may follow. False
  // when the value is malformed.
  [[nodiscard]] bool StoredBytes(Bytes value, size_t* bytes) const;

  // True when a checksum chunk, and nothing else, follows the last column.
  bool HasChecksumChunk(Bytes value) const;

  // Where the steps stand, for the decoder: of a table with a layout, one for each slot of the
  // base. Those that are not simply a column's have kNoColumn for it; slots() tells about them.
  const std::vector<RowStep>& steps() const { return steps_; }
  // Null when the table has no layout.
  const RowSlots* slots() const { return slots_.get(); }
  uint32_t null_bitmap_bytes() const { return null_bitmap_bytes_; }
  bool has_unpack_block() const { return has_unpack_block_; }
  bool has_ttl() const { return has_ttl_; }

 private:
  void CompileColumns(const TableDescriptor& table, const KeyCodec& primary);
  void CompileSlots(const TableDescriptor& table);

  std::vector<RowStep> steps_;   // one a stored column, in column order
  std::vector<RowStep> merged_;  // the same with neighbours joined, for encoding
  std::shared_ptr<const RowSlots> slots_;
  uint32_t null_bitmap_bytes_ = 0;
  bool has_unpack_block_ = false;
  bool has_ttl_ = false;
};

// The value of a secondary index entry: [timestamp] [unpack block if there is content]. The
// timestamp is written only with `codec.has_ttl()`.
void EncodeSecondaryValue(const KeyCodec& codec, Bytes unpack_content, uint64_t ttl_seconds,
                          std::string* out);

// The timestamp at the start of a value of an index with TTL, seconds since 1970; false when the
// value is too short.
[[nodiscard]] bool ReadTtl(Bytes value, uint64_t* seconds);

}  // namespace basalt::codec
