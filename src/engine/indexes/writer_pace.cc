// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/writer_pace.h"

#include <algorithm>

namespace basalt::engine {

std::chrono::microseconds WriterPace::AfterPass(std::chrono::microseconds took) {
  const bool shrinks = last_.count() == 0 || took * 5 < last_ * 4;
  if (took <= kShortPass) {
    pause_ = {};
  } else if (!shrinks) {
    pause_ = std::clamp(pause_ * 2, kFirst, kLongest);
  }
  last_ = took;
  return pause_;
}

}  // namespace basalt::engine
