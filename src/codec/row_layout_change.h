// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codec/row_layout.h"

namespace basalt::codec {

// Where a column of a changed definition comes from.
struct ColumnOrigin {
  std::optional<uint32_t> column;  // of the old definition; none: it is new
  // Of a new one: what the rows that are there have.
  bool is_null = false;
  std::string value;  // as it stands in a row: a length first if it varies
};

// That of a new column whose value in the rows that are there is the one in this record image.
ColumnOrigin NewColumn(const Column& column, const uint8_t* record);

// Finds out how rows are laid out when `before` becomes `after` and no row is touched; origins[i]
// is where column i of `after` comes from. The primary key stays. Values keep their meaning as far
// as the bytes go; that types of one form mean the same (members of an ENUM, digits of a DECIMAL)
// is the caller's to know.
//
// False when rows have to be copied. *layout: null when rows need no layout.
[[nodiscard]] bool ChangeRowLayout(const TableDescriptor& before, const TableDescriptor& after,
                                   const std::vector<ColumnOrigin>& origins,
                                   std::shared_ptr<const RowLayout>* layout);

}  // namespace basalt::codec
