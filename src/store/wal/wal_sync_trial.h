// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace basalt::store {

// Finds out whether the waits of WalSyncDelay pay. No rule that looks at syncs alone can know:
// syncs that are slow because they are many get faster when there are fewer of them, and syncs that
// are slow because of somebody else's work do not. And who is waited for may itself wait for a row
// that a commit in the round has locked.
//
// So time is cut into stretches of a fifth of a second. At first every other one runs without
// waits, later one in 16; or with them, one in 32, where waits have turned out not to pay. Its
// commits a second are compared with those of the stretches around it, so that a load which grows
// or falls is no reason. What counts is the average over about eight.
//
// Thread-safety: none.
class WalSyncTrial {
 public:
  // A round has begun so many microseconds after the one before, which served so many commits.
  void AddRound(double micros, uint64_t commits);
  // Rounds until the next call have nothing to do with those before.
  void Interrupt();

  // Whether leaders wait in this stretch.
  bool waits() const { return waits_; }
  // Whether they do in most stretches.
  bool pays() const { return pays_; }

 private:
  void EndStretch(double rate);
  void Compare(double before, double odd, double after);
  void BeginStretch();

  // Of this stretch.
  double micros_ = 0, commits_ = 0;
  int rounds_ = 0;
  bool waits_ = true;

  // Logarithms of commits a microsecond: of the last stretch that ran as is the rule, and of the
  // one that did not.
  double usual_rate_ = 0, odd_rate_ = 0;
  bool has_usual_ = false, has_odd_ = false;

  bool pays_ = true;
  int stretches_ = 0;  // since the last one that ran the other way
  int compared_ = 0;
  // Logarithm of what waits gain. They have some credit, so that one bad stretch does not end them.
  double gain_ = 0.05;
};

}  // namespace basalt::store
