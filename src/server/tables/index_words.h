// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/status.h"
#include "catalog/table_record.h"
#include "codec/table_descriptor.h"
#include "codec/word_source.h"
#include "engine/database.h"
#include "server/server_headers.h"

namespace basalt::server {

// How texts become the words of a FULLTEXT index: the rules that it was made with, which the
// dictionary keeps (codec/word_rules_record.h), and the parser that its definition names.

// The rules of a FULLTEXT index that is made now, as the variables ask for them, for
// IndexRequest::word_rules. Errors as of ReadStopWords. The connection's thread only.
Status MakeWordRules(THD* thd, engine::Database* database, const KEY& key, std::string* rules);

// kCorruption when the rules are malformed, or of another parser than the definition's.
Status OpenWordSource(const KEY& key, Bytes rules, std::shared_ptr<const codec::WordSource>* words);

// Both for an index that is going to be built over rows: the rules for the dictionary, the words
// for the build. Does nothing for an index of another kind.
Status RequestWords(THD* thd, engine::Database* database, const KEY& key,
                    catalog::IndexRequest* request, codec::IndexDescriptor* index);

// Fills in the words of all FULLTEXT indexes of a table that is about to be opened. A record of
// other indexes is not this function's affair.
Status FindWordSources(const catalog::TableRecord& record, const TABLE& table,
                       codec::TableDescriptor* descriptor);

}  // namespace basalt::server
