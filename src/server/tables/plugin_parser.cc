// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/plugin_parser.h"

#include <climits>
#include <string>

#include "server/tables/collation_adapter.h"

namespace basalt::server {

struct PluginParser::Call {
  const PluginParser* parser;
  codec::WordSink* sink;
};

PluginParser::PluginParser(plugin_ref plugin, CHARSET_INFO* charset)
    : plugin_(my_plugin_lock(nullptr, plugin)),
      charset_(charset),
      characters_(CharacterTypesOf(charset)) {}

PluginParser::~PluginParser() { plugin_unlock(nullptr, plugin_); }

Status PluginParser::Parse(Bytes text, codec::WordSink* sink) const {
  if (text.size() > INT_MAX) {
    return Status(Code::kNotSupported, "a text of 2 GiB in a FULLTEXT index with a parser plugin");
  }
  const auto* parser = static_cast<const st_mysql_ftparser*>(plugin_decl(plugin_)->info);
  Call call{this, sink};
  MYSQL_FTPARSER_PARAM parameter{};
  parameter.mysql_parse = &TakeText;
  parameter.mysql_add_word = &TakeWord;
  parameter.mysql_ftparam = &call;
  parameter.cs = charset_;
  parameter.doc = text.data();
  parameter.length = static_cast<int>(text.size());
  parameter.mode = MYSQL_FTPARSER_WITH_STOPWORDS;
  bool failed = parser->init != nullptr && parser->init(&parameter) != 0;
  if (!failed) {
    failed = parser->parse(&parameter) != 0;
    if (parser->deinit != nullptr) parser->deinit(&parameter);
  }
  if (!failed) return Status::Ok();
  return Status(Code::kInternal,
                std::string("the full-text parser ") + plugin_decl(plugin_)->name + " has failed");
}

// What the plugin has taken out of a text goes through the server's own parser, word by word back
// to the plugin, if it wants to see them.
int PluginParser::TakeText(MYSQL_FTPARSER_PARAM* parameter, const char* text, int bytes) {
  const Call& call = *static_cast<const Call*>(parameter->mysql_ftparam);
  codec::WordScanner scanner(call.parser->characters_, Bytes(text, static_cast<size_t>(bytes)));
  codec::ScannedWord word;
  while (scanner.Next(&word)) {
    const int taken = parameter->mysql_add_word(parameter, word.bytes.data(),
                                                static_cast<int>(word.bytes.size()), nullptr);
    if (taken != 0) return taken;
  }
  return 0;
}

int PluginParser::TakeWord(MYSQL_FTPARSER_PARAM* parameter, const char* word, int bytes,
                           MYSQL_FTPARSER_BOOLEAN_INFO*) {
  const Call& call = *static_cast<const Call*>(parameter->mysql_ftparam);
  if (bytes <= 0) return 0;
  codec::ScannedWord scanned;
  scanned.bytes = Bytes(word, static_cast<size_t>(bytes));
  scanned.characters = call.parser->charset_->numchars(word, word + bytes);
  call.sink->AddWord(scanned);
  return 0;
}

}  // namespace basalt::server
