// SPDX-License-Identifier: GPL-2.0-only
#pragma once

namespace basalt::store {

// The two column families that every store has. The names are part of the format
// (docs/format/dictionary.md): MyRocks keeps its dictionary and its rows under the same ones.
inline constexpr const char* kSystemColumnFamilyName = "__system__";  // the dictionary
inline constexpr const char* kDefaultColumnFamilyName = "default";    // rows, unless told otherwise

}  // namespace basalt::store
