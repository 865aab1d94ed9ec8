// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "catalog/ingest_job.h"
#include "catalog/table_definition.h"
#include "catalog/table_record.h"

// The records of the data dictionary as bytes; docs/format/dictionary.md is the specification.
// Encoders cannot fail. Decoders take any bytes: what does not follow the format gives kCorruption
// with the type and key of the record in the message, and never a read outside the given bytes.
// Pure functions without state.

namespace basalt::catalog {

// The first four bytes of every dictionary key.
enum class RecordType : uint32_t {
  kTable = 1,
  kIndex = 2,
  kColumnFamily = 3,
  kBinlogPosition = 4,  // never written by this family of servers; passed over
  kIndexDrop = 5,
  kIndexStatistics = 6,
  kMaximumIndexNumber = 7,
  kIndexBuild = 8,
  kAutoIncrement = 9,
  kTableVersion = 20,
  // Basalt's own, far away from everything the old engine could ever use.
  kIngestJob = 0x40000001,
  kTableDefinition = 0x40000002,
  kForeignKeys = 0x40000003,  // foreign_key_record.h
  kVersionIds = 0x40000004,
};

// Bits of a column family record.
inline constexpr uint32_t kColumnFamilyReverse = 1;
inline constexpr uint32_t kColumnFamilyAutomatic = 2;  // obsolete; accepted and ignored
inline constexpr uint32_t kColumnFamilyPerPartition = 4;

// --- Keys ---
std::string TypeKey(RecordType type);                  // the bare type: a scan's start
std::string TableKey(Bytes name);                      // type 1
std::string IndexKey(RecordType type, IndexId index);  // types 2, 5, 6, 8, 9
std::string ColumnFamilyKey(uint32_t column_family);   // type 3
std::string TableVersionKey(Bytes path);               // type 20
std::string IngestJobKey(uint64_t number);
std::string TableDefinitionKey(Bytes name);  // without a partition
// The type of a key; false when it is shorter than four bytes.
bool ReadRecordType(Bytes key, RecordType* type);
// The part of a key after the type; kCorruption when the key is longer or shorter than it must be.
Status DecodeIndexKey(Bytes key, IndexId* index);
Status DecodeColumnFamilyKey(Bytes key, uint32_t* column_family);
Status DecodeIngestJobKey(Bytes key, uint64_t* number);

// --- Values; `key` is only for messages ---
// Type 1: ids only, in the order given.
std::string EncodeTable(const std::vector<IndexRecord>& indexes);
// Only the ids; the rest of each index is in its own record.
Status DecodeTable(Bytes key, Bytes value, std::vector<IndexId>* indexes);

// Type 2: everything about an index but its id, which is in the key. Version 6; 7 with a layout of
// rows, or of a secondary index with rules for words.
std::string EncodeIndex(const IndexRecord& index);
// Reads versions 3 to 7; sets everything but the id.
Status DecodeIndex(Bytes key, Bytes value, IndexRecord* index);

// Type 3: the bits above.
std::string EncodeColumnFamily(uint32_t flags);
Status DecodeColumnFamily(Bytes key, Bytes value, uint32_t* flags);

std::string EncodeMarker();  // the value of types 5 and 8
// Type 7.
std::string EncodeMaximumIndexNumber(uint32_t number);
Status DecodeMaximumIndexNumber(Bytes key, Bytes value, uint32_t* number);

// Type 9: the value is at the same time the operand of a merge.
std::string EncodeAutoIncrement(uint64_t next);
Status DecodeAutoIncrement(Bytes key, Bytes value, uint64_t* next);

// Type 20; the only value without a version number in front.
std::string EncodeTableVersion(uint64_t version);
Status DecodeTableVersion(Bytes key, Bytes value, uint64_t* version);

// Our own type. A name longer than 65535 bytes would be cut off: IngestJobs refuses it.
std::string EncodeIngestJob(const IngestJob& job);
Status DecodeIngestJob(Bytes key, Bytes value, IngestJob* job);

// Our own type: ids of versions from `next` on are unused.
std::string EncodeVersionIds(uint64_t next);
Status DecodeVersionIds(Bytes key, Bytes value, uint64_t* next);

// Our own type. An identity of more than 255 bytes would be cut off: StoredDefinitions refuses
// it.
std::string EncodeTableDefinition(const TableDefinition& definition);
Status DecodeTableDefinition(Bytes key, Bytes value, TableDefinition* definition);

}  // namespace basalt::catalog
