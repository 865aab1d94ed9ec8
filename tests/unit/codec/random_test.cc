// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "codec/key_decoder.h"
#include "codec/row_decoder.h"
#include "unit/codec/random_table.h"
#include "unit/codec/round_trip.h"

namespace basalt::test {
namespace {

using codec::ColumnSet;

// How many random tables each test makes; more by the environment variable.
uint32_t Tables() {
  const char* wanted = std::getenv("BASALT_RANDOM_TABLES");
  return wanted != nullptr ? static_cast<uint32_t>(std::strtoul(wanted, nullptr, 10)) : 400;
}

TEST(RandomTables, RowsComeBack) {
  for (uint32_t seed = 0; seed < Tables() && !testing::Test::HasFailure(); ++seed) {
    RandomTable random(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + random.text());
    for (int row = 0; row < 10; ++row) {
      const std::vector<uint8_t> record = random.RandomRow();
      ExpectRoundTrip(random.table(), record, EncodeRow(random.table(), record.data(), 7, 9));
    }
  }
}

TEST(RandomTables, KeysOfOneIndexAreNoPrefixesOfEachOther) {
  for (uint32_t seed = 0; seed < Tables() && !testing::Test::HasFailure(); ++seed) {
    RandomTable random(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + random.text());
    std::vector<std::vector<EncodedEntry>> rows;
    for (int row = 0; row < 20; ++row) {
      const std::vector<uint8_t> record = random.RandomRow();
      rows.push_back(EncodeRow(random.table(), record.data(), 7, 9));
    }
    for (const auto& a : rows) {
      for (const auto& b : rows) {
        for (size_t i = 0; i < a.size(); ++i) {
          EXPECT_TRUE(a[i].key == b[i].key || !a[i].key.starts_with(b[i].key));
        }
      }
    }
  }
}

// Damage: bytes changed, cut off, added, or random altogether.
std::string Damaged(const std::string& bytes, std::mt19937* random) {
  std::string damaged = bytes;
  switch ((*random)() % 5) {
    case 0:
      damaged.resize((*random)() % (damaged.size() + 1));
      break;
    case 1:
      damaged.resize(damaged.size() + (*random)() % 20, '\x02');
      break;
    case 2:
      for (char& c : damaged) c = static_cast<char>((*random)());
      break;
    default:
      for (uint32_t i = 0, n = 1 + (*random)() % 4; i < n && !damaged.empty(); ++i) {
        damaged[(*random)() % damaged.size()] = static_cast<char>((*random)());
      }
  }
  return damaged;
}

// A copy in memory of exactly its size, so that a sanitizer sees every step outside.
std::vector<uint8_t> Exact(const std::string& bytes) {
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

// Whether bytes outside the column, its NULL bit and others' bytes stay as they are.
void ExpectNoStrayWrites(const codec::TableDescriptor& table, const std::vector<uint8_t>& record,
                         uint8_t before, uint32_t wanted) {
  const codec::Column& own = table.columns[wanted];
  for (uint32_t i = 0; i < record.size(); ++i) {
    if (i >= own.offset && i < own.offset + own.pack_length) continue;
    const uint8_t mask = own.nullable && i == own.null_offset ? own.null_mask : 0;
    ASSERT_EQ(record[i] & ~mask, before & ~mask) << "byte " << i;
  }
}

TEST(RandomTables, DamagedBytesDoNoHarm) {
  uint64_t refused = 0;
  for (uint32_t seed = 0; seed < Tables() && !testing::Test::HasFailure(); ++seed) {
    RandomTable random(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + random.text());
    std::mt19937 damage(seed);
    const TestTable& table = random.table();
    const size_t columns = table.descriptor().columns.size();
    for (int i = 0; i < 60; ++i) {
      const std::vector<EncodedEntry> entries = EncodeRow(table, random.RandomRow().data(), 7, 9);
      ColumnSet wanted = ColumnSet::All(columns);
      uint32_t only = codec::kNoColumn;
      if (i % 2 == 0) {
        only = damage() % static_cast<uint32_t>(columns);
        wanted.Reset(columns);
        wanted.Add(only);
      }
      for (size_t index = 0; index < entries.size(); ++index) {
        const std::vector<uint8_t> key = Exact(Damaged(entries[index].key, &damage));
        const std::vector<uint8_t> value = Exact(
            damage() % 4 == 0 ? entries[index].value : Damaged(entries[index].value, &damage));
        const Bytes key_bytes = MakeBytes(key.data(), key.size());
        const Bytes value_bytes = MakeBytes(value.data(), value.size());
        std::vector<uint8_t> record(table.descriptor().record_length, 0x5A);
        bool decoded;
        size_t bytes;
        if (index == table.descriptor().primary) {
          codec::RowDecoder decoder;
          decoder.Compile(table.descriptor(), table.primary(), table.rows(), wanted);
          decoded = decoder.Decode(key_bytes, value_bytes, record.data());
          static_cast<void>(table.rows().HasChecksumChunk(value_bytes));
        } else {
          codec::KeyDecoder decoder;
          decoder.Compile(table.descriptor(), table.key(index), wanted);
          decoded = decoder.Decode(key_bytes, value_bytes, record.data());
          std::vector<uint8_t> row_key(table.primary().max_key_bytes() + key.size());
          bytes = table.key(index).ExtractPrimaryKey(key_bytes, row_key.data());
          EXPECT_LE(bytes, row_key.size());
          static_cast<void>(table.key(index).UnpackContentBytes(key_bytes, value_bytes, &bytes));
        }
        if (!decoded) ++refused;
        bytes = table.key(index).PrefixBytes(key_bytes, table.key(index).total_parts());
        EXPECT_LE(bytes, key.size());
        static_cast<void>(table.key(index).UserPartsHaveNull(key_bytes));
        static_cast<void>(codec::HiddenIdOf(key_bytes));
        if (only != codec::kNoColumn) {
          ExpectNoStrayWrites(table.descriptor(), record, 0x5A, only);
        }
      }
    }
  }
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace basalt::test
