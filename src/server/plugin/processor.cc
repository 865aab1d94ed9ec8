// SPDX-License-Identifier: GPL-2.0-only
#include "server/plugin/processor.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace basalt::server {

#if defined(__aarch64__)
// ARM Cortex-A53 and later have them.
const char* MissingInstructions() {
  return (::getauxval(AT_HWCAP) & HWCAP_CRC32) == 0 ? "CRC32" : nullptr;
}
#else
// Intel has them since 2013, AMD since 2017.
const char* MissingInstructions() {
  if (!__builtin_cpu_supports("avx2")) return "AVX2";
  if (!__builtin_cpu_supports("bmi2")) return "BMI2";
  if (!__builtin_cpu_supports("fma")) return "FMA";
  return nullptr;
}
#endif

}  // namespace basalt::server
