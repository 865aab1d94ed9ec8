// SPDX-License-Identifier: GPL-2.0-only
//
// Any bytes as keys and values of a table that the input chooses: nothing is read outside of them,
// nothing written outside of the record image, and what is decoded is encoded again without harm.
#include "codec/checksum_chunk.h"
#include "codec/key_decoder.h"
#include "codec/row_decoder.h"
#include "codec/unique_image.h"
#include "engine/indexes/entry_content.h"
#include "fuzz/fuzz_input.h"
#include "unit/codec/random_table.h"

using basalt::Bytes;
using basalt::codec::ColumnSet;
using basalt::fuzz::BytesOf;
using basalt::fuzz::FuzzInput;
using basalt::fuzz::Require;
using basalt::test::TestTable;

namespace {

// Changes, cuts off or adds bytes as the input says.
std::vector<uint8_t> Edited(FuzzInput* input, const std::string& bytes) {
  std::vector<uint8_t> edited(bytes.begin(), bytes.end());
  for (unsigned edits = input->Byte() % 4; edits > 0; --edits) {
    const uint8_t kind = input->Byte();
    const uint32_t at = input->Number();
    if (kind % 4 == 0) {
      edited.resize(at % (edited.size() + 1));
    } else if (kind % 4 == 1) {
      edited.resize(edited.size() + at % 32, kind);
    } else if (!edited.empty()) {
      edited[at % edited.size()] = input->Byte();
    }
  }
  edited.shrink_to_fit();
  return edited;
}

struct Entry {
  std::vector<uint8_t> key;
  std::vector<uint8_t> value;
};

// Bytes out of nowhere, mostly with the right index number so that what follows is looked at; or
// the entry of a row with a few changes, which comes further.
Entry TakeEntry(FuzzInput* input, size_t index, basalt::test::RandomTable* random) {
  const TestTable& table = random->table();
  const uint8_t kind = input->Byte();
  if (kind % 4 != 0) {
    const std::vector<uint8_t> record = random->RandomRow();
    const auto entry = basalt::test::EncodeRow(table, record.data(), 7, 9)[index];
    return {Edited(input, entry.key), Edited(input, entry.value)};
  }
  Entry entry{input->Block(300), input->Block(600)};
  if (kind >= 16 && entry.key.size() >= basalt::kIndexNumberBytes) {
    table.key(index).EncodeIndexNumber(entry.key.data());
  }
  return entry;
}

void EncodeAgain(const TestTable& table, const std::vector<uint8_t>& record) {
  for (size_t i = 0; i < table.indexes(); ++i) {
    const basalt::codec::KeyCodec& codec = table.key(i);
    std::vector<uint8_t> key(codec.max_key_bytes());
    std::vector<uint8_t> unpack(codec.max_unpack_bytes());
    size_t unpack_bytes = 0;
    const size_t bytes =
        codec.EncodeKey(record.data(), 7, key.data(), unpack.data(), &unpack_bytes);
    Require(bytes <= key.size() && unpack_bytes <= unpack.size(), "encoders keep to their room");
    if (codec.IsSpatial()) continue;  // never unique
    std::vector<uint8_t> prefix(codec.max_key_bytes());
    Require(basalt::codec::EncodeUniquePrefix(codec, record.data(), prefix.data()) <= prefix.size(),
            "room");
    if (!codec.UserPartsHaveNull(record.data())) {
      std::string image;
      basalt::codec::EncodeUniqueImage(codec, record.data(), &image);
    }
  }
}

void DecodeRow(const TestTable& table, Bytes key, Bytes value, const ColumnSet& wanted) {
  std::vector<uint8_t> record(table.descriptor().record_length);
  basalt::codec::RowDecoder decoder;
  decoder.Compile(table.descriptor(), table.primary(), table.rows(), wanted);
  const bool decoded = decoder.Decode(key, value, record.data());
  bool has_checksum = false;
  if (basalt::engine::RowEndsWell(table.rows(), value, &has_checksum) && has_checksum) {
    static_cast<void>(basalt::codec::VerifyChecksumChunk(key, value));
  }
  static_cast<void>(table.rows().HasChecksumChunk(value));
  uint64_t seconds = 0;
  static_cast<void>(basalt::codec::ReadTtl(value, &seconds));
  if (!decoded || wanted != ColumnSet::All(table.descriptor().columns.size())) return;
  EncodeAgain(table, record);
  std::string encoded;
  table.rows().EncodeValue(record.data(), Bytes(), 0, &encoded);
}

void DecodeEntry(const TestTable& table, size_t index, Bytes key, Bytes value,
                 const ColumnSet& wanted) {
  const basalt::codec::KeyCodec& codec = table.key(index);
  std::vector<uint8_t> record(table.descriptor().record_length);
  basalt::codec::KeyDecoder decoder;
  decoder.Compile(table.descriptor(), codec, wanted);
  static_cast<void>(decoder.Decode(key, value, record.data()));
  std::vector<uint8_t> row_key(table.primary().max_key_bytes() + key.size());
  Require(codec.ExtractPrimaryKey(key, row_key.data()) <= row_key.size(), "a row's key");
  size_t bytes = 0;
  if (codec.UnpackContentBytes(key, value, &bytes)) Require(bytes <= value.size(), "unpack info");
  basalt::engine::EntryContent content;
  if (basalt::engine::ReadEntryContent(codec, key, value, &content)) {
    Require(content.unpack.size() <= value.size(), "content of an entry");
  }
}

void WalkKey(const basalt::codec::KeyCodec& codec, Bytes key) {
  std::vector<uint32_t> ends(codec.total_parts());
  const unsigned whole = codec.PartEnds(key, codec.total_parts(), ends.data());
  for (unsigned i = 0; i < whole; ++i) Require(ends[i] <= key.size(), "ends of parts");
  Require(codec.PrefixBytes(key, codec.user_parts()) <= key.size(), "bytes of a prefix");
  static_cast<void>(codec.UserPartsHaveNull(key));
  static_cast<void>(basalt::codec::HiddenIdOf(key));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  basalt::test::RandomTable random([&input] { return input.Number(); });
  const TestTable& table = random.table();
  const size_t columns = table.descriptor().columns.size();
  do {
    const size_t index = input.Byte() % table.indexes();
    ColumnSet wanted = ColumnSet::All(columns);
    if (input.Byte() % 2 == 0) {
      wanted.Reset(columns);
      wanted.Add(static_cast<uint32_t>(input.Byte() % columns));
    }
    const Entry entry = TakeEntry(&input, index, &random);
    const Bytes key = BytesOf(entry.key);
    const Bytes value = BytesOf(entry.value);
    WalkKey(table.key(index), key);
    if (index == table.descriptor().primary) {
      DecodeRow(table, key, value, wanted);
    } else {
      DecodeEntry(table, index, key, value, wanted);
    }
  } while (input.left() > 0);
  return 0;
}
