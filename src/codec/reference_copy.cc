// SPDX-License-Identifier: GPL-2.0-only
#include "codec/reference_copy.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace basalt::codec {
namespace {

// What a type is to a foreign key.
enum class Family : uint8_t { kSigned, kUnsigned, kFloat, kDouble, kCharacters, kBytes, kNone };

Family FamilyOf(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kSigned:
    case ColumnKind::kDate:
    case ColumnKind::kOldDatetime:
    case ColumnKind::kOldTimestamp:
    case ColumnKind::kOldTime:
      return Family::kSigned;
    case ColumnKind::kUnsigned:
    case ColumnKind::kYear:
    case ColumnKind::kEnum:
    case ColumnKind::kSet:
      return Family::kUnsigned;
    case ColumnKind::kFloat:
      return Family::kFloat;
    case ColumnKind::kDouble:
      return Family::kDouble;
    case ColumnKind::kChar:
    case ColumnKind::kVarchar:
      return Family::kCharacters;
    case ColumnKind::kDecimal:
    case ColumnKind::kTemporal:
    case ColumnKind::kOldTemporalHires:
    case ColumnKind::kOldTimeHires:
    case ColumnKind::kBit:
    case ColumnKind::kFixedBinary:
    case ColumnKind::kBinary:
    case ColumnKind::kVarbinary:
      return Family::kBytes;
    case ColumnKind::kText:
    case ColumnKind::kBlob:
      return Family::kNone;  // only a prefix of them can be in an index
  }
  return Family::kNone;
}

Bytes DataOf(const Column& column, const uint8_t* record) {
  const uint8_t* data = record + column.offset;
  if (!IsVariableLength(column.kind)) return MakeBytes(data, column.pack_length);
  const size_t length =
      column.length_bytes == 1 ? data[0] : data[0] | static_cast<size_t>(data[1]) << 8;
  return MakeBytes(data + column.length_bytes, length);
}

void PutVariable(const Column& column, Bytes data, uint8_t* record) {
  uint8_t* to = record + column.offset;
  to[0] = static_cast<uint8_t>(data.size());
  if (column.length_bytes == 2) to[1] = static_cast<uint8_t>(data.size() >> 8);
  std::memcpy(to + column.length_bytes, data.data(), data.size());
}

size_t LengthWithoutSpaces(const Collation& collation, Bytes data) {
  return collation.LengthWithoutTrailingSpaces(Unsigned(data), data.size());
}

void PutChar(const Column& column, Bytes data, uint8_t* record) {
  uint8_t* to = record + column.offset;
  std::memcpy(to, data.data(), data.size());
  const std::string& space = column.collation->properties().space;
  for (size_t at = data.size(); at + space.size() <= column.pack_length; at += space.size()) {
    std::memcpy(to + at, space.data(), space.size());
  }
}

// CHAR gives its value without the spaces at its end, as the server does.
bool CopyCharacters(const Column& from, const Column& to, const uint8_t* source, uint8_t* target) {
  Bytes data = DataOf(from, source);
  const size_t most = to.kind == ColumnKind::kChar ? to.pack_length : to.field_length;
  if (from.kind == ColumnKind::kChar || to.kind == ColumnKind::kChar || data.size() > most) {
    const size_t length = LengthWithoutSpaces(*from.collation, data);
    const bool spaces_count = !from.collation->properties().pad_space;
    if (from.kind != ColumnKind::kChar && spaces_count && length != data.size()) return false;
    data = data.substr(0, length);
  }
  if (data.size() > most) return false;
  if (to.kind == ColumnKind::kChar) {
    PutChar(to, data, target);
  } else {
    PutVariable(to, data, target);
  }
  return true;
}

bool CopyBytes(const Column& from, const Column& to, const uint8_t* source, uint8_t* target) {
  const Bytes data = DataOf(from, source);
  if (IsVariableLength(to.kind)) {
    if (data.size() > to.field_length) return false;
    PutVariable(to, data, target);
    return true;
  }
  if (data.size() != to.pack_length) return false;
  std::memcpy(target + to.offset, data.data(), data.size());
  return true;
}

}  // namespace

bool TypesMatch(const Column& one, const Column& other) {
  const Family family = FamilyOf(one.kind);
  if (family == Family::kNone || family != FamilyOf(other.kind)) return false;
  if (family == Family::kSigned || family == Family::kUnsigned) {
    return one.pack_length == other.pack_length;
  }
  return family != Family::kCharacters ||
         one.collation->properties().id == other.collation->properties().id;
}

std::vector<ReferenceCopy::Pair> MakePairs(const std::vector<uint32_t>& from,
                                           const std::vector<uint32_t>& to) {
  std::vector<ReferenceCopy::Pair> pairs;
  pairs.reserve(from.size());
  for (size_t i = 0; i < from.size(); ++i) pairs.push_back({from[i], to[i]});
  return pairs;
}

bool TypesMatch(const TableDescriptor& from, const TableDescriptor& to,
                const std::vector<ReferenceCopy::Pair>& pairs) {
  return std::all_of(pairs.begin(), pairs.end(), [&](const ReferenceCopy::Pair& pair) {
    return TypesMatch(from.columns[pair.from], to.columns[pair.to]);
  });
}

ReferenceCopy::ReferenceCopy(const TableDescriptor& from, const TableDescriptor& to,
                             const std::vector<Pair>& pairs) {
  steps_.reserve(pairs.size());
  for (const Pair& pair : pairs) steps_.push_back({from.columns[pair.from], to.columns[pair.to]});
}

bool ReferenceCopy::HasNull(const uint8_t* from) const {
  for (const Step& step : steps_) {
    if (step.from.IsNull(from)) return true;
  }
  return false;
}

bool ReferenceCopy::Copy(const uint8_t* from, uint8_t* to) const {
  for (const Step& step : steps_) {
    if (step.to.nullable) {
      to[step.to.null_offset] &= static_cast<uint8_t>(~step.to.null_mask);
    }
    const bool characters = FamilyOf(step.from.kind) == Family::kCharacters;
    const bool copied = characters ? CopyCharacters(step.from, step.to, from, to)
                                   : CopyBytes(step.from, step.to, from, to);
    if (!copied) return false;
  }
  return true;
}

}  // namespace basalt::codec
