// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/status.h"

namespace basalt::engine {

// The file in which REPAIR TABLE ... EXTENDED leaves the rows it takes out of a table: one line a
// row, key and value in hexadecimal with a space between. Appended to when it exists. One thread.
class RemovedRows {
 public:
  explicit RemovedRows(std::string path) : path_(std::move(path)) {}
  ~RemovedRows();
  RemovedRows(const RemovedRows&) = delete;
  RemovedRows& operator=(const RemovedRows&) = delete;

  const std::string& path() const { return path_; }
  // kIoError or kNoSpace when the row could not be written.
  Status Add(Bytes key, Bytes value);
  // Everything added is on the disk afterwards.
  Status Sync();

 private:
  Status Failure(const char* doing) const;

  const std::string path_;
  int file_ = -1;
};

}  // namespace basalt::engine
