// SPDX-License-Identifier: GPL-2.0-only
#include "codec/word_rules_record.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/byte_reader.h"

namespace basalt::codec {

namespace {

constexpr uint16_t kVersion = 1;

Status BadRules(const std::string& what) {
  return Status(Code::kCorruption, "the rules of a FULLTEXT index: " + what);
}

void AppendRun(Bytes bytes, std::string* to) {
  AppendBigEndian32(to, static_cast<uint32_t>(bytes.size()));
  to->append(bytes);
}

}  // namespace

std::string EncodeWordRules(Bytes parser, const WordRules& rules) {
  std::string bytes;
  AppendBigEndian16(&bytes, kVersion);
  AppendBigEndian32(&bytes, static_cast<uint32_t>(rules.least()));
  AppendBigEndian32(&bytes, static_cast<uint32_t>(rules.most()));
  AppendRun(parser, &bytes);
  AppendBigEndian32(&bytes, static_cast<uint32_t>(rules.stop_words().size()));
  std::vector<Bytes> images(rules.stop_words().begin(), rules.stop_words().end());
  std::sort(images.begin(), images.end());
  for (const Bytes image : images) AppendRun(image, &bytes);
  return bytes;
}

Status DecodeWordRules(Bytes bytes, std::string* parser, WordRules* rules) {
  ByteReader reader(bytes);
  const uint16_t version = reader.Read16();
  if (reader.failed()) return BadRules("they are cut off");
  if (version != kVersion) return BadRules("version " + std::to_string(version) + " is not known");
  const uint32_t least = reader.Read32();
  const uint32_t most = reader.Read32();
  *rules = WordRules(least, most);
  parser->assign(reader.ReadBytes(reader.Read32()));
  const uint32_t count = reader.Read32();
  Bytes last;
  for (uint32_t i = 0; i < count && !reader.failed(); ++i) {
    const Bytes image = reader.ReadBytes(reader.Read32());
    if (!reader.failed() && image <= last) return BadRules("stop words are empty or out of order");
    rules->AddStopWord(std::string(image));
    last = image;
  }
  if (reader.failed()) return BadRules("they are cut off");
  return reader.AtEnd() ? Status::Ok() : BadRules("bytes are left over");
}

}  // namespace basalt::codec
