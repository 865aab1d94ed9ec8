// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <set>
#include <string>

#include "base/status.h"

namespace basalt::engine {
class Database;
}

namespace basalt::server {

// The tables whose .frm and .par files a statement changes. The server writes new .frm files
// durably, but renames and removes files, and writes .par files, without a sync: a power cut right
// after a statement was acknowledged could bring files back that no longer fit the dictionary,
// whose changes are synced. So a statement on tables of this engine syncs them at its end.
//
//   the engine's part of a statement ---> NoteChangedDefinition
//   the server's part                     renames, removes files
//   hton->commit / rollback          ---> Sync, before the client gets its answer
//
// What several steps of a statement do to files must not mix: before it renames further tables, the
// engine syncs the files of those before (SyncOthersThan). Or else a power cut could bring all
// files back while the server's recovery undoes the steps one by one, also with files of other
// tables. An ALTER in place that gives its table another name has two such steps, too.
//
// Of one connection, used by its thread.
class UnsyncedDefinitions {
 public:
  // `path` is "./database/table", also with a partition behind it.
  void Note(const char* path);
  bool empty() const { return paths_.empty(); }
  // Makes the files of all that was noted durable, and that files are gone. Forgets them, also when
  // it fails (kIoError).
  Status Sync();
  // Does what Sync does, unless what was noted is tables at just these paths: the partitions before
  // this one in the rename of a table.
  Status SyncOthersThan(const std::set<std::string>& paths);

 private:
  std::set<std::string> paths_;  // of tables
};

// For the running statement of this thread's connection, if it has one: registers the engine with
// it, so that its end is told. Not for temporary tables, nor in the server's recovery, which does
// again what a crash takes away, nor with --sync-frm=OFF: false then, and nothing is to be synced.
bool NoteChangedDefinition(engine::Database& database, const char* path);

// Before a table is renamed in the engine: SyncOthersThan, of this thread's connection, if it has
// one.
Status SyncFormerRenames(const char* from, const char* to);

// Makes durable what the server has written to its log of DDL statements (--log-ddl-recovery): it
// links what a DROP is about to do into it without a sync. Ok when there is no such log; kIoError.
// Any thread.
Status SyncDdlLog();

}  // namespace basalt::server
