// SPDX-License-Identifier: GPL-2.0-only
#include "engine/table.h"

#include <algorithm>

#include "codec/key_codec.h"
#include "codec/row_layout_record.h"
#include "engine/database.h"
#include "store/errors/status_map.h"
#include "store/format/index_bounds.h"
#include "store/store.h"

namespace basalt::engine {
namespace {

bool SameKind(catalog::IndexKind recorded, codec::IndexKind defined) {
  return static_cast<uint8_t>(recorded) == static_cast<uint8_t>(defined);
}

Status Disagree(const std::string& table, const std::string& what) {
  return Status(Code::kCorruption, "table " + table + ": the data dictionary and the table's " +
                                       "definition disagree (" + what + ")");
}

// The last key of an index, or empty when it has none.
Status LastKey(rocksdb::DB* db, const Index& index, std::string* key) {
  const store::IndexBounds bounds(index.id, index.reverse);
  rocksdb::ReadOptions options;
  bounds.Confine(&options);
  std::unique_ptr<rocksdb::Iterator> entry(db->NewIterator(options, index.family));
  if (index.reverse) {
    entry->SeekToFirst();
  } else {
    entry->SeekToLast();
  }
  if (entry->Valid()) key->assign(entry->key().data(), entry->key().size());
  return store::MapStatus(entry->status(), "looking for the last key of an index");
}

}  // namespace

Status Table::Open(Database* database, codec::TableDescriptor descriptor, TableTraits traits,
                   std::shared_ptr<Table>* table) {
  std::shared_ptr<Table> opened(new Table);
  opened->database_ = database;
  opened->descriptor_ = std::move(descriptor);
  opened->traits_ = std::move(traits);
  BASALT_RETURN_IF_ERROR(opened->Resolve());
  BASALT_RETURN_IF_ERROR(opened->CompileCodecs());
  opened->RegisterTimeToLive();
  opened->statistics_ = std::make_unique<TableStatistics>(opened.get());
  BASALT_RETURN_IF_ERROR(opened->LoadCounters());
  *table = std::move(opened);
  return Status::Ok();
}

// Matches the definition with the dictionary's record and takes over what only that knows.
Status Table::Resolve() {
  catalog::Catalog* catalog = database_->catalog();
  const auto record =
      traits_.temporary ? catalog->temporary_tables()->Find(name()) : catalog->FindTable(name());
  if (record == nullptr) {
    return Status(Code::kNotFound, "table " + name() + " is not in the data dictionary");
  }
  readable_from_ = database_->catalog()->visibility().ReadableFrom(name());
  if (record->indexes.size() != descriptor_.indexes.size()) {
    return Disagree(name(), std::to_string(record->indexes.size()) + " indexes against " +
                                std::to_string(descriptor_.indexes.size()));
  }
  indexes_.resize(record->indexes.size());
  for (size_t i = 0; i < indexes_.size(); ++i) {
    const catalog::IndexRecord& recorded = record->indexes[i];
    codec::IndexDescriptor& defined = descriptor_.indexes[i];
    if (!SameKind(recorded.kind, defined.kind)) {
      return Disagree(name(), "the kind of index " + defined.name);
    }
    defined.number = recorded.id.number;
    defined.kv_format_version = recorded.key_value_format_version;
    defined.has_ttl = (recorded.flags & catalog::kIndexHasTtl) != 0;
    // Without time stamps nothing can expire.
    indexes_[i].ttl_seconds = defined.has_ttl ? recorded.ttl_seconds : 0;
    indexes_[i].id = recorded.id;
    indexes_[i].readable_from = catalog->visibility().ReadableFrom(recorded.id);
    indexes_[i].family = database_->store()->FindColumnFamily(recorded.id.column_family);
    if (indexes_[i].family == nullptr) {
      return Disagree(name(), "the column family of index " + defined.name);
    }
    indexes_[i].reverse = store::IsReverse(indexes_[i].family);
    indexes_[i].unique = defined.unique || defined.kind == codec::IndexKind::kPrimary;
  }
  return ReadRowLayout(record->indexes[descriptor_.primary].row_layout);
}

// Of a table whose definition was changed over its rows. The descriptor may be that of a table that
// had others: TRUNCATE takes it over.
Status Table::ReadRowLayout(Bytes record) {
  descriptor_.row_layout = nullptr;
  if (record.empty()) return Status::Ok();
  codec::RowLayout layout;
  const Status status = codec::DecodeRowLayout(record, &layout);
  if (!status.ok()) {
    return Status(status.code(), "table " + name() + ": " + std::string(status.message()));
  }
  descriptor_.row_layout = std::make_shared<const codec::RowLayout>(std::move(layout));
  return Status::Ok();
}

Status Table::CompileCodecs() {
  for (size_t i = 0; i < indexes_.size(); ++i) {
    std::unique_ptr<codec::KeyCodec> compiled;
    BASALT_RETURN_IF_ERROR(codec::KeyCodec::Compile(descriptor_, i, &compiled));
    max_key_bytes_ = std::max(max_key_bytes_, compiled->max_key_bytes());
    max_unpack_bytes_ = std::max(max_unpack_bytes_, compiled->max_unpack_bytes());
    indexes_[i].codec = std::move(compiled);
    if (codec::IsFullText(descriptor_.indexes[i])) {
      indexes_[i].texts = std::make_shared<CountedTexts>();
    }
    const std::vector<codec::KeyPart>& parts = descriptor_.indexes[i].parts;
    indexes_[i].has_virtual_parts = std::any_of(
        parts.begin(), parts.end(),
        [this](const codec::KeyPart& part) { return !descriptor_.columns[part.column].stored; });
    has_virtual_parts_ = has_virtual_parts_ || indexes_[i].has_virtual_parts;
    database_->key_prefixes()->Register(indexes_[i].id, indexes_[i].codec);
  }
  // Of changed definitions some rows have had more than their keys.
  rows_are_keys_ = !hidden_primary() && descriptor_.row_layout == nullptr &&
                   descriptor_.primary_index().parts.size() == descriptor_.columns.size();
  has_blobs_ = std::any_of(descriptor_.columns.begin(), descriptor_.columns.end(),
                           [](const codec::Column& column) { return codec::IsBlob(column.kind); });
  has_spatial_index_ =
      std::any_of(descriptor_.indexes.begin(), descriptor_.indexes.end(), codec::IsSpatial);
  has_full_text_index_ =
      std::any_of(descriptor_.indexes.begin(), descriptor_.indexes.end(),
                  [](const codec::IndexDescriptor& index) { return codec::IsFullText(index); });
  if (has_full_text_index_ && primary().ttl_seconds != 0) {
    return Status(Code::kNotSupported, "a FULLTEXT index of rows with a time to live");
  }
  for (const codec::IndexDescriptor& index : descriptor_.indexes) {
    if (!codec::IsFullText(index) || index.words != nullptr) continue;
    return Status(Code::kInternal, "a FULLTEXT index without rules for its words");
  }
  return codec::RowCodec::Compile(descriptor_, *primary().codec, &row_codec_);
}

// From now on compactions drop what has expired. Not before: only the definition tells how rows are
// removed.
void Table::RegisterTimeToLive() const {
  for (size_t i = 0; i < indexes_.size(); ++i) {
    if (indexes_[i].ttl_seconds == 0) continue;
    store::EntryLife life;
    life.seconds = indexes_[i].ttl_seconds;
    life.rows = i == primary_position();
    life.single_deletes = !life.rows || rows_are_keys_;
    database_->store()->time_to_live()->Register(indexes_[i].id, life);
  }
}

Status Table::LoadCounters() {
  counters_ = database_->CountersOf(primary().id);
  const txn::UndecidedKeys& undecided = *database_->transactions()->undecided();
  if (hidden_primary() && counters_->hidden_id() == 0) {
    std::string last;
    BASALT_RETURN_IF_ERROR(LastKey(database_->store()->base(), primary(), &last));
    last = std::max(last, undecided.Greatest(primary().id));
    counters_->RaiseHiddenId(last.empty() ? 1 : codec::HiddenIdOf(last) + 1);
  }
  if (counters_->auto_increment() == 0 && !traits_.temporary) {
    uint64_t next = 0;
    BASALT_RETURN_IF_ERROR(database_->catalog()->auto_increments().Read(primary().id, &next));
    next = std::max(next, undecided.AutoIncrement(primary().id));
    if (next != 0) counters_->RaiseAutoIncrement(next);
  }
  return Status::Ok();
}

}  // namespace basalt::engine
