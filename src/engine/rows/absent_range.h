// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "txn/transaction_types.h"
#include "txn/write_set.h"

namespace basalt::engine {

// Caches a range of the primary index that has no entries, for statements that insert rows in key
// order. It is no gap lock. A look-up for a duplicate asks every memtable and the Bloom filters of
// all files that may hold the key. One search for the next entry answers for all keys below that
// entry, as long as nobody commits: then the latest state is what the search has seen.
//
//   Ask --> kFree    no entry has the key
//       --> kLook    nothing is known: look the key up
//       --> kSearch  the keys ascend: worth a search for the first entry >= key, then NoteAbsent
//   NoteAdded after each row that was put, Forget when a statement begins.
//
// Invariants (tests name them):
//  K1  kFree is never said of a key that is committed or in the write set (loads look themselves).
//  K2  Anything that is committed ends the knowledge; so does any own write that was not noted.
//  K3  Where it does not pay there are few searches: after one that spared less than kWorthwhile
//      look-ups the next comes after four times as many rows, up to kLongestWait.
// They have no BASALT_ASSERT, only unit tests with their numbers. To check K1 or K2 is to do the
// look-up that this class spares, and it has no way to the store. K3 is about cost.
//
// The caller has locked the key before it asks, so that nobody else adds it afterwards. One thread.
class AbsentRange {
 public:
  enum class Answer : uint8_t { kFree, kLook, kSearch };

  void Forget();

  Answer Ask(Bytes key, const txn::ViewStamp& latest, const txn::WriteSet& own);
  // A search from the key that Ask was asked about has found `next` to be the first entry behind
  // it; empty: there is none. `stamp` was taken before the search, which saw own writes too.
  void NoteAbsent(const txn::ViewStamp& stamp, Bytes next);
  // The row with this key has just been put, with all its entries. Ask was called for it.
  void NoteAdded(Bytes key, const txn::WriteSet& own);

 private:
  static constexpr uint32_t kShortestWait = 4;
  static constexpr uint32_t kLongestWait = 256;
  static constexpr uint32_t kWorthwhile = 16;

  bool Ascends(Bytes key, const txn::WriteSet& own) const;
  void ForgetAbsent();

  std::string low_;   // the last row added; their memory is kept from one statement to the next
  std::string high_;  // the entry behind the gap; empty: none
  bool known_ = false;
  bool ascends_ = false;  // the key last asked about
  uint32_t rows_ = 0;     // added one behind the other since the last search
  uint32_t wait_ = kShortestWait;
  uint32_t spared_ = 0;  // look-ups, since the last search
  txn::ViewStamp stamp_;
  // The own writes when the last row had been added.
  uint64_t operations_ = 0;
  uint64_t generation_ = 0;
};

}  // namespace basalt::engine
