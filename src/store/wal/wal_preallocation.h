// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include <rocksdb/file_system.h>

namespace basalt::store {

// Preallocates space of a WAL file: writes zeros behind its end, so that later syncs change neither
// its size nor its blocks. A file that grows at each sync makes the file system write its own
// journal too (ext4: more than the commit itself); a file that is written over does not. Only small
// syncs are worth it: the zeros cost little beside the page that each of them writes anyway.
//
// A log that was not closed ends in zeros. RocksDB's reader passes over them, and wal_repair.h does
// not take them for damage.
//
// Thread-safety: none; the owner of the file calls, with the lock that its writes take.
class WalPreallocation {
 public:
  // Before each sync of `file`, whose log is `size` bytes long. What does not work (a full disk) is
  // no error: the log goes on without.
  void BeforeSync(rocksdb::FSWritableFile* file, uint64_t size);
  // Before `file` is closed: it ends where the log ends again.
  void BeforeClose(rocksdb::FSWritableFile* file, uint64_t size);

 private:
  uint64_t synced_ = 0;  // size at the last sync
  uint64_t zeroed_ = 0;  // the file has this size, if it is more than the log's
  bool works_ = true;
};

}  // namespace basalt::store
