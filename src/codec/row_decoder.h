// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "codec/column_set.h"
#include "codec/extension_decoder.h"
#include "codec/key_decoder.h"
#include "codec/row_codec.h"

namespace basalt::codec {

// Decodes rows of a table (an entry of its primary index) into record images: a program compiled
// for the columns a statement reads. Columns that are not wanted are passed over, runs of them in
// one go, and the walk ends after the last wanted one.
//
// Compile is for one thread; Decode is const and may run in many. Compiling again reuses memory,
// so an object kept with the table handle allocates nothing in the long run. The table and
// the KeyCodec must outlive the object or be replaced by another Compile.
class RowDecoder {
 public:
  // `primary` and `rows` are the table's codecs, and `rows` outlives this object, too. Wanted
  // columns that are not stored (virtual generated ones) are left alone.
  void Compile(const TableDescriptor& table, const KeyCodec& primary, const RowCodec& rows,
               const ColumnSet& wanted);

  // True when the last Compile was for exactly this set, so that it need not be repeated. (The
  // caller knows that the table is still the same.)
  bool CompiledFor(const ColumnSet& wanted) const { return compiled_ && wanted == wanted_; }

  // Fills in the wanted columns and their NULL bits, nothing else. TEXT and BLOB columns point
  // into `value`, which must stay where it is for as long as they are used. False when the bytes
  // contradict the format; the columns are undefined then. `key` includes the index number.
  [[nodiscard]] bool Decode(Bytes key, Bytes value, uint8_t* record) const;

 private:
  // A column or a run of them, and the bytes of the unwanted columns in front of it.
  struct Step : RowStep {
    uint32_t passed_bytes = 0;  // of fixed size, in front
    uint32_t repeats = 1;       // so many columns like this one are passed over; wanted ones: 1
    const SlotStep* slot = nullptr;  // reads itself; null: a column as it is
  };

  void CompileSteps(const RowCodec& rows, const ColumnSet& wanted);
  void CompileSteps(const RowCodec& rows, const RowSlots& slots, const ColumnSet& wanted);
  void Append(const RowStep& stored, bool wanted, uint32_t* passed_bytes);
  // Always inline: there is one call for each kind of table, and calls cost each row.
  [[nodiscard, gnu::always_inline]] bool DecodeHead(Bytes key, Bytes* value, const uint8_t** bitmap,
                                                    uint8_t* record) const;
  template <bool kWithSlots>
  [[nodiscard, gnu::always_inline]] const uint8_t* DecodeColumns(const uint8_t* bitmap,
                                                                 const uint8_t* from,
                                                                 const uint8_t* end,
                                                                 uint8_t* record) const;
  [[nodiscard]] const uint8_t* DecodeSlot(const Step& step, const uint8_t* bitmap,
                                          const uint8_t* from, const uint8_t* end,
                                          uint8_t* record) const;
  [[nodiscard]] bool DecodeWithExtension(Bytes key, Bytes value, uint8_t* record) const;

  KeyDecoder key_;
  std::vector<Step> steps_;
  ExtensionDecoder extension_;   // empty: the base of rows has all that is wanted
  uint32_t trailing_bytes_ = 0;  // of fixed size, behind the last step; for what follows only
  const uint8_t* default_record_ = nullptr;  // of the table; null: zeros
  ColumnSet wanted_;
  uint32_t null_bitmap_bytes_ = 0;
  bool has_unpack_block_ = false;
  bool has_ttl_ = false;
  bool compiled_ = false;
};

}  // namespace basalt::codec
