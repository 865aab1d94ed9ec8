// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"

namespace basalt::engine {

class Table;

// How messages name what is wrong: by table, index and key. None of these is for a hot path.

// A key in hexadecimal. Of a long one the beginning, the end and the length in bytes: the beginning
// says where it lies, the end of a secondary entry which row it belongs to.
std::string HexOf(Bytes key);

// "key 01", "keys 01, 02" or, when there are more than those, "first keys 01, 02, 03". `first` are
// the first of `count` keys as HexOf gives them, at least one.
std::string ListOfKeys(uint64_t count, const std::vector<std::string>& first);

// "table d.t, index k, key 00000101...".
std::string NameOfEntry(const Table& table, size_t index, Bytes key);

// The status with the entry (or, without a key, the index) in front of its message when it tells of
// damage: kCorruption and kIoError. Any other status comes back as it is.
Status WithEntry(const Table& table, size_t index, Bytes key, Status status);
// WithEntry of an index by its name, which the open table may not have yet.
Status WithEntry(const Table& table, const std::string& index, Bytes key, Status status);

// kCorruption: the entry with this key contradicts the format.
Status MalformedEntry(const Table& table, size_t index, Bytes key);
Status MalformedEntry(const Table& table, const std::string& index, Bytes key);

}  // namespace basalt::engine
