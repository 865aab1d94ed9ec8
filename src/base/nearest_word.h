// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace basalt {

// The word that somebody means perhaps who has typed another one: of `words`, which it may differ
// from in at most `tolerated` characters (capital letters do not count), the nearest, and of
// several the first by the alphabet. Empty when none is near. Any thread.
std::string NearestWord(std::string_view typed, const std::vector<std::string>& words,
                        size_t tolerated);

// How many wrong characters a name of this length is taken to have at most.
inline size_t ToleratedInName(std::string_view typed) { return 1 + typed.size() / 3; }

}  // namespace basalt
