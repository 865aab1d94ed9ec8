// SPDX-License-Identifier: GPL-2.0-only
#include "engine/index_rebuild.h"

#include "engine/database.h"

namespace basalt::engine {
namespace {

// An index of the same kind in the same column family.
catalog::IndexRequest RequestLike(const catalog::IndexRecord& record,
                                  const rocksdb::ColumnFamilyHandle& family) {
  catalog::IndexRequest request;
  request.column_family = family.GetName();
  request.kind = record.kind;
  request.key_value_format_version = record.key_value_format_version;
  request.flags = record.flags;
  request.ttl_seconds = record.ttl_seconds;
  return request;
}

}  // namespace

IndexRebuild::IndexRebuild(const Table* table, TaskProgress* progress,
                           VirtualColumns* virtual_columns)
    : table_(*table), progress_(progress), virtual_columns_(virtual_columns) {}

Status IndexRebuild::Run(const std::vector<size_t>& positions) {
  txn::TransactionManager* transactions = table_.database()->transactions();
  if (transactions->PreparedHasWritesOf(table_.primary().id)) {
    return Status(Code::kLockBusy, "a prepared transaction has changed the table");
  }
  const auto reader = transactions->NewTransaction();
  const auto writer = transactions->NewTransaction();
  reader->Begin({});
  writer->Begin({});
  BASALT_RETURN_IF_ERROR(Begin(positions));
  Status status = CompileCodecs();
  if (status.ok()) status = Fill(reader.get(), writer.get());
  if (status.ok()) status = writer->Commit(txn::Durability::kSync);
  if (status.ok()) status = Replace();
  if (status.ok()) return status;
  if (writer->active()) (void)writer->Rollback();
  // When this fails as well, the next start finds the build cut off and drops it.
  (void)table_.database()->catalog()->AbortIndexBuild(built_);
  return status;
}

Status IndexRebuild::Begin(const std::vector<size_t>& positions) {
  const auto record = table_.database()->catalog()->FindTable(table_.name());
  if (record == nullptr) return Status(Code::kNotFound, "there is no table " + table_.name());
  std::vector<catalog::IndexRequest> requests;
  for (const size_t position : positions) {
    rocksdb::ColumnFamilyHandle* family = table_.index(position).family;
    requests.push_back(RequestLike(record->indexes[position], *family));
  }
  BASALT_RETURN_IF_ERROR(table_.database()->catalog()->BeginIndexBuild(requests, &built_));
  for (size_t i = 0; i < positions.size(); ++i) {
    indexes_.push_back({positions[i], built_[i], table_.index(positions[i]).family, nullptr});
  }
  return Status::Ok();
}

// The new indexes have numbers, and may have a format version, of their own.
Status IndexRebuild::CompileCodecs() {
  codec::TableDescriptor descriptor = table_.descriptor();
  size_t key_bytes = 0;
  size_t unpack_bytes = 0;
  for (NewIndex& index : indexes_) {
    descriptor.indexes[index.position].number = index.record.id.number;
    descriptor.indexes[index.position].kv_format_version = index.record.key_value_format_version;
    BASALT_RETURN_IF_ERROR(codec::KeyCodec::Compile(descriptor, index.position, &index.codec));
    key_bytes = std::max(key_bytes, index.codec->max_key_bytes());
    unpack_bytes = std::max(unpack_bytes, index.codec->max_unpack_bytes());
  }
  encoder_ = std::make_unique<EntryEncoder>(key_bytes, unpack_bytes);
  return Status::Ok();
}

Status IndexRebuild::Fill(txn::Transaction* reader, txn::Transaction* writer) {
  const uint64_t expected = table_.statistics().Rows() + 1;
  IndexWalk walk(table_, table_.primary_position(), reader);
  RowImage row(table_, virtual_columns_);
  Status status = walk.Next();
  for (uint64_t done = 1; status.ok(); status = walk.Next(), ++done) {
    if (done % TaskProgress::kEntriesPerReport == 0 && !progress_->Report(done, expected)) {
      return Status(Code::kInterrupted, "the repair was interrupted");
    }
    if (!row.Decode(walk.key(), walk.value())) continue;
    BASALT_RETURN_IF_ERROR(AddEntries(walk.value(), row, writer));
    ++rows_;
  }
  return status.code() == Code::kEndOfRange ? Status::Ok() : std::move(status);
}

Status IndexRebuild::AddEntries(Bytes row_value, const RowImage& row, txn::Transaction* writer) {
  for (const NewIndex& index : indexes_) {
    uint64_t ttl_seconds = 0;
    if (index.codec->has_ttl() && !codec::ReadTtl(row_value, &ttl_seconds)) continue;
    encoder_->Encode(*index.codec, row);
    codec::EncodeSecondaryValue(*index.codec, encoder_->unpack(), ttl_seconds, &value_);
    BASALT_RETURN_IF_ERROR(writer->Put(index.family, encoder_->key(), value_));
  }
  return Status::Ok();
}

Status IndexRebuild::Replace() {
  catalog::Catalog* catalog = table_.database()->catalog();
  const auto record = catalog->FindTable(table_.name());
  if (record == nullptr) return Status(Code::kNotFound, "there is no table " + table_.name());
  std::vector<catalog::IndexRecord> indexes = record->indexes;
  for (const NewIndex& index : indexes_) indexes[index.position] = index.record;
  return catalog->ReplaceIndexes(table_.name(), indexes, nullptr);
}

}  // namespace basalt::engine
