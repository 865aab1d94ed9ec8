// SPDX-License-Identifier: GPL-2.0-only
#include "engine/references/reference_check.h"

namespace basalt::engine {
namespace {

bool IsWholeColumn(const codec::TableDescriptor& table, const codec::KeyPart& part) {
  const codec::Column& column = table.columns[part.column];
  return !part.full_text && !codec::IsBlob(column.kind) &&
         (!codec::IsPlainString(column.kind) || part.length == column.field_length);
}

bool BeginsWith(const codec::TableDescriptor& table, size_t position,
                const std::vector<uint32_t>& columns) {
  const std::vector<codec::KeyPart> parts = codec::PartsInKey(table, table.indexes[position]);
  if (parts.size() < columns.size()) return false;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (parts[i].column != columns[i] || !IsWholeColumn(table, parts[i])) return false;
  }
  return true;
}

}  // namespace

std::optional<size_t> FindReferenceIndex(const codec::TableDescriptor& table,
                                         const std::vector<uint32_t>& columns) {
  for (size_t i = 0; i < table.indexes.size(); ++i) {
    if (BeginsWith(table, i, columns)) return i;
  }
  return std::nullopt;
}

std::vector<size_t> FindReferenceIndexes(const codec::TableDescriptor& table,
                                         const std::vector<uint32_t>& columns) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < table.indexes.size(); ++i) {
    if (BeginsWith(table, i, columns)) positions.push_back(i);
  }
  return positions;
}

std::optional<size_t> FindReferenceIndex(const Table& table, const std::vector<uint32_t>& columns) {
  const auto parts = static_cast<unsigned>(columns.size());
  for (size_t i = 0; i < table.index_count(); ++i) {
    if (BeginsWith(table.descriptor(), i, columns) &&
        table.index(i).codec->EqualBytesAreEqual(parts)) {
      return i;
    }
  }
  return std::nullopt;
}

ReferenceCheck::ReferenceCheck(const codec::TableDescriptor& from, const std::shared_ptr<Table>& to,
                               size_t index, const std::vector<codec::ReferenceCopy::Pair>& pairs)
    : copy_(from, to->descriptor(), pairs),
      search_(to, index, static_cast<unsigned>(pairs.size())),
      wanted_(to->descriptor().record_length) {}

Status ReferenceCheck::Check(const uint8_t* record, Bytes except, Match* match) {
  if (copy_.HasNull(record)) {
    *match = Match::kNull;
    return Status::Ok();
  }
  bool found = false;
  if (copy_.Copy(record, wanted_.data())) {
    BASALT_RETURN_IF_ERROR(search_.Find(wanted_.data(), except, &found));
  }
  *match = found ? Match::kFound : Match::kAbsent;
  return Status::Ok();
}

ReferenceCheck::Match ReferenceCheck::Encode(const uint8_t* record, Bytes* values) {
  if (copy_.HasNull(record)) return Match::kNull;
  if (!copy_.Copy(record, wanted_.data())) return Match::kAbsent;
  *values = search_.Encode(wanted_.data());
  return Match::kFound;
}

bool ReferenceCheck::Matches(const uint8_t* record, const uint8_t* candidate) {
  return Translate(record, &wanted_) && search_.AreEqual(wanted_.data(), candidate);
}

bool ReferenceCheck::Translate(const uint8_t* record, std::vector<uint8_t>* image) const {
  return !copy_.HasNull(record) && TranslateWithNulls(record, image);
}

bool ReferenceCheck::TranslateWithNulls(const uint8_t* record, std::vector<uint8_t>* image) const {
  image->resize(wanted_.size());
  return copy_.Copy(record, image->data());
}

}  // namespace basalt::engine
