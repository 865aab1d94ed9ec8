// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/index_words.h"

#include <utility>
#include <vector>

#include "codec/word_image.h"
#include "codec/word_rules_record.h"
#include "server/tables/collation_adapter.h"
#include "server/tables/plugin_parser.h"
#include "server/tables/stop_words.h"
#include "server/variables/full_text_variables.h"

namespace basalt::server {

namespace {

// All columns of a FULLTEXT index have one.
CHARSET_INFO* CharsetOf(const KEY& key) { return key.key_part[0].field->charset(); }

// Empty: the built-in one.
std::string ParserOf(const KEY& key) {
  if ((key.flags & HA_USES_PARSER) == 0 || key.parser == nullptr) return {};
  return plugin_decl(key.parser)->name;
}

std::unique_ptr<const codec::TextParser> NewParser(const KEY& key) {
  if (ParserOf(key).empty()) {
    return std::make_unique<codec::ScanningParser>(CharacterTypesOf(CharsetOf(key)));
  }
  return std::make_unique<PluginParser>(key.parser, CharsetOf(key));
}

}  // namespace

Status MakeWordRules(THD* thd, engine::Database* database, const KEY& key, std::string* rules) {
  codec::WordRules made(LeastWordCharacters(), MostWordCharacters());
  const codec::Collation* collation = nullptr;
  BASALT_RETURN_IF_ERROR(CollationOf(CharsetOf(key), &collation));
  std::vector<std::string> words;
  BASALT_RETURN_IF_ERROR(ReadStopWords(thd, database, CharsetOf(key), &words));
  codec::WordImages images(collation);
  for (const std::string& word : words) made.AddStopWord(images.Of(word));
  *rules = codec::EncodeWordRules(ParserOf(key), made);
  return Status::Ok();
}

Status OpenWordSource(const KEY& key, Bytes rules,
                      std::shared_ptr<const codec::WordSource>* words) {
  std::string parser;
  codec::WordRules decoded(0, 0);
  BASALT_RETURN_IF_ERROR(codec::DecodeWordRules(rules, &parser, &decoded));
  if (parser != ParserOf(key)) {
    return Status(Code::kCorruption, "the FULLTEXT index " +
                                         std::string(key.name.str, key.name.length) +
                                         " was made with another parser than its definition names");
  }
  *words = std::make_shared<const codec::WordSource>(NewParser(key), std::move(decoded));
  return Status::Ok();
}

Status RequestWords(THD* thd, engine::Database* database, const KEY& key,
                    catalog::IndexRequest* request, codec::IndexDescriptor* index) {
  if (!codec::IsFullText(*index)) return Status::Ok();
  BASALT_RETURN_IF_ERROR(MakeWordRules(thd, database, key, &request->word_rules));
  return OpenWordSource(key, request->word_rules, &index->words);
}

Status FindWordSources(const catalog::TableRecord& record, const TABLE& table,
                       codec::TableDescriptor* descriptor) {
  for (size_t i = 0; i < descriptor->indexes.size() && i < record.indexes.size(); ++i) {
    codec::IndexDescriptor& index = descriptor->indexes[i];
    if (!codec::IsFullText(index)) continue;
    BASALT_RETURN_IF_ERROR(
        OpenWordSource(table.key_info[i], record.indexes[i].word_rules, &index.words));
  }
  return Status::Ok();
}

}  // namespace basalt::server
