// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/index_build.h"

#include <algorithm>
#include <utility>

#include "engine/database.h"
#include "engine/indexes/logged_table.h"
#include "engine/indexes/parallel_fill.h"
#include "engine/indexes/serial_fill.h"
#include "store/errors/status_map.h"
#include "store/options/database_defaults.h"
#include "store/reports/dividing_keys.h"

namespace basalt::engine {
namespace {

Status ChangedByPrepared() {
  return Status(Code::kLockBusy, "a prepared transaction has changed the table");
}

NewRow::Room RoomFor(const std::vector<NewIndex>& indexes) {
  NewRow::Room room;
  for (const NewIndex& index : indexes) {
    room.key = std::max(room.key, index.codec->max_key_bytes());
    room.unpack = std::max(room.unpack, index.codec->max_unpack_bytes());
  }
  return room;
}

// What Table::Open refuses is not built.
Status CheckFullText(const codec::IndexDescriptor& index, const catalog::IndexRequest& request) {
  if (!codec::IsFullText(index)) return Status::Ok();
  if ((request.flags & catalog::kIndexHasTtl) != 0) {
    return Status(Code::kNotSupported, "a FULLTEXT index of rows with a time to live");
  }
  if (index.words != nullptr) return Status::Ok();
  return Status(Code::kInternal, "a FULLTEXT index without rules for its words");
}

}  // namespace

IndexBuild::IndexBuild(const Table* table, codec::TableDescriptor target, Options options,
                       TaskProgress* progress, VirtualColumns* virtual_columns,
                       RowConversion* conversion)
    : table_(*table),
      target_(std::move(target)),
      options_(options),
      progress_(progress),
      virtual_columns_(virtual_columns),
      conversion_(conversion) {}

Status IndexBuild::Begin(const std::vector<size_t>& positions,
                         const std::vector<catalog::IndexRequest>& requests) {
  for (size_t i = 0; i < positions.size(); ++i) {
    BASALT_RETURN_IF_ERROR(CheckFullText(target_.indexes[positions[i]], requests[i]));
  }
  std::vector<catalog::IndexRequest> all = requests;
  if (options_.log_changes) {
    all.push_back(LoggedTable::RequestForLog());
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
    const bool primary = positions[i] == target_.primary;
    indexes_.push_back({positions[i], built_[i].id, family, nullptr, primary,
                        options_.check_unique && described.unique && !primary,
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
    duplicate_ = {load_->duplicate().index, load_->duplicate().key, load_->duplicate().value};
  }
  return filled;
}

Status IndexBuild::ApplyChanges(uint64_t* applied) {
  *applied = 0;
  if (!log_.has_value()) return Status::Ok();
  if (applier_ == nullptr) {
    progress_->NextStage();
    applier_ =
        std::make_unique<ChangeApplier>(&table_, log_->id, &indexes_, row_.get(), options_.also);
  }
  Status status = applier_->ApplyCommitted(
      [this](uint64_t done) { return progress_->Report(done, done + 1); }, applied);
  if (status.code() == Code::kDuplicateKey) duplicate_ = applier_->duplicate();
  return status;
}

Status IndexBuild::FlushApplied(bool* written) {
  *written = applier_ != nullptr && applier_->unwritten() > rows_ / 10;
  return *written ? applier_->Flush() : Status::Ok();
}

Status IndexBuild::Complete() {
  if (!log_.has_value()) return Status::Ok();
  if (table_.database()->transactions()->PreparedHasWritesOf(table_.primary().id)) {
    return ChangedByPrepared();
  }
  uint64_t applied = 0;
  BASALT_RETURN_IF_ERROR(ApplyChanges(&applied));
  Status checked = applier_->CheckUnique();
  if (checked.code() == Code::kDuplicateKey) duplicate_ = applier_->duplicate();
  return checked;
}

Status IndexBuild::CompileCodecs() {
  for (NewIndex& index : indexes_) {
    std::unique_ptr<codec::KeyCodec> compiled;
    BASALT_RETURN_IF_ERROR(codec::KeyCodec::Compile(target_, index.position, &compiled));
    index.codec = std::move(compiled);
  }
  BASALT_RETURN_IF_ERROR(codec::KeyCodec::Compile(target_, target_.primary, &primary_));
  BASALT_RETURN_IF_ERROR(codec::RowCodec::Compile(target_, *primary_, &row_codec_));
  row_ = std::make_unique<NewRow>(table_, NewRow::Target{target_, *primary_, row_codec_},
                                  conversion_, virtual_columns_, RoomFor(indexes_));
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

// Is this the only thread that can read the rows? The server's expressions and clocks belong to it.
// What a conversion gives has another order, too.
bool IndexBuild::ReadsAlone() const {
  return conversion_ != nullptr || virtual_columns_ != nullptr || table_.primary().ttl_seconds != 0;
}

// Behind which other threads can read rows.
std::vector<std::string> IndexBuild::DividingKeys() const {
  constexpr int kMostParts = 4;
  const store::Store& store = *table_.database()->store();
  const int parts = std::min(store::BackgroundJobs(store.options()), kMostParts);
  return store::DividingKeys(store.base(), table_.primary().family, table_.primary().id,
                             static_cast<size_t>(parts));
}

Status IndexBuild::AddRowsInParts() {
  const NewRow::Target target{target_, *primary_, row_codec_};
  const ParallelFill::Source source{.table = table_,
                                    .target = target,
                                    .room = RoomFor(indexes_),
                                    .indexes = indexes_,
                                    .snapshot = reader_->snapshot().ForReads(),
                                    .skip_undecodable = options_.skip_undecodable,
                                    .buffer_bytes = options_.buffer_bytes};
  ParallelFill fill(source, DividingKeys(), load_, progress_);
  Status status = fill.Run();
  rows_ = fill.rows();
  return status;
}

Status IndexBuild::AddRowsAlone() {
  const SerialFill::Source source{.table = table_,
                                  .indexes = indexes_,
                                  .reader = reader_.get(),
                                  .skip_undecodable = options_.skip_undecodable,
                                  .include_expired = options_.include_expired};
  SerialFill fill(source, row_.get(), load_, progress_);
  Status status = fill.Run();
  rows_ = fill.rows();
  return status;
}

Status IndexBuild::AddRows() { return ReadsAlone() ? AddRowsAlone() : AddRowsInParts(); }

Status IndexBuild::Finish() {
  progress_->NextStage();
  BASALT_RETURN_IF_ERROR(load_->Finish(
      [this](uint64_t done, uint64_t expected) { return progress_->Report(done, expected); }));
  reader_.reset();  // and its snapshot, because of which the files would be compacted once more
  return writer_->Commit(txn::Durability::kSync);
}

// In the view that the duplicate was found in: the snapshot that the rows were read in, or, when
// that has been given up, behind all changes.
Status IndexBuild::GetRow(Bytes key, std::string* value) {
  const bool in_rows = reader_ != nullptr;
  if (!in_rows) {
    reader_ = table_.database()->transactions()->NewTransaction();
    reader_->Begin({});
  }
  rocksdb::PinnableSlice row;
  BASALT_RETURN_IF_ERROR(reader_->reads().Get(
      table_.primary().family, key, in_rows ? txn::View::kSnapshot : txn::View::kLatest, &row));
  value->assign(row.data(), row.size());
  return Status::Ok();
}

// Of a row that was converted: it is in the load still, or in the store behind all changes.
Status IndexBuild::GetNewRow(Bytes key, std::string* value) {
  const auto primary = std::find_if(indexes_.begin(), indexes_.end(),
                                    [](const NewIndex& index) { return index.primary; });
  if (applier_ == nullptr) {
    return load_->FindLoaded(static_cast<size_t>(primary - indexes_.begin()), key, value);
  }
  return store::MapStatus(
      table_.database()->store()->base()->Get(rocksdb::ReadOptions(), primary->family, key, value),
      "reading a row of a new primary index");
}

bool IndexBuild::DecodeDuplicate(Bytes key, Bytes value, uint8_t* record) {
  RowImage image(target_, *primary_, row_codec_, virtual_columns_);
  if (!image.Decode(key, value)) return false;
  std::copy_n(image.record(), target_.record_length, record);
  return true;
}

Status IndexBuild::ReadDuplicate(uint8_t* record) {
  const NewIndex& index = indexes_[duplicate_->index];
  std::string key = duplicate_->key;
  duplicate_row_ = duplicate_->value;
  if (!index.primary) {
    std::vector<uint8_t> row_key(primary_->max_key_bytes());
    const size_t bytes = index.codec->ExtractPrimaryKey(duplicate_->key, row_key.data());
    key.assign(MakeBytes(row_key.data(), bytes));
    BASALT_RETURN_IF_ERROR(conversion_ == nullptr ? GetRow(key, &duplicate_row_)
                                                  : GetNewRow(key, &duplicate_row_));
  }
  if (DecodeDuplicate(key, duplicate_row_, record)) return Status::Ok();
  return Status(Code::kInternal, "a row cannot be decoded a second time");
}

}  // namespace basalt::engine
