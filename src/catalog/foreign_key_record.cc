// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/foreign_key_record.h"

#include <limits>
#include <utility>

#include "base/byte_reader.h"
#include "catalog/dictionary_records.h"

namespace basalt::catalog {
namespace {

constexpr uint16_t kVersion = 1;
constexpr size_t kRecordTypeBytes = 4;
constexpr size_t kMost = std::numeric_limits<uint16_t>::max();

Status CorruptForeignKeys(Bytes key, const std::string& what) {
  const Bytes child = key.size() > kRecordTypeBytes ? key.substr(kRecordTypeBytes) : Bytes();
  return Status(Code::kCorruption,
                "dictionary record of type " +
                    std::to_string(static_cast<uint32_t>(RecordType::kForeignKeys)) +
                    ", foreign keys of table '" + std::string(child) + "': " + what);
}

void AppendName(const std::string& name, std::string* to) {
  AppendBigEndian16(to, static_cast<uint16_t>(name.size()));
  to->append(name);
}

bool ReadAction(ByteReader* reader, ReferenceAction* action) {
  const uint8_t number = reader->Read8();
  if (number > static_cast<uint8_t>(ReferenceAction::kSetDefault)) return false;
  *action = static_cast<ReferenceAction>(number);
  return true;
}

// Names have at least one byte.
bool ReadName(ByteReader* reader, std::string* name) {
  name->assign(reader->ReadBytes(reader->Read16()));
  return !name->empty();
}

bool ReadForeignKey(ByteReader* reader, ForeignKey* foreign) {
  if (!ReadAction(reader, &foreign->on_delete) || !ReadAction(reader, &foreign->on_update) ||
      !ReadName(reader, &foreign->name) || !ReadName(reader, &foreign->parent)) {
    return false;
  }
  const uint16_t count = reader->Read16();
  foreign->columns.clear();
  for (uint16_t i = 0; i < count; ++i) {
    ForeignKey::Columns columns;
    if (!ReadName(reader, &columns.child) || !ReadName(reader, &columns.parent)) return false;
    foreign->columns.push_back(std::move(columns));
  }
  return count != 0;
}

bool Fits(const std::string& name) { return !name.empty() && name.size() <= kMost; }

bool Fits(const ForeignKey& foreign) {
  if (!Fits(foreign.name) || !Fits(foreign.parent)) return false;
  if (foreign.columns.empty() || foreign.columns.size() > kMost) return false;
  for (const ForeignKey::Columns& columns : foreign.columns) {
    if (!Fits(columns.child) || !Fits(columns.parent)) return false;
  }
  return true;
}

}  // namespace

std::string ForeignKeysKey(Bytes child) { return TypeKey(RecordType::kForeignKeys).append(child); }

Status CheckForeignKeys(const ForeignKeySet& set) {
  bool fits = !set.keys.empty() && set.keys.size() <= kMost;
  for (const ForeignKey& foreign : set.keys) fits = fits && Fits(foreign);
  return fits ? Status() : Status(Code::kInvalidArgument, "foreign keys that cannot be kept");
}

std::string EncodeForeignKeys(const ForeignKeySet& set) {
  std::string value;
  AppendBigEndian16(&value, kVersion);
  AppendBigEndian32(&value, set.primary_number);
  AppendBigEndian16(&value, static_cast<uint16_t>(set.keys.size()));
  for (const ForeignKey& foreign : set.keys) {
    value.push_back(static_cast<char>(foreign.on_delete));
    value.push_back(static_cast<char>(foreign.on_update));
    AppendName(foreign.name, &value);
    AppendName(foreign.parent, &value);
    AppendBigEndian16(&value, static_cast<uint16_t>(foreign.columns.size()));
    for (const ForeignKey::Columns& columns : foreign.columns) {
      AppendName(columns.child, &value);
      AppendName(columns.parent, &value);
    }
  }
  return value;
}

Status DecodeForeignKeys(Bytes key, Bytes value, ForeignKeySet* set) {
  set->keys.clear();
  if (key.size() <= kRecordTypeBytes) return CorruptForeignKeys(key, "the key names no table");
  ByteReader reader(value);
  const uint16_t version = reader.Read16();
  if (reader.failed()) return CorruptForeignKeys(key, "the value is cut off");
  if (version != kVersion) {
    return CorruptForeignKeys(key, "version " + std::to_string(version) + " is not known");
  }
  set->primary_number = reader.Read32();
  const uint16_t count = reader.Read16();
  if (count == 0) return CorruptForeignKeys(key, "the value is cut off or empty");
  for (uint16_t i = 0; i < count; ++i) {
    ForeignKey foreign;
    if (!ReadForeignKey(&reader, &foreign)) {
      return CorruptForeignKeys(key, "constraint " + std::to_string(i + 1) + " is damaged");
    }
    set->keys.push_back(std::move(foreign));
  }
  return reader.AtEnd() ? Status() : CorruptForeignKeys(key, "bytes are left over");
}

}  // namespace basalt::catalog
