// SPDX-License-Identifier: GPL-2.0-only
#include "server/tables/collation_adapter.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/mutex.h"

namespace basalt::server {

namespace {

codec::CollationProperties PropertiesOf(CHARSET_INFO* charset) {
  codec::CollationProperties properties;
  properties.id = charset->number;
  properties.name = charset->coll_name.str;
  properties.character_set = charset->cs_name.str;
  properties.bytes_per_character_min = charset->mbminlen;
  properties.bytes_per_character_max = charset->mbmaxlen;
  properties.transform_multiplier = charset->strxfrm_multiply;
  properties.levels = charset->levels_for_order;
  properties.binary_order = (charset->state & MY_CS_BINSORT) != 0;
  properties.pad_space = (charset->state & MY_CS_NOPAD) == 0;
  properties.sort_order = charset->sort_order;
  uchar space[8];
  const int bytes = charset->wc_mb(' ', space, space + sizeof(space));
  properties.space.assign(reinterpret_cast<char*>(space), bytes > 0 ? bytes : 0);
  return properties;
}

class CollationAdapter final : public codec::Collation {
 public:
  explicit CollationAdapter(CHARSET_INFO* charset)
      : Collation(PropertiesOf(charset)), charset_(charset) {}

  size_t Transform(uint8_t* to, size_t to_bytes, unsigned weights, const uint8_t* from,
                   size_t from_bytes, unsigned flags) const override {
    const unsigned padding =
        (flags & codec::kPadToEnd) != 0 ? MY_STRXFRM_PAD_WITH_SPACE | MY_STRXFRM_PAD_TO_MAXLEN : 0;
    const unsigned levels = flags / codec::kFirstLevel * MY_STRXFRM_LEVEL1;
    return charset_->strnxfrm(reinterpret_cast<char*>(to), to_bytes, weights,
                              reinterpret_cast<const char*>(from), from_bytes, padding | levels);
  }

  size_t EncodeCharacter(uint32_t code_point, uint8_t* to, size_t room) const override {
    const int bytes = charset_->wc_mb(code_point, to, to + room);
    return bytes > 0 ? static_cast<size_t>(bytes) : 0;
  }

  size_t TransformLength(size_t bytes) const override { return charset_->strnxfrmlen(bytes); }

  size_t LengthWithoutTrailingSpaces(const uint8_t* from, size_t bytes) const override {
    return charset_->lengthsp(reinterpret_cast<const char*>(from), bytes);
  }

  size_t LengthOfCharacters(const uint8_t* from, size_t bytes, size_t characters) const override {
    if (bytes == 0) return 0;
    return std::min(bytes, charset_->charpos(from, from + bytes, characters));
  }

 private:
  CHARSET_INFO* const charset_;  // the server's, never freed while it runs
};

class CharacterAdapter final : public codec::CharacterTypes {
 public:
  explicit CharacterAdapter(CHARSET_INFO* charset) : charset_(charset) {
    for (size_t value = 0; value < std::size(kinds_); ++value) {
      const auto byte = static_cast<uchar>(value);
      bool is_letter_or_digit = false;
      if (Ask(&byte, &byte + 1, &is_letter_or_digit) != 1) continue;
      kinds_[value] = is_letter_or_digit ? Kind::kLetterOrDigit : Kind::kOther;
    }
  }

  // Texts are read a character at a time, and most characters are one byte.
  size_t Read(Bytes text, bool* is_letter_or_digit) const override {
    const auto* from = reinterpret_cast<const uchar*>(text.data());
    const Kind kind = kinds_[*from];
    if (kind != Kind::kUnknown) {
      *is_letter_or_digit = kind == Kind::kLetterOrDigit;
      return 1;
    }
    const int bytes = Ask(from, from + text.size(), is_letter_or_digit);
    return bytes <= 0 ? 1 : std::min(text.size(), static_cast<size_t>(bytes));
  }

 private:
  enum class Kind : uint8_t { kUnknown, kOther, kLetterOrDigit };

  // The server tells how far it has looked: less than nothing where the text is cut off.
  int Ask(const uchar* from, const uchar* end, bool* is_letter_or_digit) const {
    int type = 0;
    const int bytes = charset_->ctype(&type, from, end);
    *is_letter_or_digit = bytes > 0 && (type & (_MY_U | _MY_L | _MY_NMR)) != 0;
    return bytes;
  }

  CHARSET_INFO* const charset_;  // the server's
  // Of bytes that are a whole character, whatever follows them.
  Kind kinds_[256] = {};
};

struct Registry {
  Mutex mutex;
  std::map<uint32_t, std::unique_ptr<CharacterAdapter>> characters BASALT_GUARDED_BY(mutex);
  std::map<uint32_t, std::unique_ptr<CollationAdapter>> collations BASALT_GUARDED_BY(mutex);
};

Registry& TheRegistry() {
  static Registry registry;
  return registry;
}

}  // namespace

Status CollationOf(CHARSET_INFO* charset, const codec::Collation** collation) {
  Registry& registry = TheRegistry();
  MutexLock lock(registry.mutex);
  auto& known = registry.collations[charset->number];
  if (known == nullptr) {
    auto made = std::make_unique<CollationAdapter>(charset);
    BASALT_RETURN_IF_ERROR(made->Prepare());
    known = std::move(made);
  }
  *collation = known.get();
  return Status::Ok();
}

const codec::CharacterTypes* CharacterTypesOf(CHARSET_INFO* charset) {
  Registry& registry = TheRegistry();
  MutexLock lock(registry.mutex);
  auto& known = registry.characters[charset->number];
  if (known == nullptr) known = std::make_unique<CharacterAdapter>(charset);
  return known.get();
}

void ForgetCollations() {
  Registry& registry = TheRegistry();
  MutexLock lock(registry.mutex);
  registry.characters.clear();
  registry.collations.clear();
}

}  // namespace basalt::server
