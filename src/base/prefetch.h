// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>

namespace basalt {

// Asks the processor to fetch the lines of [from, from + bytes) into its caches; what is behind the
// first kilobyte it finds by itself. A hint: any address will do, also one that is not mapped.
//
// For runs that are read by hopping from one length to the next: each hop would wait for memory
// where all lines could have been on their way.
//
// Always inline: GCC takes a function that does nothing but this for one without any effect, and
// leaves its calls out. The same happens to a caller that does nothing else.
[[gnu::always_inline]] inline void Prefetch(const void* from, size_t bytes) {
  constexpr size_t kLine = 64;
  constexpr size_t kMost = 1024;
  const char* line = static_cast<const char*>(from);
  const char* const end = line + (bytes < kMost ? bytes : kMost);
  for (; line < end; line += kLine) __builtin_prefetch(line);
}

}  // namespace basalt
