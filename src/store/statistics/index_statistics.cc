// SPDX-License-Identifier: GPL-2.0-only
#include "store/statistics/index_statistics.h"

#include <algorithm>
#include <cstddef>

#include "base/byte_reader.h"

namespace basalt::store {
namespace {

constexpr uint16_t kVersion = 2;
constexpr uint16_t kVersionWithoutEntryKinds = 1;
// More key parts than any index can have, its primary key's included; more is garbage.
constexpr uint64_t kMaximumParts = 128;

// What a sum of such records could not survive: counters below zero or near the type's end.
bool Plausible(const IndexStatistics& s) {
  constexpr int64_t kMost = int64_t{1} << 56;
  const auto fits = [](int64_t value) { return value >= 0 && value <= kMost; };
  return fits(s.data_bytes) && fits(s.rows) && fits(s.disk_bytes) && fits(s.deletes) &&
         fits(s.single_deletes) && fits(s.merges) && fits(s.others) &&
         std::all_of(s.distinct_prefixes.begin(), s.distinct_prefixes.end(), fits);
}

int64_t ReadCounter(ByteReader* reader) { return static_cast<int64_t>(reader->Read64()); }

bool ReadRecord(ByteReader* reader, uint16_t version, IndexStatisticsRecord* record) {
  IndexStatistics& s = record->statistics;
  record->index.column_family = reader->Read32();
  record->index.number = reader->Read32();
  s.data_bytes = ReadCounter(reader);
  s.rows = ReadCounter(reader);
  s.disk_bytes = ReadCounter(reader);
  const uint64_t parts = reader->Read64();
  if (parts > kMaximumParts) return false;
  if (version >= kVersion) {
    s.deletes = ReadCounter(reader);
    s.single_deletes = ReadCounter(reader);
    s.merges = ReadCounter(reader);
    s.others = ReadCounter(reader);
  }
  for (uint64_t i = 0; i < parts && !reader->failed(); ++i) {
    s.distinct_prefixes.push_back(ReadCounter(reader));
  }
  return !reader->failed() && Plausible(s);
}

void Append(std::string* out, int64_t counter) {
  AppendBigEndian64(out, static_cast<uint64_t>(counter));
}

template <typename Operation>
void Combine(IndexStatistics* to, const IndexStatistics& from, Operation operation) {
  operation(to->data_bytes, from.data_bytes);
  operation(to->rows, from.rows);
  operation(to->disk_bytes, from.disk_bytes);
  operation(to->deletes, from.deletes);
  operation(to->single_deletes, from.single_deletes);
  operation(to->merges, from.merges);
  operation(to->others, from.others);
  if (to->distinct_prefixes.size() < from.distinct_prefixes.size()) {
    to->distinct_prefixes.resize(from.distinct_prefixes.size());
  }
  for (size_t i = 0; i < from.distinct_prefixes.size(); ++i) {
    operation(to->distinct_prefixes[i], from.distinct_prefixes[i]);
  }
}

}  // namespace

int64_t IndexStatistics::LiveRows() const {
  return std::max<int64_t>(0, rows - deletes - single_deletes);
}

void IndexStatistics::Add(const IndexStatistics& other) {
  Combine(this, other, [](int64_t& to, int64_t from) { to += from; });
}

void IndexStatistics::Subtract(const IndexStatistics& other) {
  Combine(this, other, [](int64_t& to, int64_t from) { to -= from; });
}

std::string EncodeIndexStatistics(const std::vector<IndexStatisticsRecord>& records) {
  std::string out;
  AppendBigEndian16(&out, kVersion);
  for (const auto& [index, s] : records) {
    AppendBigEndian32(&out, index.column_family);
    AppendBigEndian32(&out, index.number);
    Append(&out, s.data_bytes);
    Append(&out, s.rows);
    Append(&out, s.disk_bytes);
    AppendBigEndian64(&out, s.distinct_prefixes.size());
    Append(&out, s.deletes);
    Append(&out, s.single_deletes);
    Append(&out, s.merges);
    Append(&out, s.others);
    for (const int64_t distinct : s.distinct_prefixes) Append(&out, distinct);
  }
  return out;
}

bool DecodeIndexStatistics(Bytes encoded, std::vector<IndexStatisticsRecord>* records) {
  records->clear();
  ByteReader reader(encoded);
  const uint16_t version = reader.Read16();
  if (reader.failed() || version < kVersionWithoutEntryKinds || version > kVersion) return false;
  while (!reader.AtEnd()) {
    IndexStatisticsRecord record;
    if (!ReadRecord(&reader, version, &record)) {
      records->clear();
      return false;
    }
    records->push_back(std::move(record));
  }
  return true;
}

}  // namespace basalt::store
