// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "codec/text_parser.h"
#include "codec/word_scanner.h"
#include "server/server_headers.h"

namespace basalt::server {

// A parser plugin of the server (WITH PARSER), asked for all words of a text. The plugin cannot be
// unloaded meanwhile. Any number of threads, as far as the plugin allows it: the server promises it
// to plugins for the parsers of its own engines, too.
class PluginParser final : public codec::TextParser {
 public:
  // Takes a reference to the plugin. Texts are of this character set.
  PluginParser(plugin_ref plugin, CHARSET_INFO* charset);
  ~PluginParser() override;

  // kInternal when the plugin says that it has failed; kNotSupported for a text of 2 GiB and more.
  Status Parse(Bytes text, codec::WordSink* sink) const override;

 private:
  struct Call;

  static int TakeText(MYSQL_FTPARSER_PARAM* parameter, const char* text, int bytes);
  static int TakeWord(MYSQL_FTPARSER_PARAM* parameter, const char* word, int bytes,
                      MYSQL_FTPARSER_BOOLEAN_INFO* info);

  const plugin_ref plugin_;
  CHARSET_INFO* const charset_;
  const codec::CharacterTypes* const characters_;
};

}  // namespace basalt::server
