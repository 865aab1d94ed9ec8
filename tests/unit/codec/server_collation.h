// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

// Server headers come after the standard ones: they define macros. Their order matters, too.
// clang-format off
#include <my_global.h>
#include <my_sys.h>
#include <m_ctype.h>
// clang-format on

#include "codec/collation.h"

namespace basalt::test {

// A collation of the embedded server, for tests that must give the server's bytes.
class ServerCollation : public codec::Collation {
 public:
  explicit ServerCollation(CHARSET_INFO* charset)
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

  // How SQL orders two values.
  int Compare(const std::string& a, const std::string& b) const {
    return charset_->coll->strnncollsp(charset_, reinterpret_cast<const uchar*>(a.data()), a.size(),
                                       reinterpret_cast<const uchar*>(b.data()), b.size());
  }

  CHARSET_INFO* charset() const { return charset_; }

 private:
  static codec::CollationProperties PropertiesOf(CHARSET_INFO* charset) {
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

  CHARSET_INFO* charset_;
};

// The embedded server's collation of that name, prepared; null when it does not know it. Stays
// until the end of the process.
inline const ServerCollation* ServerCollationByName(const std::string& name) {
  static std::map<std::string, std::unique_ptr<ServerCollation>> known;
  static std::string directory;
  if (directory.empty()) {
    // The descriptions of 8-bit collations lie beside the library: .../lib/ARCH/libmariadbd.so.
    Dl_info library;
    if (dladdr(reinterpret_cast<void*>(&get_charset_by_name), &library) == 0) {
      throw std::runtime_error("the embedded server library was not found");
    }
    directory = library.dli_fname;
    for (int i = 0; i < 3; ++i) directory.resize(directory.rfind('/'));
    directory += "/share/mysql/charsets/";
    my_init();
    charsets_dir = directory.c_str();
  }
  std::unique_ptr<ServerCollation>& collation = known[name];
  if (collation == nullptr) {
    CHARSET_INFO* charset = get_charset_by_name(name.c_str(), MYF(0));
    if (charset == nullptr) return nullptr;
    collation = std::make_unique<ServerCollation>(charset);
    const Status status = collation->Prepare();
    if (!status.ok()) throw std::runtime_error(status.ToString());
  }
  return collation.get();
}

}  // namespace basalt::test
