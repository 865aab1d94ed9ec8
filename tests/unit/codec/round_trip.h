// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

#include "unit/codec/test_table.h"

namespace basalt::test {

// Decodes the entries of a row again and compares: all columns of the row, each column alone, the
// columns that each secondary index covers, the primary key from each secondary key, and the
// lengths that walking keys and values gives. Differences are reported as test failures.
void ExpectRoundTrip(const TestTable& table, const std::vector<uint8_t>& record,
                     const std::vector<EncodedEntry>& entries);

}  // namespace basalt::test
