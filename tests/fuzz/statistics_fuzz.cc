// SPDX-License-Identifier: GPL-2.0-only
//
// Any bytes as the statistics in a table file: decoded or refused; encoded again they decode to the
// same.
#include "fuzz/fuzz_input.h"
#include "store/statistics/index_statistics.h"

using basalt::fuzz::BytesOf;
using basalt::fuzz::FuzzInput;
using basalt::fuzz::Require;
using namespace basalt::store;  // NOLINT

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const std::vector<uint8_t> bytes = input.Rest();
  std::vector<IndexStatisticsRecord> records;
  if (!DecodeIndexStatistics(BytesOf(bytes), &records)) {
    Require(records.empty(), "nothing comes out of what is refused");
    return 0;
  }
  std::vector<IndexStatisticsRecord> again;
  Require(DecodeIndexStatistics(EncodeIndexStatistics(records), &again), "encoded again");
  Require(again.size() == records.size(), "number of records");
  IndexStatistics sum;
  for (size_t i = 0; i < records.size(); ++i) {
    Require(again[i].index == records[i].index, "index");
    Require(again[i].statistics == records[i].statistics, "statistics");
    Require(records[i].statistics.LiveRows() >= 0, "rows");
    sum.Add(records[i].statistics);
  }
  for (const IndexStatisticsRecord& record : records) sum.Subtract(record.statistics);
  return 0;
}
