// SPDX-License-Identifier: GPL-2.0-only
#include "unit/codec/fake_collation.h"

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>

namespace basalt::test {

namespace {

using codec::CollationProperties;

// Reads one character at `at`, moves on, and appends its weights.
using WeightOf = std::function<void(const uint8_t** at, std::string* weights)>;

class FakeCollation : public codec::Collation {
 public:
  FakeCollation(CollationProperties properties, uint32_t weight_bytes, WeightOf weight)
      : Collation(std::move(properties)), weight_bytes_(weight_bytes), weight_(std::move(weight)) {}

  size_t Transform(uint8_t* to, size_t to_bytes, unsigned weights, const uint8_t* from,
                   size_t from_bytes, unsigned flags) const override {
    std::string out;
    const uint8_t* at = from;
    const unsigned levels = flags / codec::kFirstLevel;
    for (unsigned i = 0; i < weights && at < from + from_bytes; ++i) weight_(&at, &out);
    if (levels == 2) out.clear();
    if (properties().levels == 3 && levels != 1) {
      out.append(reinterpret_cast<const char*>(from), static_cast<size_t>(at - from));
    }
    const uint8_t space = ' ';
    while (flags == codec::kPadToEnd && out.size() < to_bytes) {
      const uint8_t* pad = &space;
      weight_(&pad, &out);
    }
    const size_t bytes = out.size() < to_bytes ? out.size() : to_bytes;
    std::memcpy(to, out.data(), bytes);
    return bytes;
  }

  size_t TransformLength(size_t bytes) const override {
    return bytes / properties().bytes_per_character_max * weight_bytes_;
  }

  size_t LengthWithoutTrailingSpaces(const uint8_t* from, size_t bytes) const override {
    while (bytes > 0 && from[bytes - 1] == ' ') --bytes;
    return bytes;
  }

  size_t LengthOfCharacters(const uint8_t* from, size_t bytes, size_t characters) const override {
    const uint8_t* at = from;
    std::string unused;
    while (characters-- > 0 && at < from + bytes) weight_(&at, &unused);
    return static_cast<size_t>(at - from);
  }

  size_t EncodeCharacter(uint32_t, uint8_t*, size_t) const override { return 0; }

 private:
  uint32_t weight_bytes_;
  WeightOf weight_;
};

const std::array<uint8_t, 256>& LetterWeights(bool wide_space) {
  static std::array<uint8_t, 256> plain;
  static std::array<uint8_t, 256> with_space;
  for (unsigned i = 0; i < 256; ++i) {
    plain[i] = static_cast<uint8_t>(i >= 'a' && i <= 'z' ? i - 32 : i);
    if (i >= 0xC0) plain[i] = 'A';  // a large class
    with_space[i] = i == 0xA0 ? 0x20 : plain[i];
  }
  return wide_space ? with_space : plain;
}

WeightOf OneByte(const uint8_t* table) {
  return [table](const uint8_t** at, std::string* weights) {
    weights->push_back(static_cast<char>(table != nullptr ? table[**at] : **at));
    ++*at;
  };
}

void ThreeBytes(const uint8_t** at, std::string* weights) {
  weights->append(2, '\0');
  weights->push_back(static_cast<char>(*(*at)++));
}

void CodePoint(const uint8_t** at, std::string* weights) {
  const uint8_t* c = *at;
  unsigned code_point = c[0];
  int bytes = 1;
  if (c[0] >= 0xE0) {
    code_point = (c[0] & 0x0Fu) << 12 | (c[1] & 0x3Fu) << 6 | (c[2] & 0x3Fu);
    bytes = 3;
  } else if (c[0] >= 0xC0) {
    code_point = (c[0] & 0x1Fu) << 6 | (c[1] & 0x3Fu);
    bytes = 2;
  }
  weights->push_back(static_cast<char>(code_point >> 8));
  weights->push_back(static_cast<char>(code_point));
  *at += bytes;
}

// 'z' weighs like "SS", all others like themselves.
void Expanding(const uint8_t** at, std::string* weights) {
  const uint8_t c = *(*at)++;
  if (c == 'z') weights->push_back('S');
  weights->push_back(c == 'z' ? 'S' : static_cast<char>(c));
}

std::unique_ptr<FakeCollation> Make(const std::string& name) {
  CollationProperties properties;
  properties.name = name;
  properties.id = 2000;
  if (name == "latin1_bin") {
    properties.id = codec::kCollationLatin1Bin;
    properties.binary_order = true;
    return std::make_unique<FakeCollation>(properties, 1, OneByte(nullptr));
  }
  if (name == "letters_ci" || name == "spaces_ci" || name == "letters_nopad_ci") {
    properties.pad_space = name != "letters_nopad_ci";
    properties.sort_order = LetterWeights(name == "spaces_ci").data();
    return std::make_unique<FakeCollation>(properties, 1, OneByte(properties.sort_order));
  }
  if (name == "latin2_bin" || name == "latin2_nopad_bin") {
    properties.binary_order = true;
    properties.pad_space = name == "latin2_bin";
    return std::make_unique<FakeCollation>(properties, 1, OneByte(nullptr));
  }
  if (name == "expanding_ci") {
    properties.transform_multiplier = 2;
    return std::make_unique<FakeCollation>(properties, 2, Expanding);
  }
  if (name == "utf8mb3_bin") {
    properties.id = codec::kCollationUtf8mb3Bin;
    properties.character_set = "utf8mb3";
    properties.binary_order = true;
    properties.bytes_per_character_max = 3;
    return std::make_unique<FakeCollation>(properties, 2, CodePoint);
  }
  if (name == "three_byte") {
    properties.id = codec::kCollationUtf8mb4Bin;
    properties.bytes_per_character_max = 4;
    return std::make_unique<FakeCollation>(properties, 3, ThreeBytes);
  }
  if (name == "two_level" || name == "two_level_nopad") {
    properties.levels = 3;
    properties.transform_multiplier = 2;
    properties.pad_space = name == "two_level";
    return std::make_unique<FakeCollation>(properties, 2, OneByte(LetterWeights(false).data()));
  }
  return nullptr;
}

}  // namespace

const codec::Collation* FakeCollationByName(const std::string& name) {
  static std::map<std::string, std::unique_ptr<FakeCollation>> known;
  std::unique_ptr<FakeCollation>& collation = known[name];
  if (collation == nullptr) {
    collation = Make(name);
    if (collation == nullptr) return nullptr;
    const Status status = collation->Prepare();
    if (!status.ok()) throw std::runtime_error(status.ToString());
  }
  return collation.get();
}

}  // namespace basalt::test
