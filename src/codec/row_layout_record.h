// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/row_layout.h"

namespace basalt::codec {

// The layout of a table's rows as bytes (docs/format/row-versions.md, "The layout on disk"): the
// end of the dictionary's record of its primary index. Pure functions.

// For a layout that is valid.
std::string EncodeRowLayout(const RowLayout& layout);

// Takes any bytes. kCorruption, with what is wrong, unless they are those of a valid layout; then
// *layout has something undefined.
Status DecodeRowLayout(Bytes bytes, RowLayout* layout);

}  // namespace basalt::codec
