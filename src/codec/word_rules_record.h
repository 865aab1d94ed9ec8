// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/status.h"
#include "codec/word_rules.h"

namespace basalt::codec {

// The rules of a FULLTEXT index as bytes (docs/format/full-text.md, "Rules"): the end of the
// dictionary's record of the index, catalog::IndexRecord::word_rules. Pure functions.
//
// When an index is made, the border encodes the rules that the statement and the variables ask for
// into IndexRequest::word_rules. When a table is opened, it decodes them from the IndexRecord of
// each FULLTEXT index, finds the parser by its name, and hands both to Table::Open as
// IndexDescriptor::words. So an index keeps what it was made with, whatever the variables say now.

// `parser`: the plugin's name, empty for the server's own words. Neither it nor an image may have
// 2^32 bytes or more.
std::string EncodeWordRules(Bytes parser, const WordRules& rules);

// Takes any bytes. kCorruption, with what is wrong, unless EncodeWordRules makes them; then the
// results have something undefined.
Status DecodeWordRules(Bytes bytes, std::string* parser, WordRules* rules);

}  // namespace basalt::codec
