// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>

namespace basalt {

// Blocks of so many bytes and more stay out of the heap. More than the server's sort buffer (2 MiB
// by default) and the blocks of its temporary tables (1 MiB), which come and go with each
// statement: mapped and unmapped each time they cost page faults and an interrupt of every
// processor.
inline constexpr size_t kOutsideTheHeapBytes = (2 << 20) + (256 << 10);

// Keeps blocks of kOutsideTheHeapBytes and more, as memtables are made of, out of the C library's
// heap, for the whole process: they come from the system and go back to it when they are freed.
//
// By itself glibc raises its limit for that up to 32 MiB as soon as such a block is freed
// (mallopt(3), M_MMAP_THRESHOLD). From then on freed memtables leave holes in the heap, blocks of
// the cache move into them, and the next memtable takes new memory: resident memory grows by about
// the size of all memtables and stays so. See docs/lab/large-statements.md, "Statements of three
// million rows".
//
// Does nothing when the environment already says what the limit is (MALLOC_MMAP_THRESHOLD_,
// GLIBC_TUNABLES), or with another allocator than glibc's. Once, before there is much to allocate.
void KeepLargeBlocksOutOfTheHeap();

}  // namespace basalt
