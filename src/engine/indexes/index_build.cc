// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/index_build.h"

#include <algorithm>
#include <utility>

#include "engine/database.h"
#include "engine/entry_name.h"

namespace basalt::engine {
namespace {

// What no two entries of an index may share, as BulkLoad asks for it.
std::function<size_t(Bytes)> UniqueBytesOf(std::shared_ptr<const codec::KeyCodec> codec,
                                           bool unique) {
  if (!unique) return [](Bytes) { return size_t{0}; };
  return [codec = std::move(codec)](Bytes key) -> size_t {
    if (codec->UserPartsHaveNull(key)) return 0;
    return codec->PrefixBytes(key, codec->user_parts());
  };
}

}  // namespace

IndexBuild::IndexBuild(const Table* table, codec::TableDescriptor target, Options options,
                       TaskProgress* progress, VirtualColumns* virtual_columns)
    : table_(*table),
      target_(std::move(target)),
      options_(options),
      progress_(progress),
      virtual_columns_(virtual_columns) {}

Status IndexBuild::Begin(const std::vector<size_t>& positions,
                         const std::vector<catalog::IndexRequest>& requests) {
  BASALT_RETURN_IF_ERROR(table_.database()->catalog()->BeginIndexBuild(requests, &built_));
  for (size_t i = 0; i < positions.size(); ++i) {
    codec::IndexDescriptor& described = target_.indexes[positions[i]];
    described.number = built_[i].id.number;
    described.kv_format_version = built_[i].key_value_format_version;
    described.has_ttl = (built_[i].flags & catalog::kIndexHasTtl) != 0;
    rocksdb::ColumnFamilyHandle* family =
        table_.database()->store()->FindColumnFamily(built_[i].id.column_family);
    indexes_.push_back({positions[i], family, nullptr});
  }
  return Status::Ok();
}

Status IndexBuild::Abort() {
  if (writer_ != nullptr && writer_->active()) (void)writer_->Rollback();
  if (built_.empty()) return Status::Ok();
  for (const catalog::IndexRecord& index : built_) {
    table_.database()->key_prefixes()->Unregister(index.id);
  }
  return table_.database()->catalog()->AbortIndexBuild(std::exchange(built_, {}));
}

Status IndexBuild::Fill() {
  txn::TransactionManager* transactions = table_.database()->transactions();
  if (transactions->PreparedHasWritesOf(table_.primary().id)) {
    return Status(Code::kLockBusy, "a prepared transaction has changed the table");
  }
  BASALT_RETURN_IF_ERROR(CompileCodecs());
  reader_ = transactions->NewTransaction();
  writer_ = transactions->NewTransaction();
  reader_->Begin({});
  writer_->Begin({});
  BASALT_RETURN_IF_ERROR(BeginLoad());
  BASALT_RETURN_IF_ERROR(AddRows());
  return Finish();
}

Status IndexBuild::CompileCodecs() {
  size_t key_bytes = 0;
  size_t unpack_bytes = 0;
  for (NewIndex& index : indexes_) {
    std::unique_ptr<codec::KeyCodec> compiled;
    BASALT_RETURN_IF_ERROR(codec::KeyCodec::Compile(target_, index.position, &compiled));
    key_bytes = std::max(key_bytes, compiled->max_key_bytes());
    unpack_bytes = std::max(unpack_bytes, compiled->max_unpack_bytes());
    index.codec = std::move(compiled);
  }
  encoder_ = std::make_unique<EntryEncoder>(key_bytes, unpack_bytes);
  BASALT_RETURN_IF_ERROR(codec::KeyCodec::Compile(target_, target_.primary, &primary_));
  BASALT_RETURN_IF_ERROR(codec::RowCodec::Compile(target_, *primary_, &row_codec_));
  row_ = std::make_unique<RowImage>(target_, *primary_, row_codec_, virtual_columns_);
  return Status::Ok();
}

Status IndexBuild::BeginLoad() {
  std::vector<txn::LoadIndex> loaded;
  for (size_t i = 0; i < indexes_.size(); ++i) {
    const NewIndex& index = indexes_[i];
    const bool unique = options_.check_unique && target_.indexes[index.position].unique;
    loaded.push_back({built_[i].id, index.family, UniqueBytesOf(index.codec, unique)});
    // For the statistics that are counted while the files are written.
    table_.database()->key_prefixes()->Register(built_[i].id, index.codec);
  }
  txn::LoadOptions options;
  options.buffer_bytes = options_.buffer_bytes;
  options.of_no_table = true;
  return writer_->BeginLoad(std::move(loaded), options, &load_);
}

Status IndexBuild::AddRows() {
  const uint64_t expected = table_.statistics().Rows() + 1;
  IndexWalk walk(table_, table_.primary_position(), reader_.get());
  Status status = walk.Next();
  for (uint64_t done = 1; status.ok(); status = walk.Next(), ++done) {
    if (done % TaskProgress::kEntriesPerReport == 0 && !progress_->Report(done, expected)) {
      return Status(Code::kInterrupted, "building an index was interrupted");
    }
    if (!options_.include_expired && walk.EntryHasExpired()) continue;
    if (!row_->Decode(walk.key(), walk.value())) {
      if (options_.skip_undecodable) continue;
      return WithEntry(table_, table_.primary_position(), walk.key(),
                       Status(Code::kCorruption, "a row cannot be decoded"));
    }
    BASALT_RETURN_IF_ERROR(AddEntries(walk.value()));
    ++rows_;
  }
  if (status.code() == Code::kEndOfRange) return Status::Ok();
  return WithEntry(table_, table_.primary_position(), {}, std::move(status));
}

Status IndexBuild::AddEntries(Bytes row_value) {
  for (size_t i = 0; i < indexes_.size(); ++i) {
    const codec::KeyCodec& codec = *indexes_[i].codec;
    uint64_t ttl_seconds = 0;
    if (codec.has_ttl() && !codec::ReadTtl(row_value, &ttl_seconds)) continue;
    encoder_->Encode(codec, *row_);
    codec::EncodeSecondaryValue(codec, encoder_->unpack(), ttl_seconds, &value_);
    BASALT_RETURN_IF_ERROR(load_->Add(i, encoder_->key(), value_));
  }
  return Status::Ok();
}

Status IndexBuild::Finish() {
  progress_->NextStage();
  BASALT_RETURN_IF_ERROR(load_->Finish(
      [this](uint64_t done, uint64_t expected) { return progress_->Report(done, expected); }));
  reader_.reset();  // and its snapshot, because of which the files would be compacted once more
  return writer_->Commit(txn::Durability::kSync);
}

size_t IndexBuild::duplicate_position() const {
  return indexes_[load_->duplicate().index].position;
}

Status IndexBuild::ReadDuplicate(uint8_t* record) {
  const txn::BulkLoad::Duplicate& duplicate = load_->duplicate();
  std::vector<uint8_t> row_key(primary_->max_key_bytes());
  const size_t bytes =
      indexes_[duplicate.index].codec->ExtractPrimaryKey(duplicate.key, row_key.data());
  const Bytes key = MakeBytes(row_key.data(), bytes);
  BASALT_RETURN_IF_ERROR(
      reader_->reads().Get(table_.primary().family, key, txn::View::kSnapshot, &duplicate_row_));
  if (!row_->Decode(key, Bytes(duplicate_row_.data(), duplicate_row_.size()))) {
    return Status(Code::kInternal, "a row cannot be decoded a second time");
  }
  std::copy_n(row_->record(), target_.record_length, record);
  return Status::Ok();
}

}  // namespace basalt::engine
