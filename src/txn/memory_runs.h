// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "store/options/memory_charge.h"
#include "txn/entry_buffer.h"
#include "txn/merge_source.h"

namespace basalt::txn {

// Sorted entries of one index that stay in memory until they are merged, as those on disk do that
// found no room here. They need not be compressed, written and read again.
//
// Their memory is charged to the block cache. One thread at a time.
class MemoryRuns {
 public:
  // `charge` is borrowed; null: no run stays in memory. What is charged there for anything is to
  // stay within `most_bytes`; several loads at once may pass it by a run each.
  MemoryRuns(store::MemoryCharge* charge, size_t most_bytes)
      : charge_(charge), most_bytes_(most_bytes) {}
  ~MemoryRuns() { Release(); }
  MemoryRuns(const MemoryRuns&) = delete;
  MemoryRuns& operator=(const MemoryRuns&) = delete;

  // Is there room for so many bytes?
  bool HasRoomFor(size_t bytes) const;
  // Takes the buffer, whose entries are sorted.
  void Add(std::unique_ptr<EntryBuffer> run);
  bool empty() const { return runs_.empty(); }

  // Adds a source for each run, of the entries in the range. They are valid until Release. Several
  // threads may do so at once.
  void Read(const KeyRange& range, std::vector<std::unique_ptr<MergeSource>>* sources) const;
  // Slow. False when no run has the key.
  bool Find(Bytes key, std::string* value) const;
  // Frees the memory.
  void Release();

 private:
  store::MemoryCharge* const charge_;
  const size_t most_bytes_;
  std::vector<std::unique_ptr<EntryBuffer>> runs_;
  size_t charged_ = 0;
};

}  // namespace basalt::txn
