// SPDX-License-Identifier: GPL-2.0-only
#include "engine/full_text/phrase_match.h"

#include <algorithm>
#include <cstddef>

namespace basalt::engine {

namespace {

using codec::WordPosition;

bool StandsAt(const std::vector<WordPosition>& places, WordPosition place) {
  return std::binary_search(places.begin(), places.end(), place);
}

}  // namespace

bool StandTogether(const PhrasePlaces& places) {
  for (const WordPosition& first : places[0]) {
    size_t together = 1;
    while (together < places.size() &&
           StandsAt(places[together],
                    {first.column, first.ordinal + static_cast<uint32_t>(together)})) {
      ++together;
    }
    if (together == places.size()) return true;
  }
  return false;
}

// Looks at one place of each word, and moves the first of these places on: what it leaves behind
// cannot be nearer to the others than it was.
bool StandWithin(const PhrasePlaces& places, uint32_t distance) {
  std::vector<size_t> at(places.size(), 0);
  while (true) {
    size_t first = 0;
    WordPosition low;
    WordPosition high;
    for (size_t word = 0; word < places.size(); ++word) {
      if (at[word] == places[word].size()) return false;
      const WordPosition& place = places[word][at[word]];
      if (word == 0 || place < low) {
        low = place;
        first = word;
      }
      if (word == 0 || high < place) high = place;
    }
    if (low.column == high.column && high.ordinal - low.ordinal < distance) return true;
    ++at[first];
  }
}

}  // namespace basalt::engine
