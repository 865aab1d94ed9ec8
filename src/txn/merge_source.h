// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"

namespace basalt::txn {

// Entries of one index in the order of its column family: a run on disk, a buffer, writes that are
// elsewhere already. Stands on its first entry when it is given to a Merge.
//
// One thread at a time. key() and value() are valid until the next move.
class MergeSource {
 public:
  virtual ~MergeSource() = default;
  bool valid() const { return valid_; }
  Bytes key() const { return key_; }
  Bytes value() const { return value_; }
  // Its entries are in their place: others must not equal them, and they are not written again.
  bool in_place() const { return in_place_; }

  // To the next entry; valid() turns false at the end and after an error, which status() tells.
  virtual void Next() = 0;
  virtual Status status() const { return Status::Ok(); }

 protected:
  bool valid_ = false;
  bool in_place_ = false;
  Bytes key_;
  Bytes value_;
};

// The entries of several sources as one sequence.
class Merge {
 public:
  // `reverse`: the order of the column family.
  Merge(std::vector<std::unique_ptr<MergeSource>> sources, bool reverse);

  // The source with the present entry; null at the end, or after an error of a source.
  MergeSource* present() const { return heap_.empty() ? nullptr : heap_.front(); }
  // Moves the present source, and another one becomes the present one.
  void Next();
  // The first error of a source.
  Status status() const;

 private:
  void SiftDown();
  bool Before(const MergeSource& a, const MergeSource& b) const;

  const bool reverse_;
  std::vector<std::unique_ptr<MergeSource>> sources_;
  std::vector<MergeSource*> heap_;  // those that are not at their end; the first in front
};

}  // namespace basalt::txn
