// SPDX-License-Identifier: GPL-2.0-only
#include "base/heap.h"

#include <malloc.h>

#include <cstdlib>
#include <cstring>

namespace basalt {
namespace {

// NOLINTBEGIN(concurrency-mt-unsafe): once, when the plugin is loaded; the server changes neither
// its environment nor these settings meanwhile.
bool AdministratorHasChosen() {
  const char* tunables = std::getenv("GLIBC_TUNABLES");
  return std::getenv("MALLOC_MMAP_THRESHOLD_") != nullptr ||
         (tunables != nullptr && std::strstr(tunables, "mmap_threshold") != nullptr);
}

}  // namespace

void KeepLargeBlocksOutOfTheHeap() {
  if (AdministratorHasChosen()) return;
  mallopt(M_MMAP_THRESHOLD, kOutsideTheHeapBytes);
  // glibc keeps them in step as long as it chooses both: what is trimmed too eagerly is taken
  // again.
  mallopt(M_TRIM_THRESHOLD, 2 * kOutsideTheHeapBytes);
}
// NOLINTEND(concurrency-mt-unsafe)

}  // namespace basalt
