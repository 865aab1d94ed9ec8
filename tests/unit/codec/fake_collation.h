// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "codec/collation.h"

namespace basalt::test {

// Collations without a server, one for each class of the format. Names: "latin1_bin", "utf8mb3_bin"
// (valid UTF-8 of the basic plane only), "letters_ci" (simple: a = A), "spaces_ci" (simple, and
// byte a0 sorts like a space), "three_byte" (other: weights of 3 bytes, id of utf8mb4_bin),
// "two_level" (multi-level: letters, then bytes). Null for any other name.
const codec::Collation* FakeCollationByName(const std::string& name);

}  // namespace basalt::test
