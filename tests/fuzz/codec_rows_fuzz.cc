// SPDX-License-Identifier: GPL-2.0-only
//
// A table of columns, keys and rows that the input chooses: every row comes back from its bytes,
// each column alone and all together, and the primary key from each secondary entry.
#include <gtest/gtest.h>

#include "fuzz/fuzz_input.h"
#include "unit/codec/random_table.h"
#include "unit/codec/round_trip.h"

using basalt::fuzz::FuzzInput;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  // The checks are those of the unit tests; a failing one is to end the run.
  GTEST_FLAG_SET(throw_on_failure, true);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const uint64_t hidden_id = input.Number();
  const uint64_t ttl = input.Number();
  basalt::test::RandomTable random([&input] { return input.Number(); });
  do {
    const std::vector<uint8_t> record = random.RandomRow();
    const auto entries = basalt::test::EncodeRow(random.table(), record.data(), hidden_id, ttl);
    basalt::test::ExpectRoundTrip(random.table(), record, entries);
  } while (input.left() > 0);
  return 0;
}
