// SPDX-License-Identifier: GPL-2.0-only
//
// Any key and value as records of the dictionary: decoded or refused, and what was decoded is the
// same when it has been encoded and decoded once more.
#include "catalog/dictionary_records.h"
#include "catalog/foreign_key_record.h"
#include "fuzz/fuzz_input.h"

using namespace basalt::catalog;  // NOLINT: every function here is one of its
using basalt::Bytes;
using basalt::IndexId;
using basalt::fuzz::BytesOf;
using basalt::fuzz::FuzzInput;
using basalt::fuzz::Require;

namespace {

void Keys(Bytes key) {
  RecordType type;
  static_cast<void>(ReadRecordType(key, &type));
  IndexId index;
  if (DecodeIndexKey(key, &index).ok()) {
    Require(ReadRecordType(key, &type) && IndexKey(type, index) == key, "key of an index");
  }
  uint32_t family = 0;
  if (DecodeColumnFamilyKey(key, &family).ok()) {
    Require(ColumnFamilyKey(family).substr(4) == key.substr(4), "key of a column family");
  }
  uint64_t number = 0;
  if (DecodeIngestJobKey(key, &number).ok()) {
    Require(IngestJobKey(number).substr(4) == key.substr(4), "key of an ingest job");
  }
}

void Tables(Bytes key, Bytes value) {
  std::vector<IndexId> ids;
  if (!DecodeTable(key, value, &ids).ok()) return;
  std::vector<IndexRecord> records(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) records[i].id = ids[i];
  std::vector<IndexId> again;
  Require(DecodeTable(key, EncodeTable(records), &again).ok() && again == ids, "table");
}

void Indexes(Bytes key, Bytes value) {
  IndexRecord index;
  if (!DecodeIndex(key, value, &index).ok()) return;
  IndexRecord again;
  Require(DecodeIndex(key, EncodeIndex(index), &again).ok() && again == index, "index");
}

void Numbers(Bytes key, Bytes value) {
  uint32_t small = 0;
  if (DecodeColumnFamily(key, value, &small).ok()) {
    Require(EncodeColumnFamily(small) == value, "column family");
  }
  if (DecodeMaximumIndexNumber(key, value, &small).ok()) {
    Require(EncodeMaximumIndexNumber(small) == value, "highest index number");
  }
  uint64_t large = 0;
  if (DecodeAutoIncrement(key, value, &large).ok()) {
    uint64_t again = 0;
    Require(DecodeAutoIncrement(key, EncodeAutoIncrement(large), &again).ok() && again == large,
            "auto-increment");
  }
  if (DecodeVersionIds(key, value, &large).ok()) {
    Require(EncodeVersionIds(large) == value, "ids of versions");
  }
  if (DecodeTableVersion(key, value, &large).ok()) {
    Require(EncodeTableVersion(large) == value, "version of a table");
  }
}

void Jobs(Bytes key, Bytes value) {
  IngestJob job;
  if (!DecodeIngestJob(key, value, &job).ok()) return;
  Require(EncodeIngestJob(job) == value, "ingest job");
}

void Definitions(Bytes key, Bytes value) {
  TableDefinition definition;
  if (!DecodeTableDefinition(key, value, &definition).ok()) return;
  Require(EncodeTableDefinition(definition) == value, "definition of a table");
}

void ForeignKeys(Bytes key, Bytes value) {
  ForeignKeySet set;
  if (!DecodeForeignKeys(key, value, &set).ok()) return;
  Require(CheckForeignKeys(set).ok(), "foreign keys that can be kept");
  Require(EncodeForeignKeys(set) == value, "foreign keys");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const std::vector<uint8_t> key = input.Block(400);
  const std::vector<uint8_t> value = input.Rest();
  Keys(BytesOf(key));
  Tables(BytesOf(key), BytesOf(value));
  Indexes(BytesOf(key), BytesOf(value));
  Numbers(BytesOf(key), BytesOf(value));
  Jobs(BytesOf(key), BytesOf(value));
  Definitions(BytesOf(key), BytesOf(value));
  ForeignKeys(BytesOf(key), BytesOf(value));
  return 0;
}
