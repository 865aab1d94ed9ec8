// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <string>

#include "engine/full_text/word_weights.h"
#include "server/server_headers.h"

namespace basalt::server {

// Which words a FULLTEXT index has that is made now, and how its rows rank. Those with a THD are
// the connection's; only its thread may ask.

// rocksdb_ft_min_token_size and rocksdb_ft_max_token_size, in characters.
size_t LeastWordCharacters();
size_t MostWordCharacters();
// rocksdb_ft_enable_stopword.
bool LeavesOutStopWords(THD* thd);
// rocksdb_ft_user_stopword_table, or rocksdb_ft_server_stopword_table: "database/table", as a user
// writes it. Empty: the words that are built in.
std::string StopWordTable(THD* thd);

// rocksdb_ft_rank: by which formula the connection's searches rank rows.
engine::RankFormula RankFormulaOf(THD* thd);

}  // namespace basalt::server
