// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

#include "codec/window_search.h"
#include "engine/scans/range_cache.h"
#include "engine/table.h"
#include "txn/cursor.h"

namespace basalt::engine {

// How many entries of SPATIAL index `index` a search finds: counts few, and estimates more from
// the sizes of files, as if the entries of each grid lay evenly. `search` has begun and is left as
// if it had not; the cursor is bound, and stands anywhere afterwards. Entries that were counted,
// and are all there are, go into `cache` as well under the search's identity, unless it is null.
uint64_t EstimateWindow(const Table& table, size_t index, const codec::WindowSearch& search,
                        txn::Cursor* cursor, RangeCache* cache);

}  // namespace basalt::engine
