// SPDX-License-Identifier: GPL-2.0-only
//
// Entries of FULLTEXT indexes and texts for them. Any bytes as key and value: nothing is read
// outside of them, and what is accepted comes back as the same bytes; so are rules. Any text as a
// row: its words ascend, and their places are those that the text has. Any text as a query: a tree
// or an error.
#include <deque>
#include <string>

#include "codec/document_words.h"
#include "codec/posting.h"
#include "codec/posting_block.h"
#include "codec/word_image.h"
#include "codec/word_rules_record.h"
#include "engine/full_text/query_parser.h"
#include "fuzz/fuzz_input.h"
#include "unit/codec/ascii_characters.h"
#include "unit/codec/fake_collation.h"

using basalt::Bytes;
using basalt::MakeBytes;
using basalt::codec::Collation;
using basalt::codec::CountPositions;
using basalt::codec::DecodeDocumentValue;
using basalt::codec::DocumentValue;
using basalt::codec::DocumentWords;
using basalt::codec::PositionReader;
using basalt::codec::PositionWriter;
using basalt::codec::PostingBlockReader;
using basalt::codec::PostingBlockWriter;
using basalt::codec::PostingKey;
using basalt::codec::PostingKind;
using basalt::codec::ScanningParser;
using basalt::codec::WordBeginning;
using basalt::codec::WordImageBytes;
using basalt::codec::WordImages;
using basalt::codec::WordPosition;
using basalt::codec::WordRules;
using basalt::engine::QueryNode;
using basalt::engine::QueryParser;
using basalt::engine::QueryWords;
using basalt::fuzz::BytesOf;
using basalt::fuzz::FuzzInput;
using basalt::fuzz::Require;

namespace {

constexpr size_t kLongest = 300;

const Collation* CollationOf(uint8_t choice) {
  constexpr const char* kNames[] = {"letters_ci", "latin2_bin", "two_level", "letters_nopad_ci"};
  return basalt::test::FakeCollationByName(kNames[choice % std::size(kNames)]);
}

void ReadKey(const Collation* collation, Bytes key) {
  PostingKey posting;
  if (!DecodePostingKey(key, collation->levels().size(), &posting)) return;
  std::string again;
  AppendPostingHead(basalt::LoadBigEndian32(key.data()), posting.kind, &again);
  again.append(posting.word).append(posting.document);
  Require(again == key, "a key comes back");
  const bool of_row =
      posting.kind == PostingKind::kDocument || posting.kind == PostingKind::kSuperseded;
  Require(posting.word.empty() == of_row, "a word has an image");
}

void ReadValue(Bytes value) {
  PositionReader reader(value);
  std::string again;
  PositionWriter writer(&again);
  WordPosition position;
  uint64_t places = 0;
  for (; reader.Next(&position); ++places) writer.Add(position);
  Require(reader.failed() || again == value, "places come back");
  Require(CountPositions(value) == (reader.failed() ? 0 : places), "they are counted");
  DocumentValue document;
  if (!DecodeDocumentValue(value, &document)) return;
  again.clear();
  AppendDocumentValue(document, &again);
  Require(again == value, "a length comes back");
}

// The same postings have one form that the writer makes, and perhaps others.
void ReadBlock(Bytes value, Bytes last) {
  PostingBlockReader reader(value, last);
  PostingBlockWriter writer;
  std::deque<std::string> documents{""};  // the writer borrows them
  while (reader.Next()) {
    Require(documents.back() < reader.document(), "documents ascend");
    documents.emplace_back(reader.document());
    if (!reader.positions().empty()) writer.Add(documents.back(), reader.positions());
  }
  if (reader.failed()) return;
  Require(documents.back() == last, "the last document is the last");
  std::string again;
  writer.Finish(&again);
  Require(again.size() <= value.size(), "the writer's form is the shortest");
}

void ReadRules(Bytes bytes) {
  std::string parser;
  WordRules rules(0, 0);
  if (!DecodeWordRules(bytes, &parser, &rules).ok()) return;
  Require(EncodeWordRules(parser, rules) == bytes, "rules come back");
}

void ReadText(const Collation* collation, Bytes text) {
  const basalt::test::AsciiCharacters characters;
  const ScanningParser parser(&characters);
  const WordRules rules(2, 20);
  DocumentWords words(&parser, &rules, collation, DocumentWords::Which::kOfIndex);
  words.Begin();
  Require(words.AddColumn(text.substr(0, text.size() / 2)).ok(), "texts have words");
  Require(words.AddColumn(text.substr(text.size() / 2)).ok(), "texts have words");
  words.Finish();
  uint64_t places = 0;
  WordImages images(collation);
  const WordBeginning any("", &images);
  for (size_t i = 0; i < words.size(); ++i) {
    Require(i == 0 || words.image(i - 1) < words.image(i), "words ascend");
    Require(WordImageBytes(words.image(i), collation->levels().size()) == words.image(i).size(),
            "images are whole");
    Require(any.Matches(words.image(i)), "each word begins with nothing");
    Require(words.Find(words.image(i)) == words.positions(i), "words are found");
    places += CountPositions(words.positions(i));
  }
  Require(places == words.length(), "places add up");
}

void ReadQuery(const Collation* collation, Bytes text) {
  const basalt::test::AsciiCharacters characters;
  const ScanningParser parser(&characters);
  const WordRules rules(2, 20);
  QueryWords words(&parser, &rules, collation);
  QueryParser queries(&characters, &words);
  QueryNode root;
  (void)queries.ParseBoolean(text, &root).ok();
  QueryNode natural;
  Require(queries.ParseNatural(text, &natural).ok(), "a natural query has no syntax");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const uint8_t kind = input.Byte();
  const Collation* collation = CollationOf(input.Byte());
  if (kind % 3 == 0) {
    const std::vector<uint8_t> key = input.Block(kLongest);
    ReadKey(collation, BytesOf(key));
    const std::vector<uint8_t> value = input.Rest();
    ReadValue(BytesOf(value));
    ReadBlock(BytesOf(value), BytesOf(key));
    ReadRules(BytesOf(value));
  } else if (kind % 3 == 1) {
    ReadText(collation, BytesOf(input.Rest()));
  } else {
    ReadQuery(collation, BytesOf(input.Rest()));
  }
  return 0;
}
