// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "codec/column_set.h"
#include "codec/key_codec.h"
#include "codec/table_descriptor.h"

namespace basalt::codec {

// Recovers columns from the entries of one index: a program compiled for the columns a statement
// reads. Parts that are not wanted are stepped over; the walk ends after the last wanted part.
//
// Used by one thread at a time to Compile; Decode is const and may run in many threads. Compiling
// again reuses the memory. The table and the KeyCodec must outlive this object, or be replaced by a
// Compile.
class KeyDecoder {
 public:
  // Prepares to decode `wanted` columns, as far as this index can give them back; see covered().
  void Compile(const TableDescriptor& table, const KeyCodec& codec, const ColumnSet& wanted);

  // True when every wanted column comes out of the index entry.
  bool covered() const { return covered_; }
  // True when nothing has to be decoded.
  bool empty() const { return last_step_ == 0; }

  // Decodes an entry of a secondary index into the record image: the wanted columns and their NULL
  // bits, nothing else. `value` is the entry's whole value (timestamp, unpack info and checksum
  // chunk included). False when the bytes contradict the format; the columns are undefined then.
  [[nodiscard]] bool Decode(Bytes key, Bytes value, uint8_t* record) const;

  // Decodes with unpack info content that the caller has found, as for rows of a primary key.
  [[nodiscard]] bool DecodeWithUnpack(Bytes key, Bytes unpack_content, uint8_t* record) const;

 private:
  enum class Action : uint8_t { kSkip, kSkipWithUnpack, kDecode };

  [[nodiscard]] bool DecodePlain(Bytes key, uint8_t* record) const;

  const KeyCodec* codec_ = nullptr;
  const uint8_t* default_record_ = nullptr;  // of the table; null: zeros
  std::vector<Action> actions_;              // one a step
  unsigned last_step_ = 0;                   // steps to walk
  unsigned last_unpack_step_ = 0;            // of these, up to the last that needs unpack info
  bool covered_ = false;
  // Bytes of the parts to walk, when all are INT or BIGINT, ascending and never NULL; else 0.
  uint32_t plain_bytes_ = 0;
};

}  // namespace basalt::codec
