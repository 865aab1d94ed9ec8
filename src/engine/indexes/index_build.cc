// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/index_build.h"

#include <algorithm>
#include <utility>

#include "engine/database.h"
#include "engine/entry_name.h"

namespace basalt::engine {
namespace {

// Where changes are logged. Not beside the rows: that column family may run backwards.
constexpr char kLogFamily[] = "default";

Status ChangedByPrepared() {
  return Status(Code::kLockBusy, "a prepared transaction has changed the table");
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
  std::vector<catalog::IndexRequest> all = requests;
  if (options_.log_changes) {
    catalog::IndexRequest log;
    log.column_family = kLogFamily;
    all.push_back(log);
  }
  BASALT_RETURN_IF_ERROR(table_.database()->catalog()->BeginIndexBuild(all, &built_));
  if (options_.log_changes) {
    log_ = built_.back();
    built_.pop_back();
  }
  for (size_t i = 0; i < positions.size(); ++i) {
    codec::IndexDescriptor& described = target_.indexes[positions[i]];
    described.number = built_[i].id.number;
    described.kv_format_version = built_[i].key_value_format_version;
    described.has_ttl = (built_[i].flags & catalog::kIndexHasTtl) != 0;
    rocksdb::ColumnFamilyHandle* family =
        table_.database()->store()->FindColumnFamily(built_[i].id.column_family);
    indexes_.push_back({positions[i], built_[i].id, family, nullptr,
                        options_.check_unique && described.unique,
                        described.has_ttl ? built_[i].ttl_seconds : 0});
  }
  return log_.has_value() ? OpenLog() : Status::Ok();
}

// Nobody writes now: what is not in this snapshot is going to be in the log.
Status IndexBuild::OpenLog() {
  txn::TransactionManager* transactions = table_.database()->transactions();
  if (transactions->PreparedHasWritesOf(table_.primary().id)) return ChangedByPrepared();
  table_.counters().change_log().Open(log_->id);
  reader_ = transactions->NewTransaction();
  reader_->Begin({});
  (void)reader_->snapshot().ForReads();
  return Status::Ok();
}

Status IndexBuild::EndLog() {
  if (!log_.has_value()) return Status::Ok();
  table_.counters().change_log().Close();
  const catalog::IndexRecord log = *std::exchange(log_, std::nullopt);
  return table_.database()->closed_logs()->Add(log);
}

Status IndexBuild::Abort() {
  if (writer_ != nullptr && writer_->active()) (void)writer_->Rollback();
  Status ended = EndLog();
  if (built_.empty()) return ended;
  for (const catalog::IndexRecord& index : built_) {
    table_.database()->key_prefixes()->Unregister(index.id);
  }
  Status aborted = table_.database()->catalog()->AbortIndexBuild(std::exchange(built_, {}));
  return aborted.ok() ? std::move(ended) : std::move(aborted);
}

Status IndexBuild::Fill() {
  txn::TransactionManager* transactions = table_.database()->transactions();
  if (!log_.has_value()) {
    if (transactions->PreparedHasWritesOf(table_.primary().id)) return ChangedByPrepared();
    reader_ = transactions->NewTransaction();
    reader_->Begin({});
  }
  BASALT_RETURN_IF_ERROR(CompileCodecs());
  writer_ = transactions->NewTransaction();
  writer_->Begin({});
  BASALT_RETURN_IF_ERROR(BeginLoad());
  Status filled = AddRows();
  if (filled.ok()) filled = Finish();
  if (filled.code() == Code::kDuplicateKey) {
    duplicate_ = {load_->duplicate().index, load_->duplicate().key};
  }
  return filled;
}

Status IndexBuild::ApplyChanges(uint64_t* applied) {
  *applied = 0;
  if (!log_.has_value()) return Status::Ok();
  if (applier_ == nullptr) {
    progress_->NextStage();
    applier_ =
        std::make_unique<ChangeApplier>(&table_, log_->id, &indexes_, encoder_.get(), row_.get());
  }
  return applier_->ApplyCommitted(
      [this](uint64_t done) { return progress_->Report(done, done + 1); }, applied);
}

Status IndexBuild::Complete() {
  if (!log_.has_value()) return Status::Ok();
  if (table_.database()->transactions()->PreparedHasWritesOf(table_.primary().id)) {
    return ChangedByPrepared();
  }
  uint64_t applied = 0;
  BASALT_RETURN_IF_ERROR(ApplyChanges(&applied));
  Status checked = applier_->CheckUnique();
  if (checked.code() == Code::kDuplicateKey) {
    duplicate_ = {applier_->duplicate().index(), std::string(applier_->duplicate().key())};
  }
  return checked;
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
    loaded.push_back(
        {index.id, index.family, [index](Bytes key) { return index.UniqueBytes(key); }});
    // For the statistics that are counted while the files are written.
    table_.database()->key_prefixes()->Register(index.id, index.codec);
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

// In the view that the duplicate was found in: the snapshot that the rows were read in, or, when
// that has been given up, behind all changes.
Status IndexBuild::GetRow(Bytes key, rocksdb::PinnableSlice* value) {
  const bool in_rows = reader_ != nullptr;
  if (!in_rows) {
    reader_ = table_.database()->transactions()->NewTransaction();
    reader_->Begin({});
  }
  return reader_->reads().Get(table_.primary().family, key,
                              in_rows ? txn::View::kSnapshot : txn::View::kLatest, value);
}

Status IndexBuild::ReadDuplicate(uint8_t* record) {
  std::vector<uint8_t> row_key(primary_->max_key_bytes());
  const size_t bytes =
      indexes_[duplicate_->index].codec->ExtractPrimaryKey(duplicate_->key, row_key.data());
  const Bytes key = MakeBytes(row_key.data(), bytes);
  BASALT_RETURN_IF_ERROR(GetRow(key, &duplicate_row_));
  if (!row_->Decode(key, Bytes(duplicate_row_.data(), duplicate_row_.size()))) {
    return Status(Code::kInternal, "a row cannot be decoded a second time");
  }
  std::copy_n(row_->record(), target_.record_length, record);
  return Status::Ok();
}

}  // namespace basalt::engine
