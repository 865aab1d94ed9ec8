// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <vector>

#include "codec/column.h"
#include "codec/table_descriptor.h"

namespace basalt::codec {

// Columns that refer to those of another table: values go from the record image of one into that
// of the other, so that the other's key codec can make the key to look for.

// Whether a foreign key may tie the two, by InnoDB's rules (docs/decisions/foreign-keys.md):
// integers of one size and sign, with ENUM and SET among those without a sign; strings of one
// collation; all else that is stored as bytes. NULL and lengths do not count.
bool TypesMatch(const Column& one, const Column& other);

// Copies columns from records of one table to records of another. Immutable after its making: any
// number of threads. No allocation, no virtual call but those of NO PAD collations.
class ReferenceCopy {
 public:
  struct Pair {
    uint32_t from = 0;  // positions in TableDescriptor::columns
    uint32_t to = 0;
  };

  // The types of each pair match. The tables are not kept; their collations are.
  ReferenceCopy(const TableDescriptor& from, const TableDescriptor& to,
                const std::vector<Pair>& pairs);

  // True when one of the columns is NULL: then nothing is referred to.
  bool HasNull(const uint8_t* from) const;
  // Writes the values, none of them NULL, as not NULL into `to`; other columns of it stay as they
  // are. False when the other table's columns cannot hold an equal value: then no row has it, and
  // `to` has some of the values.
  [[nodiscard]] bool Copy(const uint8_t* from, uint8_t* to) const;

 private:
  struct Step {
    Column from;
    Column to;
  };
  std::vector<Step> steps_;
};

// Puts the positions of one side's columns and those of the other's, as many, together.
std::vector<ReferenceCopy::Pair> MakePairs(const std::vector<uint32_t>& from,
                                           const std::vector<uint32_t>& to);
// Whether the types of each pair match.
bool TypesMatch(const TableDescriptor& from, const TableDescriptor& to,
                const std::vector<ReferenceCopy::Pair>& pairs);

}  // namespace basalt::codec
