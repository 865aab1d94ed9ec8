// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/dictionary_records.h"

#include <cstddef>

namespace basalt::catalog {
namespace {

constexpr size_t kTypeBytes = 4;
constexpr size_t kIndexIdBytes = 8;
constexpr size_t kVersionBytes = 2;

constexpr uint16_t kTableVersionNumber = 1;
constexpr uint16_t kColumnFamilyVersion = 1;
constexpr uint16_t kMarkerVersion = 1;
constexpr uint16_t kMaximumNumberVersion = 1;
constexpr uint16_t kAutoIncrementVersion = 1;
constexpr uint16_t kIngestJobVersion = 1;
constexpr uint16_t kTableDefinitionVersion = 1;
constexpr uint16_t kVersionIdsVersion = 1;

// Versions of the index record and their lengths in bytes; with a layout of rows or rules for words
// that many and more.
constexpr uint16_t kIndexVersionWithMore = 7;
constexpr uint16_t kIndexVersion = 6;
constexpr uint16_t kIndexVersionWithoutFlags = 5;
constexpr uint16_t kOldestIndexVersion = 3;
constexpr size_t kIndexBytes = 17;
constexpr size_t kIndexBytesWithoutFlags = 13;
constexpr size_t kIndexBytesOldest = 5;
// From this key-value format version on an index may have a time to live.
constexpr uint16_t kFirstFormatWithTtl = 13;

constexpr Bytes kTableVersionPrefix = "MariaDB:table-version:";

Status Corrupt(Bytes key, std::string_view what) {
  RecordType type;
  std::string message = "dictionary record ";
  if (ReadRecordType(key, &type)) {
    message += "of type " + std::to_string(static_cast<uint32_t>(type)) + " ";
    if (type == RecordType::kTable) message += "'" + std::string(key.substr(kTypeBytes)) + "' ";
  }
  message += "with key ";
  AppendHex(key, &message);
  message += ": ";
  message += what;
  return Status(Code::kCorruption, message);
}

std::string BeginRecord(uint16_t version) {
  std::string out;
  AppendBigEndian16(&out, version);
  return out;
}

// Checks length and version of a value that has one fixed form.
Status CheckFixed(Bytes key, Bytes value, size_t length, uint16_t version) {
  if (value.size() != length) {
    return Corrupt(key, "the value has " + std::to_string(value.size()) + " bytes, not " +
                            std::to_string(length));
  }
  if (LoadBigEndian16(value.data()) != version) {
    return Corrupt(key,
                   "version " + std::to_string(LoadBigEndian16(value.data())) + " is not known");
  }
  return {};
}

IndexId LoadIndexId(const char* from) { return {LoadBigEndian32(from), LoadBigEndian32(from + 4)}; }

void AppendIndexId(std::string* to, IndexId index) {
  AppendBigEndian32(to, index.column_family);
  AppendBigEndian32(to, index.number);
}

// What the fields of an index record may be, whichever version they came from.
Status CheckIndex(Bytes key, uint8_t kind, const IndexRecord& index) {
  if (kind < 1 || kind > 3) {
    return Corrupt(key, "index kind " + std::to_string(kind) + " is not known");
  }
  if (index.key_value_format_version > kNewestKeyValueFormatVersion) {
    return Corrupt(key, "rows are in format version " +
                            std::to_string(index.key_value_format_version) +
                            ", which is newer than this engine can read");
  }
  if ((index.flags & ~kIndexHasTtl) != 0) {
    return Corrupt(key, "unknown index flags " + std::to_string(index.flags));
  }
  if (!index.word_rules.empty() && index.key_value_format_version < kFullTextFormatVersion) {
    return Corrupt(key, "a secondary index without words has a record of version 7");
  }
  return {};
}

// Bytes of the fields of fixed size.
size_t FixedIndexBytes(uint16_t version) {
  if (version >= kIndexVersion) return kIndexBytes;
  return version == kIndexVersionWithoutFlags ? kIndexBytesWithoutFlags : kIndexBytesOldest;
}

}  // namespace

std::string TypeKey(RecordType type) {
  std::string key;
  AppendBigEndian32(&key, static_cast<uint32_t>(type));
  return key;
}

std::string TableKey(Bytes name) { return TypeKey(RecordType::kTable).append(name); }

std::string IndexKey(RecordType type, IndexId index) {
  std::string key = TypeKey(type);
  AppendIndexId(&key, index);
  return key;
}

std::string ColumnFamilyKey(uint32_t column_family) {
  std::string key = TypeKey(RecordType::kColumnFamily);
  AppendBigEndian32(&key, column_family);
  return key;
}

std::string TableVersionKey(Bytes path) {
  return TypeKey(RecordType::kTableVersion).append(kTableVersionPrefix).append(path);
}

std::string IngestJobKey(uint64_t number) {
  std::string key = TypeKey(RecordType::kIngestJob);
  AppendBigEndian64(&key, number);
  return key;
}

std::string TableDefinitionKey(Bytes name) {
  return TypeKey(RecordType::kTableDefinition).append(name);
}

bool ReadRecordType(Bytes key, RecordType* type) {
  if (key.size() < kTypeBytes) return false;
  *type = static_cast<RecordType>(LoadBigEndian32(key.data()));
  return true;
}

Status DecodeIndexKey(Bytes key, IndexId* index) {
  if (key.size() != kTypeBytes + kIndexIdBytes) return Corrupt(key, "the key has a wrong length");
  *index = LoadIndexId(key.data() + kTypeBytes);
  return {};
}

Status DecodeColumnFamilyKey(Bytes key, uint32_t* column_family) {
  if (key.size() != kTypeBytes + 4) return Corrupt(key, "the key has a wrong length");
  *column_family = LoadBigEndian32(key.data() + kTypeBytes);
  return {};
}

Status DecodeIngestJobKey(Bytes key, uint64_t* number) {
  if (key.size() != kTypeBytes + 8) return Corrupt(key, "the key has a wrong length");
  *number = LoadBigEndian64(key.data() + kTypeBytes);
  return {};
}

std::string EncodeTable(const std::vector<IndexRecord>& indexes) {
  std::string value = BeginRecord(kTableVersionNumber);
  for (const IndexRecord& index : indexes) AppendIndexId(&value, index.id);
  return value;
}

Status DecodeTable(Bytes key, Bytes value, std::vector<IndexId>* indexes) {
  indexes->clear();
  if (value.size() < kVersionBytes + kIndexIdBytes ||
      (value.size() - kVersionBytes) % kIndexIdBytes != 0) {
    return Corrupt(key,
                   "a value of " + std::to_string(value.size()) + " bytes is no list of indexes");
  }
  BASALT_RETURN_IF_ERROR(CheckFixed(key, value, value.size(), kTableVersionNumber));
  for (size_t at = kVersionBytes; at < value.size(); at += kIndexIdBytes) {
    indexes->push_back(LoadIndexId(value.data() + at));
  }
  return {};
}

std::string EncodeIndex(const IndexRecord& index) {
  const std::string& more =
      index.kind == IndexKind::kSecondary ? index.word_rules : index.row_layout;
  std::string value = BeginRecord(more.empty() ? kIndexVersion : kIndexVersionWithMore);
  value.push_back(static_cast<char>(index.kind));
  AppendBigEndian16(&value, index.key_value_format_version);
  AppendBigEndian32(&value, index.flags);
  AppendBigEndian64(&value, index.ttl_seconds);
  return value.append(more);
}

Status DecodeIndex(Bytes key, Bytes value, IndexRecord* index) {
  if (value.size() < kIndexBytesOldest) return Corrupt(key, "the value is cut off");
  const uint16_t version = LoadBigEndian16(value.data());
  if (version < kOldestIndexVersion || version > kIndexVersionWithMore) {
    return Corrupt(key, "version " + std::to_string(version) + " is not known");
  }
  const size_t length = FixedIndexBytes(version);
  const bool has_more = version == kIndexVersionWithMore;
  if (has_more && value.size() <= length) {
    return Corrupt(key, "what follows the time to live is cut off");
  }
  BASALT_RETURN_IF_ERROR(CheckFixed(key, value, has_more ? value.size() : length, version));
  const uint8_t kind = Unsigned(value)[2];
  index->key_value_format_version = LoadBigEndian16(value.data() + 3);
  index->flags = version >= kIndexVersion ? LoadBigEndian32(value.data() + 5) : 0;
  const bool secondary = kind == static_cast<uint8_t>(IndexKind::kSecondary);
  index->row_layout.assign(secondary ? Bytes() : value.substr(length));
  index->word_rules.assign(secondary ? value.substr(length) : Bytes());
  index->ttl_seconds = length == kIndexBytesOldest ? 0 : LoadBigEndian64(value.data() + length - 8);
  if (version == kIndexVersionWithoutFlags && index->ttl_seconds != 0 &&
      index->key_value_format_version == kFirstFormatWithTtl) {
    index->flags = kIndexHasTtl;
  }
  BASALT_RETURN_IF_ERROR(CheckIndex(key, kind, *index));
  index->kind = static_cast<IndexKind>(kind);
  return {};
}

std::string EncodeColumnFamily(uint32_t flags) {
  std::string value = BeginRecord(kColumnFamilyVersion);
  AppendBigEndian32(&value, flags);
  return value;
}

Status DecodeColumnFamily(Bytes key, Bytes value, uint32_t* flags) {
  BASALT_RETURN_IF_ERROR(CheckFixed(key, value, kVersionBytes + 4, kColumnFamilyVersion));
  *flags = LoadBigEndian32(value.data() + kVersionBytes);
  return {};
}

std::string EncodeMarker() { return BeginRecord(kMarkerVersion); }

std::string EncodeMaximumIndexNumber(uint32_t number) {
  std::string value = BeginRecord(kMaximumNumberVersion);
  AppendBigEndian32(&value, number);
  return value;
}

Status DecodeMaximumIndexNumber(Bytes key, Bytes value, uint32_t* number) {
  BASALT_RETURN_IF_ERROR(CheckFixed(key, value, kVersionBytes + 4, kMaximumNumberVersion));
  *number = LoadBigEndian32(value.data() + kVersionBytes);
  return {};
}

std::string EncodeAutoIncrement(uint64_t next) {
  std::string value = BeginRecord(kAutoIncrementVersion);
  AppendBigEndian64(&value, next);
  return value;
}

Status DecodeAutoIncrement(Bytes key, Bytes value, uint64_t* next) {
  const bool version_zero = value.size() >= kVersionBytes && LoadBigEndian16(value.data()) == 0;
  BASALT_RETURN_IF_ERROR(CheckFixed(key, value, kVersionBytes + 8,
                                    version_zero ? uint16_t{0} : kAutoIncrementVersion));
  *next = LoadBigEndian64(value.data() + kVersionBytes);
  return {};
}

std::string EncodeTableVersion(uint64_t version) {
  std::string value;
  AppendBigEndian64(&value, version);
  return value;
}

Status DecodeTableVersion(Bytes key, Bytes value, uint64_t* version) {
  if (value.size() != 8) return Corrupt(key, "the value is not eight bytes long");
  *version = LoadBigEndian64(value.data());
  return {};
}

std::string EncodeIngestJob(const IngestJob& job) {
  std::string value = BeginRecord(kIngestJobVersion);
  AppendBigEndian32(&value, static_cast<uint32_t>(job.files.size()));
  for (const IngestJob::File& file : job.files) {
    AppendBigEndian32(&value, file.column_family);
    AppendBigEndian16(&value, static_cast<uint16_t>(file.name.size()));
    value.append(file.name);
  }
  return value;
}

Status DecodeIngestJob(Bytes key, Bytes value, IngestJob* job) {
  job->files.clear();
  BASALT_RETURN_IF_ERROR(DecodeIngestJobKey(key, &job->number));
  if (value.size() < kVersionBytes + 4) return Corrupt(key, "the value is cut off");
  BASALT_RETURN_IF_ERROR(CheckFixed(key, value, value.size(), kIngestJobVersion));
  const uint32_t count = LoadBigEndian32(value.data() + kVersionBytes);
  Bytes rest = value.substr(kVersionBytes + 4);
  for (uint32_t i = 0; i < count; ++i) {
    if (rest.size() < 6) return Corrupt(key, "the list of files is cut off");
    const size_t length = LoadBigEndian16(rest.data() + 4);
    if (rest.size() < 6 + length) return Corrupt(key, "the list of files is cut off");
    const Bytes name = rest.substr(6, length);
    // Names come from us and stay inside the directory; anything else is not our record.
    if (name.empty() || name.find('/') != Bytes::npos) return Corrupt(key, "a bad file name");
    job->files.push_back({LoadBigEndian32(rest.data()), std::string(name)});
    rest.remove_prefix(6 + length);
  }
  if (!rest.empty()) return Corrupt(key, "bytes are left over after the list of files");
  return {};
}

std::string EncodeVersionIds(uint64_t next) {
  std::string value = BeginRecord(kVersionIdsVersion);
  AppendBigEndian64(&value, next);
  return value;
}

Status DecodeVersionIds(Bytes key, Bytes value, uint64_t* next) {
  BASALT_RETURN_IF_ERROR(CheckFixed(key, value, kVersionBytes + 8, kVersionIdsVersion));
  *next = LoadBigEndian64(value.data() + kVersionBytes);
  return *next == 0 ? Corrupt(key, "id 0 means none") : Status();
}

std::string EncodeTableDefinition(const TableDefinition& definition) {
  std::string value = BeginRecord(kTableDefinitionVersion);
  AppendBigEndian32(&value, definition.primary_number);
  value.push_back(static_cast<char>(definition.identity.size()));
  value.append(definition.identity);
  for (const std::string* file : {&definition.frm, &definition.par}) {
    AppendBigEndian32(&value, static_cast<uint32_t>(file->size()));
    value.append(*file);
  }
  return value;
}

namespace {

// Takes `length` bytes off the front of `rest`; false when there are fewer.
bool Take(Bytes* rest, size_t length, std::string* to) {
  if (rest->size() < length) return false;
  to->assign(rest->substr(0, length));
  rest->remove_prefix(length);
  return true;
}

bool TakeFile(Bytes* rest, std::string* to) {
  if (rest->size() < 4) return false;
  const uint32_t length = LoadBigEndian32(rest->data());
  rest->remove_prefix(4);
  return Take(rest, length, to);
}

}  // namespace

Status DecodeTableDefinition(Bytes key, Bytes value, TableDefinition* definition) {
  if (key.size() <= kTypeBytes) return Corrupt(key, "the key names no table");
  constexpr size_t kFixedBytes = kVersionBytes + 4 + 1;
  if (value.size() < kFixedBytes) return Corrupt(key, "the value is cut off");
  BASALT_RETURN_IF_ERROR(CheckFixed(key, value, value.size(), kTableDefinitionVersion));
  definition->primary_number = LoadBigEndian32(value.data() + kVersionBytes);
  const size_t identity_bytes = Unsigned(value)[kFixedBytes - 1];
  Bytes rest = value.substr(kFixedBytes);
  if (!Take(&rest, identity_bytes, &definition->identity) || !TakeFile(&rest, &definition->frm) ||
      !TakeFile(&rest, &definition->par)) {
    return Corrupt(key, "the value is cut off");
  }
  if (!rest.empty()) return Corrupt(key, "bytes are left over after the files");
  if (definition->frm.empty()) return Corrupt(key, "there is no definition in it");
  return {};
}

}  // namespace basalt::catalog
