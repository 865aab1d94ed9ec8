// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "base/status.h"
#include "codec/collation.h"
#include "codec/word_scanner.h"
#include "server/server_headers.h"

namespace basalt::server {

// The codec's view of a server collation. Made at first use, kept until ForgetCollations; the
// same object for every table that uses the collation. kNotSupported when keys cannot be built
// with it. Any thread.
Status CollationOf(CHARSET_INFO* charset, const codec::Collation** collation);

// What the characters of its texts are, for FULLTEXT indexes; kept likewise. Any thread.
const codec::CharacterTypes* CharacterTypesOf(CHARSET_INFO* charset);

// Frees them all, when the plugin goes and no table is open any more.
void ForgetCollations();

}  // namespace basalt::server
