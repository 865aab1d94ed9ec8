// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string_view>

#include <rocksdb/comparator.h>

namespace basalt::store {

// The two orders of keys that exist on disk. RocksDB stores a comparator's name with the column
// family and refuses to open it under another name, so the names are part of the format
// (docs/format/dictionary.md).
inline constexpr const char* kForwardComparatorName = "RocksDB_SE_v3.10";
inline constexpr const char* kReverseComparatorName = "rev:RocksDB_SE_v3.10";

// A column family is reverse when its name starts with exactly this.
inline constexpr std::string_view kReverseColumnFamilyPrefix = "rev:";

// Bytewise order: memcmp, a prefix before its extensions. Lives for ever.
const rocksdb::Comparator* ForwardComparator();

// The exact reverse of the bytewise order: an extension comes before its prefix. Lives for ever.
const rocksdb::Comparator* ReverseComparator();

// The comparator a column family of this name has.
const rocksdb::Comparator* ComparatorFor(std::string_view column_family_name);

}  // namespace basalt::store
