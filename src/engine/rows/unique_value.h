// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <string>

namespace basalt::engine {

// What no two rows of a table may have in common: the value of a unique index in one row. The
// strings are its own.
//
// Invariants of the checks (tests name them):
//  U1  Of those who add a value one goes on at a time, until its transaction ends.
//  U2  A write fails because of a row only when that row stays: it is the writer's own, or nobody
//      who has it locked may take the value away any more. Until then the write waits.
//  U3  Whoever waits for such a row holds no lock of the value it wants: its owner may write the
//      value again.
struct UniqueValue {
  size_t index;        // position in Table
  std::string prefix;  // entries of the rows that have it begin like this
  // Empty where the prefix decides. Else, because equal values differ in their bytes or different
  // ones do not, what a row with that prefix must agree in besides.
  std::string image;
};

}  // namespace basalt::engine
