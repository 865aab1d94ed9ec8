// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <rocksdb/options.h>

namespace basalt::store {

// What an option string is for: a column family that is to be opened or made, or one that is open,
// of which RocksDB can change some options only.
enum class OptionScope : uint8_t { kNewFamily, kOpenFamily };

// Reads a RocksDB option string over `base`. RocksDB's error when it has a name that there is not,
// a value that its option does not take, or a compression that this build lacks. Old values are
// read as WithTodaysValues says. Any thread.
rocksdb::Status ParseFamilyOptions(std::string_view text, const rocksdb::ColumnFamilyOptions& base,
                                   OptionScope scope, rocksdb::ColumnFamilyOptions* parsed);

// The option string with values that old versions of RocksDB took, and this one does not, replaced
// by what they have become.
std::string WithTodaysValues(std::string_view text);

// What that changes, for a warning: "kZSTDNotFinalCompression is taken for kZSTD". Empty when the
// option string has no such value.
std::string DescribeOldValues(std::string_view text);

}  // namespace basalt::store
