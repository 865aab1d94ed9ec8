// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace basalt::engine {

// Which way a scan goes through an index: along the order of its keys, or against it.
enum class Direction : uint8_t { kForward, kBackward };

}  // namespace basalt::engine
