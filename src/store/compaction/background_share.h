// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace basalt::store {

// How much of its pace background work takes on, so that commits do not wait for it at the disk.
// A disk at its limit makes every sync of the log wait behind what compactions write. Then the
// share falls until syncs take about what they usually do on this disk, and it rises again when
// they have room. What is usual is learned while background work rests, and slowly while it works.
//
// Thread-safety: none.
class BackgroundShare {
 public:
  static constexpr double kLeast = 0.125;

  // To be asked about once a second, with sums since the store was opened: syncs of the log, the
  // microseconds that they have taken, and bytes of flushes and compactions. From kLeast to 1.
  double After(uint64_t syncs, uint64_t sync_microseconds, uint64_t background_bytes);

 private:
  void Learn(double mean, bool working);

  uint64_t syncs_ = 0;
  uint64_t sync_microseconds_ = 0;
  uint64_t background_bytes_ = 0;
  double usual_ = 0;  // microseconds of a sync; 0: not known
  double share_ = 1;
};

}  // namespace basalt::store
