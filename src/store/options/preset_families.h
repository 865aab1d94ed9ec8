// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string_view>

#include <rocksdb/options.h>
#include <rocksdb/table.h>

namespace basalt::store {

// Speed against size, in a word. Each but kDefault has a column family of its own, with options
// that preset_families.cc gives reasons for. The numbers are not stored.
enum class StoragePreset : uint8_t { kDefault = 0, kFast = 1, kSmall = 2 };

// The column family of a preset: "default", "preset_fast" or "preset_small".
std::string_view FamilyOfPreset(StoragePreset preset);

// Changes the defaults of a column family into those of its preset, if it is one of them.
void ApplyPreset(std::string_view family_name, rocksdb::ColumnFamilyOptions* family,
                 rocksdb::BlockBasedTableOptions* table);

}  // namespace basalt::store
