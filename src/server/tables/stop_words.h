// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "engine/database.h"
#include "server/server_headers.h"

namespace basalt::server {

// The words that a FULLTEXT index is made without, in the character set of its columns: those that
// are built in, or those of the table that the variables name. None where they say so.
//
// kInvalidArgument when that table is not there, or has no column `value` of type VARCHAR;
// kLockTimeout while another statement changes its definition. What is committed is read. The
// connection's thread only.
Status ReadStopWords(THD* thd, engine::Database* database, CHARSET_INFO* charset,
                     std::vector<std::string>* words);

}  // namespace basalt::server
