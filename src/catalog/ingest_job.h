// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace basalt::catalog {

// Table files of a large transaction that its commit hands over to RocksDB. The record is part of
// the transaction itself: once it is committed the files belong to the store, and a start-up that
// still finds the record ingests what has not been ingested and then removes it.
struct IngestJob {
  struct File {
    // Id of the column family that takes the file's entries.
    uint32_t column_family = 0;
    // Name inside the store's directory, not a path.
    std::string name;
    bool operator==(const File&) const = default;
  };

  // From IngestJobs::NewNumber; part of the record's key.
  uint64_t number = 0;
  std::vector<File> files;
  bool operator==(const IngestJob&) const = default;
};

}  // namespace basalt::catalog
