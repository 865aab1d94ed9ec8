// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace basalt::store {

// Which part of a WAL file the kernel's page cache may forget. What is synced is read again only
// by a recovery or a backup. Until the file is removed its pages would take memory from those of
// table files, which are read all the time.
//
// Thread-safety: none; the owner of the file calls, with the lock that its writes take.
class WalPageCache {
 public:
  struct Range {
    uint64_t offset = 0;
    uint64_t bytes = 0;  // 0: nothing
  };
  // Before a sync of a log that is `size` bytes long: what is to be forgotten once the sync has
  // ended well (FSWritableFile::InvalidateCache). Each byte is handed out once. The last pages
  // stay, because the next record is written beside them.
  Range TakeRange(uint64_t size);

 private:
  uint64_t forgotten_ = 0;  // up to here
};

}  // namespace basalt::store
