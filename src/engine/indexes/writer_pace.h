// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <chrono>
#include <cstdint>

namespace basalt::engine {

// How long writers have to pause for each change, so that the one thread that applies changes to a
// new index catches up with them. Not at all, nearly always.
//
// Each pass applies what was written during the one before it. When writers leave it less than a
// fifth of its time, passes hardly become shorter, and the build might never end: then the pause
// doubles. It stays until a pass is short: what comes then waits for transactions to end, and they
// are not to be held up. One thread.
class WriterPace {
 public:
  static constexpr std::chrono::microseconds kFirst{50};
  static constexpr std::chrono::microseconds kLongest{2000};
  // Passes that are as short as this need not become shorter.
  static constexpr std::chrono::milliseconds kShortPass{20};

  // A pass has taken so long. The pause for each change from now on.
  std::chrono::microseconds AfterPass(std::chrono::microseconds took);

 private:
  std::chrono::microseconds last_{0};  // the pass before; 0: there is none
  std::chrono::microseconds pause_{0};
};

}  // namespace basalt::engine
