// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <rocksdb/status.h>

#include "base/status.h"
#include "store/options/store_options.h"

namespace basalt::store {

// The one place where an error of RocksDB becomes one of ours. `context` names what was being done
// ("reading index 300 of db.t") and opens the message; it may be empty.
//
//   NotFound -> kNotFound           Corruption -> kCorruption       TimedOut -> kLockTimeout
//   Busy -> kLockBusy (deadlock subcode: kDeadlock)                 TryAgain -> kSnapshotConflict
//   IOError -> kIoError (no space, space limit: kNoSpace)           Aborted(memory) -> kOutOfMemory
//   ManualCompactionPaused, Incomplete -> kInterrupted              ShutdownInProgress -> kReadOnly
//   NotSupported -> kNotSupported   InvalidArgument -> kInvalidArgument
//
// A write refused because of an earlier background error (severity of a hard error and above) is
// kReadOnly, or kNoSpace when lack of space was that error. Where RocksDB names a place in a table
// file, the message says it first, without the directory. An ok status allocates nothing.
Status MapStatus(const rocksdb::Status& status, std::string_view context = {});

// How often damaged data was met since the process began: errors of RocksDB that MapStatus has made
// into kCorruption, and those of background work that were counted. A write that is refused because
// of an earlier error has met nothing itself. Any thread.
uint64_t CorruptionErrors();
// For errors that nobody maps, because they are told to a listener: counts those of damaged data.
void CountIfCorruption(const rocksdb::Status& error);

// Whether a change of options or of column families has been made, and only the OPTIONS file could
// not be written: a copy for people and tools, which the next change and the next opening write
// again. (DBImpl::WriteOptionsFile, whose text is all that tells the two apart.)
bool OnlyOptionsFileFailed(const rocksdb::Status& status);
// MapStatus for changes after which RocksDB writes an OPTIONS file: without it, Ok and a warning to
// `log`, which may be empty.
Status MapChange(const rocksdb::Status& status, const std::string& what,
                 const std::function<void(LogLevel, std::string_view)>& log);

}  // namespace basalt::store
