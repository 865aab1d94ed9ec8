// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <vector>

#include "codec/posting.h"

namespace basalt::engine {

// Where the words of a phrase stand in one row: a list for each word of the phrase, in its order.
// The places of a list ascend.
using PhrasePlaces = std::vector<std::vector<codec::WordPosition>>;

// Do the words stand one after the other, in one column?
bool StandTogether(const PhrasePlaces& places);

// Is there a run of at most `distance` words in one column that has all of them, in any order?
bool StandWithin(const PhrasePlaces& places, uint32_t distance);

}  // namespace basalt::engine
