// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/listener.h>

#include "store/errors/error_policy.h"
#include "store/statistics/statistics_keeper.h"
#include "store/store.h"

namespace basalt::store {

// What RocksDB tells the store: files that come and go, errors in the background. RocksDB calls it
// from its own threads, which it holds up meanwhile; nothing here blocks, or writes more than a
// line of the log now and then.
class Store::Listener final : public rocksdb::EventListener {
 public:
  // All must outlive the database.
  Listener(ErrorPolicy* policy, StatisticsKeeper* keeper, CompactionJournal* journal,
           LongCompactionLog* long_compactions)
      : policy_(policy), keeper_(keeper), journal_(journal), long_compactions_(long_compactions) {}
  const char* Name() const override { return "basalt"; }

  // Files that come and go: the sums of statistics follow. RocksDB may report two jobs in another
  // order than they happened in; the keeper copes with that.
  void OnFlushBegin(rocksdb::DB* db, const rocksdb::FlushJobInfo& job) override;
  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& job) override;
  void OnCompactionBegin(rocksdb::DB* db, const rocksdb::CompactionJobInfo& job) override;
  void OnSubcompactionBegin(const rocksdb::SubcompactionJobInfo& job) override;
  void OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo& job) override;
  // Of a compaction that has ended well. For DB::CompactFiles, whose compactions RocksDB tells its
  // caller of, but no listener.
  void CountFiles(const rocksdb::CompactionJobInfo& job);
  void OnExternalFileIngested(rocksdb::DB* db,
                              const rocksdb::ExternalFileIngestionInfo& file) override;
  void OnTableFileDeleted(const rocksdb::TableFileDeletionInfo& file) override;
  // Errors, and their end. OnBackgroundError may make *error milder, or take it away.
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
  // OnErrorRecoveryBegin is left alone: after a full disk RocksDB recovers by itself, looking for
  // space every five seconds. Looking more often ourselves and calling DB::Resume() may wait for
  // ever (11.8): flushes of other column families that begin between the error and the resume keep
  // their place in the queue without a thread (DBImpl::BackgroundFlush), and the recovery's own
  // request is not queued beside them. When RocksDB begins by itself there is no between.
  void OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& recovery) override;

 private:
  ErrorPolicy* const policy_;
  StatisticsKeeper* const keeper_;
  CompactionJournal* const journal_;
  LongCompactionLog* const long_compactions_;
};

}  // namespace basalt::store
