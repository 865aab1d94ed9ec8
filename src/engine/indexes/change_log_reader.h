// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <cstdint>
#include <functional>

#include "base/bytes.h"
#include "base/index_id.h"
#include "base/status.h"
#include "codec/row_change.h"
#include "engine/indexes/writer_pace.h"
#include "engine/table.h"

namespace basalt::engine {

// What is done with the changes of a log. An error of either function ends the pass.
class ChangeConsumer {
 public:
  virtual ~ChangeConsumer() = default;

  // Takes a change, whose bytes are valid during the call. What it means to the store goes into the
  // batch, with which the change leaves the log.
  virtual Status Take(const codec::RowChange& change, rocksdb::WriteBatch* batch) = 0;
  // Asked after each change: has it gathered so much that all of it is to be written at once?
  virtual bool IsFull() const { return false; }
  // All that was taken so far is written. Called now and then, and at the end of each pass that has
  // found changes.
  virtual Status NoteWritten() = 0;
};

// Reads the log of what others change in a table (docs/decisions/online-indexes.md), pass by pass.
//
// In a pass the consumer is given all changes that are committed when it begins, in the order of
// the log. For one row that is the order of its commits; between rows it means nothing. What was
// taken leaves the log in the same batch, so a pass can be given up anywhere and the next one goes
// on.
//
// One thread; writers go on meanwhile. Memory is bounded.
class ChangeLogReader {
 public:
  // The table is borrowed. Its log is open, or has been.
  ChangeLogReader(const Table* table, IndexId log);
  ChangeLogReader(const ChangeLogReader&) = delete;
  ChangeLogReader& operator=(const ChangeLogReader&) = delete;

  // Told now and then how many changes were taken in this pass; false: stop, with kInterrupted.
  using Progress = std::function<bool(uint64_t taken)>;
  // One pass; writers wait more behind it when passes do not become shorter (WriterPace). *taken:
  // how many changes it found. kCorruption when the log has something else; errors of the store and
  // of the consumer.
  Status ReadCommitted(ChangeConsumer* consumer, const Progress& progress, uint64_t* taken);

 private:
  static constexpr size_t kBatchBytes = 1u << 20;

  Status Take(ChangeConsumer* consumer, Bytes key, Bytes change_bytes);
  Status WriteBatch(ChangeConsumer* consumer);

  const Table& table_;
  const IndexId log_;
  rocksdb::ColumnFamilyHandle* const family_;
  WriterPace pace_;
  uint64_t first_ = 0;  // in front of this position every change was taken
  rocksdb::WriteBatch batch_;
};

}  // namespace basalt::engine
