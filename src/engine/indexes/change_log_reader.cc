// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/change_log_reader.h"

#include <chrono>
#include <memory>
#include <string>

#include "engine/database.h"
#include "store/errors/status_map.h"
#include "store/format/index_bounds.h"

namespace basalt::engine {
namespace {

constexpr uint64_t kChangesPerReport = 1024;

std::string KeyOf(IndexId log, uint64_t position) {
  std::string key;
  AppendBigEndian32(&key, log.number);
  AppendBigEndian64(&key, position);
  return key;
}

}  // namespace

ChangeLogReader::ChangeLogReader(const Table* table, IndexId log)
    : table_(*table),
      log_(log),
      family_(table->database()->store()->FindColumnFamily(log.column_family)) {}

// What is decided before the view is made, is in the view, or nowhere: the next pass begins behind
// it, and so never steps over what this one has taken away.
Status ChangeLogReader::ReadCommitted(ChangeConsumer* consumer, const Progress& progress,
                                      uint64_t* taken) {
  const auto begun = std::chrono::steady_clock::now();
  const uint64_t undecided = table_.database()->transactions()->FirstUndecidedChange();
  const store::IndexBounds bounds(log_, /*reverse=*/false);
  rocksdb::ReadOptions options;
  bounds.Confine(&options);
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> entry(
      table_.database()->store()->base()->NewIterator(options, family_));
  *taken = 0;
  for (entry->Seek(KeyOf(log_, first_)); entry->Valid(); entry->Next()) {
    BASALT_RETURN_IF_ERROR(
        Take(consumer, entry->key().ToStringView(), entry->value().ToStringView()));
    if (batch_.GetDataSize() >= kBatchBytes || consumer->IsFull()) {
      BASALT_RETURN_IF_ERROR(WriteBatch(consumer));
    }
    if (++*taken % kChangesPerReport == 0 && !progress(*taken)) {
      return Status(Code::kInterrupted, "reading a log of changes was interrupted");
    }
  }
  BASALT_RETURN_IF_ERROR(store::MapStatus(entry->status(), "reading a log of changes"));
  BASALT_RETURN_IF_ERROR(WriteBatch(consumer));
  first_ = undecided;
  table_.counters().change_log().SetPause(
      pace_.AfterPass(std::chrono::duration_cast<std::chrono::microseconds>(
          std::chrono::steady_clock::now() - begun)));
  return Status::Ok();
}

Status ChangeLogReader::Take(ChangeConsumer* consumer, Bytes key, Bytes change_bytes) {
  codec::RowChange change;
  BASALT_RETURN_IF_ERROR(codec::DecodeRowChange(change_bytes, &change));
  BASALT_RETURN_IF_ERROR(consumer->Take(change, &batch_));
  return store::MapStatus(batch_.SingleDelete(family_, key), "taking a change out of its log");
}

// The log is durable with the next sync, which is that of the dictionary at the latest.
Status ChangeLogReader::WriteBatch(ChangeConsumer* consumer) {
  if (batch_.Count() == 0) return Status::Ok();
  store::Store* store = table_.database()->store();
  const store::MemtableRoom::Place place = store->flushes().room().Take(batch_);
  BASALT_RETURN_IF_ERROR(store->Write(&batch_, /*sync=*/false));
  batch_.Clear();
  return consumer->NoteWritten();
}

}  // namespace basalt::engine
