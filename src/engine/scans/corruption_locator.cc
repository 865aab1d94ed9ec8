// SPDX-License-Identifier: GPL-2.0-only
#include "engine/scans/corruption_locator.h"

#include <utility>

#include "engine/database.h"
#include "engine/entry_name.h"
#include "engine/table.h"
#include "store/store.h"

namespace basalt::engine {
namespace {

// The key before the first error from `start` on, at most `steps` entries away; else empty.
std::string LastReadable(txn::Cursor* cursor, Bytes start, bool forward, uint32_t steps) {
  if (start.empty()) {
    forward ? cursor->SeekFirst() : cursor->SeekLast();
  } else {
    forward ? cursor->SeekForward(start) : cursor->SeekBackward(start);
  }
  std::string last;
  while (cursor->Valid() && steps-- > 0) {
    last.assign(cursor->key());
    forward ? cursor->Next() : cursor->Prev();
  }
  if (cursor->Valid() || cursor->status().ok()) last.clear();
  return last;
}

}  // namespace

Status CorruptionLocator::NameBreak(const Table& table, size_t index, bool forward,
                                    Status status) const {
  if (status.code() != Code::kCorruption && status.code() != Code::kIoError) return status;
  const Index& data = table.index(index);
  const Database* database = table.database();
  txn::Cursor cursor(database->store()->base(), data.family, data.reverse, data.id,
                     database->transactions()->idle_cursors());
  std::string last;
  if (cursor.Bind(nullptr, nullptr, /*fill_cache=*/false).ok()) {
    // Entries that others have added since are on the way, too.
    last = LastReadable(&cursor, landmark_, forward, 2 * kStepsBetween);
  }
  cursor.Unbind();
  if (last.empty()) return WithEntry(table, index, Bytes(), std::move(status));
  const std::string where = forward ? "reading on behind it: " : "reading on before it: ";
  return WithEntry(table, index, last,
                   Status(status.code(), where + std::string(status.message())));
}

}  // namespace basalt::engine
