// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <unordered_map>

#include <rocksdb/options.h>

namespace basalt::store {

// LZ4 has no levels above 0. RocksDB before version 11 took none of them, so that configurations
// written for it give LZ4 a level which is meant for the ZSTD of the last level, such as
// "compression=kLZ4Compression;bottommost_compression=kZSTD;compression_opts=-14:4:0". Now such a
// level means LZ4HC, which is many times slower.

// Gives LZ4 its own level where a level above 0 stands, so that LZ4HC comes by its own name only.
// The last level keeps the level that was meant for it. Of compression_per_level a ZSTD beside LZ4
// gets its own level as well, as RocksDB has one for both. For options that are complete: the
// level is lost for a compression that is named afterwards. Any thread.
void KeepLz4(rocksdb::ColumnFamilyOptions* options);

// Puts the compression of the options into a map of those that an open family is to get, if the map
// changes anything of it. Any thread.
rocksdb::Status AddCompression(const rocksdb::ColumnFamilyOptions& options,
                               std::unordered_map<std::string, std::string>* changes);

}  // namespace basalt::store
