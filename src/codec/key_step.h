// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "codec/collation.h"

namespace basalt::codec {

// What one step of a compiled key program does. New layouts become new codes; the walkers switch
// over them in one place each.
enum class KeyOp : uint8_t {
  kInteger8,   // 1 byte, xor flip
  kInteger16,  // little-endian in the record, big-endian in the key, first byte xor flip
  kInteger24,
  kInteger32,
  kInteger64,
  kFloat,
  kDouble,
  kCopy,           // the record's bytes, first byte xor flip
  kCharRaw,        // CHAR latin1_bin, BINARY: the record's bytes
  kCharUtf8mb3,    // CHAR utf8mb3_bin: weights that are code points
  kCharSimple,     // CHAR of a simple collation: weights from a table
  kCharWeights,    // CHAR of any other collation: the collation's transformation
  kChunks,         // VARBINARY, version 14 also others: 9-byte chunks of the data
  kWeightChunks,   // VARCHAR of a multi-level collation: 9-byte chunks of the weights
  kPaddedRaw,      // VARCHAR latin1_bin: space-padded segments of the data
  kPaddedSimple,   // VARCHAR of a simple collation: segments of table weights
  kPaddedUtf8mb3,  // VARCHAR utf8mb3_bin: segments of code points
  kPaddedWeights,  // VARCHAR of any other single-level collation
  kOrder,          // version 14, most collations: all weights of the characters, level after level
  kBlobPrefix,     // BLOB prefix: zero padded bytes, then the length of the value
  kTextPrefix,     // TEXT prefix: weights, padded
  kExtent,         // the extent of a geometry in a grid (extent_key.h)
  kWord,           // a word of a text, or none in the row's own entry (posting.h)
  kHiddenId,       // 8 bytes big-endian
};

// Which of a part's bytes follow from a search value, that is, from the characters of a prefix part
// alone. What does not follow may differ between rows that SQL takes for equal in this part.
enum class SearchScope : uint8_t {
  kAll,         // all: equal values have equal bytes
  kWeights,     // the weights of the value's characters, not what follows them
  kFewWeights,  // the same but for the last two weights, which later characters can change
  kNothing,
};

// How a column lies in a record image; in a search tuple the last two look the same.
enum class SourceForm : uint8_t {
  kFixed,    // its bytes
  kVarying,  // length bytes, then data
  kBlob,     // length bytes, then a pointer to the data
};

// Where a reader has a column from.
enum class RestoreFrom : uint8_t {
  kNothing,
  kKey,    // the key, with the count and bits of the unpack info if there are any
  kValue,  // a copy in the unpack info
};

// The position of what is no column of the table.
inline constexpr uint32_t kNoColumn = ~uint32_t{0};

// A column in record images: where its bytes and its NULL bit are.
struct RecordColumn {
  SourceForm form = SourceForm::kFixed;
  bool nullable = false;
  uint8_t null_mask = 0;
  uint8_t length_bytes = 0;  // of a VARCHAR or BLOB, in front of the data or the pointer
  uint32_t position = 0;     // in the table; kNoColumn for a hidden id
  uint32_t record_offset = 0;
  uint32_t null_offset = 0;
  uint32_t record_bytes = 0;      // data capacity + length_bytes if varying
  uint32_t null_image_bytes = 0;  // bytes to take from the default record for a NULL

  bool IsNull(const uint8_t* record) const {
    return nullable && (record[null_offset] & null_mask) != 0;
  }
};

// What a part contributes to the unpack info: what its value has and its key bytes do not tell.
struct PartUnpackInfo {
  uint8_t count_bytes = 0;     // of the trailing-space count, 0..2
  bool has_bits = false;       // disambiguation bits follow
  uint8_t value_bytes = 0;     // length bytes of a copy of the value; 0: no copy
  bool has_zero_sign = false;  // a byte for the sign of a FLOAT 0

  bool empty() const { return count_bytes == 0 && !has_bits && value_bytes == 0 && !has_zero_sign; }
};

// How the characters of a string become key bytes. Of no account for other columns.
struct StringLayout {
  const Collation* collation = nullptr;
  uint32_t characters = 0;      // kOrder, kChunks: only the first ones take part; 0: all
  uint32_t weights = 0;         // most weights to ask the collation for
  uint32_t transform_room = 0;  // output room to offer the collation's transformation
  uint8_t levels = 1;           // kOrder: levels of weights
  uint8_t chunked = 0;          // kOrder: bit n: the n-th is written in chunks, not segments
  bool cuts_spaces = false;     // kOrder: spaces at the end are cut off first
  bool legacy_chunks = false;   // chunk flags as before kv format version 12
};

// One part of a compiled key. A plain value; the lists of steps belong to the codecs. All of it
// lies in place, without gaps: the walkers read it for each part of each key.
struct KeyStep {
  RecordColumn column;
  KeyOp op = KeyOp::kCopy;
  uint8_t flip = 0;      // xor for the first key byte: 0x80 for signed numbers
  uint8_t inverted = 0;  // xor for all bytes: 0xff for a descending part
  RestoreFrom restore = RestoreFrom::kNothing;
  bool is_prefix = false;  // the part holds only the beginning of the column
  SearchScope scope = SearchScope::kAll;
  // Rows with equal bytes are equal in this part. False where the room for weights is counted in
  // characters and a character can have several: then the end of a value may not take part.
  bool equal_bytes_are_equal = true;
  PartUnpackInfo unpack;
  uint32_t key_bytes = 0;      // fixed-size ops: bytes in the key; varying ops: 0
  uint32_t max_key_bytes = 0;  // most bytes in the key, without the NULL byte
  uint32_t part_bytes = 0;     // as declared: characters * bytes per character for strings
  uint32_t source_bytes = 0;   // data bytes that take part: of a prefix part its own
  uint32_t tuple_bytes = 0;    // bytes in the server's search tuple, NULL and length bytes included
  StringLayout string;

  bool is_fixed_size() const { return key_bytes != 0 && !column.nullable; }
  bool decodable() const { return restore != RestoreFrom::kNothing; }
};

}  // namespace basalt::codec
