// SPDX-License-Identifier: GPL-2.0-only
#include "unit/codec/round_trip.h"

#include <gtest/gtest.h>

#include "codec/checksum_chunk.h"
#include "codec/key_decoder.h"
#include "codec/row_decoder.h"
#include "unit/codec/checksum_writer.h"

namespace basalt::test {

using codec::ColumnSet;

namespace {

// What the bytes outside the wanted columns are set to, to see that they are left alone.
constexpr uint8_t kUntouched = 0xA5;

void ExpectColumns(const TestTable& table, const ColumnSet& wanted,
                   const std::vector<uint8_t>& expected, const std::vector<uint8_t>& actual) {
  for (uint32_t c = 0; c < table.descriptor().columns.size(); ++c) {
    const codec::Column& column = table.descriptor().columns[c];
    if (!wanted.Contains(c)) {
      for (uint32_t i = 0; i < column.pack_length; ++i) {
        ASSERT_EQ(actual[column.offset + i], kUntouched) << table.column_name(c);
      }
      if (column.nullable) {
        ASSERT_EQ(actual[column.null_offset] & column.null_mask, kUntouched & column.null_mask);
      }
      continue;
    }
    EXPECT_EQ(Hex(table.Show(actual.data(), c)), Hex(table.Show(expected.data(), c)))
        << table.column_name(c);
  }
}

void ExpectRow(const TestTable& table, const ColumnSet& wanted, const std::vector<uint8_t>& record,
               const EncodedEntry& entry) {
  codec::RowDecoder decoder;
  decoder.Compile(table.descriptor(), table.primary(), table.rows(), wanted);
  EXPECT_TRUE(decoder.CompiledFor(wanted));
  std::vector<uint8_t> decoded(record.size(), kUntouched);
  ASSERT_TRUE(decoder.Decode(entry.key, entry.value, decoded.data()));
  ExpectColumns(table, wanted, record, decoded);
}

void ExpectSecondary(const TestTable& table, size_t index, const std::vector<uint8_t>& record,
                     const EncodedEntry& entry, const EncodedEntry& primary) {
  const codec::KeyCodec& key = table.key(index);
  ColumnSet covered(table.descriptor().columns.size());
  for (unsigned i = 0; i < key.total_parts(); ++i) {
    if (key.IsPartDecodable(i)) covered.Add(key.PartColumn(i));
  }
  codec::KeyDecoder decoder;
  decoder.Compile(table.descriptor(), key, covered);
  EXPECT_TRUE(decoder.covered());
  std::vector<uint8_t> decoded(record.size(), kUntouched);
  ASSERT_TRUE(decoder.Decode(entry.key, entry.value, decoded.data()));
  ExpectColumns(table, covered, record, decoded);

  std::vector<uint8_t> row_key(table.primary().max_key_bytes());
  const size_t bytes = key.ExtractPrimaryKey(entry.key, row_key.data());
  EXPECT_EQ(Hex(std::string(row_key.begin(), row_key.begin() + static_cast<ptrdiff_t>(bytes))),
            Hex(primary.key));
}

void ExpectKeyWalk(const TestTable& table, size_t index, const std::vector<uint8_t>& record,
                   const EncodedEntry& entry) {
  const codec::KeyCodec& key = table.key(index);
  EXPECT_EQ(key.PrefixBytes(entry.key, key.total_parts()), entry.key.size());
  EXPECT_EQ(key.PrefixBytes(Bytes(entry.key).substr(0, entry.key.size() - 1), key.total_parts()),
            0u);
  std::vector<uint8_t> prefix(key.max_key_bytes());
  for (unsigned parts = 0; parts <= key.user_parts(); ++parts) {
    const size_t bytes = key.EncodePrefix(record.data(), parts, prefix.data());
    EXPECT_EQ(bytes, key.PrefixBytes(entry.key, parts));
    EXPECT_EQ(MakeBytes(prefix.data(), bytes), Bytes(entry.key).substr(0, bytes));
  }
  EXPECT_EQ(key.UserPartsHaveNull(record.data()), key.UserPartsHaveNull(Bytes(entry.key)));
}

}  // namespace

void ExpectRoundTrip(const TestTable& table, const std::vector<uint8_t>& record,
                     const std::vector<EncodedEntry>& entries) {
  const size_t columns = table.descriptor().columns.size();
  const EncodedEntry& primary = entries[table.descriptor().primary];
  ExpectRow(table, ColumnSet::All(columns), record, primary);
  ExpectRow(table, ColumnSet(columns), record, primary);
  for (uint32_t c = 0; c < columns; ++c) {
    ColumnSet one(columns);
    one.Add(c);
    ExpectRow(table, one, record, primary);
    ColumnSet others(columns);
    for (uint32_t other = 0; other < columns; ++other) {
      if (other != c) others.Add(other);
    }
    ExpectRow(table, others, record, primary);
  }

  size_t stored;
  ASSERT_TRUE(table.rows().StoredBytes(primary.value, &stored));
  EXPECT_EQ(stored, primary.value.size());
  EncodedEntry checked = primary;
  AppendChecksumChunk(checked.key, &checked.value);
  EXPECT_TRUE(table.rows().HasChecksumChunk(checked.value));
  EXPECT_EQ(codec::VerifyChecksumChunk(checked.key, checked.value), codec::ChecksumState::kMatches);
  ExpectRow(table, ColumnSet::All(columns), record, checked);

  for (size_t i = 0; i < entries.size(); ++i) {
    ExpectKeyWalk(table, i, record, entries[i]);
    if (i != table.descriptor().primary) ExpectSecondary(table, i, record, entries[i], primary);
  }
}

}  // namespace basalt::test
