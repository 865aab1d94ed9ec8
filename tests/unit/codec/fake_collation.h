// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "codec/collation.h"

namespace basalt::test {

// Collations without a server, one for each class of the format. Names: "latin1_bin", "utf8mb3_bin"
// (valid UTF-8 of the basic plane only), "letters_ci" (simple: a = A), "spaces_ci" (simple, and
// byte a0 sorts like a space), "latin2_bin" (other: weights are bytes), "three_byte" (other:
// weights of 3 bytes, id of utf8mb4_bin), "expanding_ci" (other: z weighs like SS), "two_level"
// (multi-level: letters, then bytes), and NO PAD: "latin2_nopad_bin", "letters_nopad_ci",
// "two_level_nopad". Null for any other name.
const codec::Collation* FakeCollationByName(const std::string& name);

}  // namespace basalt::test
