// SPDX-License-Identifier: GPL-2.0-only
//
// BASALT_ASSERT checks a numbered invariant at run time, in builds with a sanitizer only:
//
//   BASALT_ASSERT(!Waits(log), "B2: no sync of a log succeeds while bytes of it wait");
//
// The text begins with the invariant's number, as the header states it. When the condition is false
// the text and the place go to the standard error and the process ends, so that the test fails
// there and not at some later consequence. Elsewhere, and always in the plugin that is released,
// the condition is compiled but never evaluated: nothing there may take the server down. So a
// condition must have no side effect. It may be asked by any thread, with the locks that it reads
// under.
#pragma once

// A unit test of this header defines BASALT_ASSERTIONS by itself.
#if defined(BASALT_SANITIZED) && !defined(BASALT_ASSERTIONS)
#define BASALT_ASSERTIONS
#endif

#if defined(BASALT_ASSERTIONS)

#include <cstdio>
#include <cstdlib>

namespace basalt {

// Ends the process. The only place in src/ that does (tools/rules/layers.py).
[[noreturn]] inline void InvariantBroken(const char* text, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: invariant broken: %s\n", file, line, text);
  std::abort();
}

}  // namespace basalt

#define BASALT_ASSERT(condition, text) \
  ((condition) ? static_cast<void>(0) : ::basalt::InvariantBroken(text, __FILE__, __LINE__))

#else

#define BASALT_ASSERT(condition, text) static_cast<void>(sizeof(!(condition)))

#endif
