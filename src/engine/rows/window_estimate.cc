// SPDX-License-Identifier: GPL-2.0-only
#include "engine/rows/window_estimate.h"

#include <algorithm>
#include <string>

#include "txn/approach.h"

namespace basalt::engine {

namespace {

// What counting may cost: entries that are looked at, and seeks, which cost as much as twenty.
constexpr unsigned kMostCost = 1024;
constexpr unsigned kCostOfSeek = 20;
constexpr unsigned kStepsBeforeSeek = 4;
// Grids whose entries are estimated; a table has a handful.
constexpr unsigned kMostGrids = 64;

// Returns what it has cost.
unsigned Approach(Bytes target, txn::Cursor* cursor) {
  const txn::Approach done = txn::MoveTo(target, kStepsBeforeSeek, cursor);
  return done.steps + (done.sought ? kCostOfSeek : 0);
}

// Entries found. *cached: they are all in the cache, which may be null.
RangeCount CountSome(codec::WindowSearch search, txn::Cursor* cursor, RangeCache* cache) {
  using Verdict = codec::WindowSearch::Verdict;
  RangeCount count;
  unsigned cost = 0;
  cursor->SeekForward(search.target());
  while (cursor->Valid() && cost < kMostCost) {
    const Verdict verdict = search.Check(cursor->key());
    if (verdict == Verdict::kEnd) break;
    if (verdict == Verdict::kMalformed) return count;  // the search will say so
    if (verdict == Verdict::kSeek) {
      cost += Approach(search.target(), cursor);
      continue;
    }
    if (verdict == Verdict::kFound) {
      ++count.entries;
      if (cache != nullptr && !cache->Add(cursor->key(), cursor->value())) cache = nullptr;
    }
    cursor->Next();
    ++cost;
  }
  count.complete = cost < kMostCost && cursor->status().ok();
  count.cached = cache != nullptr && count.complete;
  return count;
}

// The same, and leaves in the cache what is whole.
RangeCount CountAndKeep(size_t index, const codec::WindowSearch& search, txn::Cursor* cursor,
                        RangeCache* cache) {
  if (cache == nullptr) return CountSome(search, cursor, nullptr);
  cache->Begin(index, search.identity(), Bytes());
  const RangeCount count = CountSome(search, cursor, cache);
  if (count.cached) {
    cache->Keep();
  } else {
    cache->Abort();
  }
  return count;
}

std::string PlaceOf(uint32_t index_number, codec::GridCode grid, uint64_t z_order) {
  std::string key;
  AppendBigEndian32(&key, index_number);
  AppendBigEndian16(&key, grid);
  AppendBigEndian64(&key, z_order);
  return key;
}

// The cells of the window lie on a stretch of the grid's curve and are a part of it.
uint64_t EstimateGrid(const Table& table, size_t index, const codec::WindowSearch& search,
                      codec::GridCode grid) {
  const uint32_t number = table.index(index).id.number;
  const codec::CellRange cells = search.CellsOf(grid);
  const uint64_t first = codec::ZOrderOf(cells.x_first, cells.y_first);
  const uint64_t last = codec::ZOrderOf(cells.x_last, cells.y_last);
  const uint64_t entries =
      table.statistics()
          .EntriesBetween(index, PlaceOf(number, grid, first), PlaceOf(number, grid, last))
          .entries;
  const double sides_x = static_cast<double>(cells.x_last - cells.x_first) + 1;
  const double sides_y = static_cast<double>(cells.y_last - cells.y_first) + 1;
  const double part = sides_x * sides_y / (static_cast<double>(last - first) + 1);
  return static_cast<uint64_t>(static_cast<double>(entries) * std::min(1.0, part));
}

}  // namespace

uint64_t EstimateWindow(const Table& table, size_t index, const codec::WindowSearch& search,
                        txn::Cursor* cursor, RangeCache* cache) {
  if (search.wants_all()) return table.statistics().Rows();
  const RangeCount count = CountAndKeep(index, search, cursor, cache);
  if (count.complete) return count.entries;
  const uint32_t number = table.index(index).id.number;
  uint64_t estimate = 0;
  cursor->SeekForward(PlaceOf(number, codec::kNoGrid + 1, 0));
  for (unsigned grids = 0; cursor->Valid() && grids < kMostGrids; ++grids) {
    codec::ExtentKey part;
    if (!codec::DecodeExtentKey(cursor->key().substr(kIndexNumberBytes), &part)) break;
    estimate += EstimateGrid(table, index, search, part.grid);
    cursor->SeekForward(PlaceOf(number, part.grid + 1, 0));
  }
  return std::max(count.entries, estimate);
}

}  // namespace basalt::engine
