// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace basalt::codec {

// How strings of a collation are laid out in keys, see docs/format/key.md, "Collation classes".
enum class CollationClass : uint8_t {
  kBinary,      // id 63: bytes compare as bytes, the end of the value counts
  kExact,       // latin1_bin, utf8mb3_bin: the key alone gives the value back
  kSimple,      // one byte in, one weight byte out: the key and a few bits give the value back
  kOther,       // one level of weights, the value cannot be recovered from the key
  kMultiLevel,  // several levels of weights one after another; likewise not recoverable
};

// Flags of Collation::Transform. The adapter translates them into the server's own.
enum TransformFlags : unsigned {
  kNoPadding = 0,  // weights of the given bytes, nothing more
  kPadToEnd = 1,   // as if followed by spaces, until the output is full
  kAllLevels = 0,
  kFirstLevel = 2,  // only the weights of the first level; of level n: kFirstLevel << n
};

// Most levels of weights a collation can have.
inline constexpr unsigned kMostLevels = 6;

// What the weights of a collation say about the characters.
enum class WeightCode : uint8_t {
  kLossy,       // several characters can have the same weights
  kBytes,       // they are the characters' bytes
  kCodePoint2,  // they are code points of 2 bytes, of 3 bytes
  kCodePoint3,
};

// How version 14 lays out strings of a collation (docs/format/key.md, "Version 14").
enum class OrderLayout : uint8_t {
  kAsBefore,           // as the versions before: binary, exact, simple
  kBytes,              // chunks of the characters' bytes
  kChunks,             // chunks of weights
  kSegments,           // padded segments, level after level
  kChunkThenSegments,  // NO PAD with several levels: chunks of the first, segments of the others
};

// What a server collation says about itself. The border fills it in; everything that the format
// derives from it is computed here, once, so that tests and server agree.
struct CollationProperties {
  uint32_t id = 0;  // the number in INFORMATION_SCHEMA.COLLATIONS
  std::string name;
  std::string character_set;  // its name, for example "utf8mb4"
  uint32_t bytes_per_character_min = 1;
  uint32_t bytes_per_character_max = 1;  // mbmaxlen
  uint32_t transform_multiplier = 1;     // strxfrm_multiply
  uint32_t levels = 1;                   // levels_for_order: bit n stands for level n
  bool binary_order = false;             // a "_bin" collation
  bool pad_space = true;                 // false: NO PAD, trailing spaces are significant
  std::string space = " ";               // a space in the character set (UCS-2: two bytes)
  const uint8_t* sort_order = nullptr;   // weight of each byte, 256 entries, or null
};

// For a simple collation: which of the bytes that share a weight a value really had. All bytes
// with the same weight form a class, numbered in ascending byte order; the number is written with
// `bits` bits beside the key. See docs/format/key.md, "Disambiguation bits".
struct WeightClasses {
  std::array<uint8_t, 256> bits_of_byte{};    // how many bits byte b needs, 0..8
  std::array<uint8_t, 256> index_of_byte{};   // its number within its class
  std::array<uint8_t, 256> bits_of_weight{};  // how many bits the class of weight w has
  // All bytes, class by class; the class of weight w starts at first_member[w].
  std::array<uint8_t, 256> members{};
  std::array<uint16_t, 256> members_of_weight{};
  std::array<uint16_t, 256> first_member{};
  bool one_to_one = false;  // no class has two members: no bits at all
  uint8_t max_bits = 0;
};

// What a padded segment holds and is filled up with.
struct SegmentShape {
  // A multiple of every possible length of a weight.
  static constexpr size_t kSpacesBytes = 36;

  uint32_t payload = 8;      // weight bytes in a segment; a marker byte comes on top
  uint32_t space_bytes = 1;  // of the weight of a space
  // That weight, repeated: valid for the whole array. A padding that starts at a multiple of
  // space_bytes reads from its start.
  std::array<uint8_t, kSpacesBytes> spaces{};
};

// A collation as the codec needs it. The server's implementation forwards the virtual
// functions to the server's own; tests forward to the embedded server's or to simple ones.
//
// An object is built with its properties, completed by Prepare() and immutable from then on: any
// number of threads may use it. It must outlive every descriptor and codec that points to it.
class Collation {
 public:
  virtual ~Collation() = default;

  // Writes the weights of the first characters of `from` to `to` and returns how many bytes it
  // wrote, at most `to_bytes`. No more than `weights` weights (for most collations: characters)
  // are produced. With kPadToEnd it writes exactly `to_bytes`. This is the server's strnxfrm().
  virtual size_t Transform(uint8_t* to, size_t to_bytes, unsigned weights, const uint8_t* from,
                           size_t from_bytes, unsigned flags) const = 0;

  // Most bytes the weights of a value of `bytes` bytes can take (the server's strnxfrmlen()).
  // For CHAR this is the exact length of the key image.
  virtual size_t TransformLength(size_t bytes) const = 0;

  // Length of `from` without trailing spaces (the server's lengthsp()).
  virtual size_t LengthWithoutTrailingSpaces(const uint8_t* from, size_t bytes) const = 0;

  // Bytes of the first `characters` characters of `from`; `bytes` when it has fewer.
  virtual size_t LengthOfCharacters(const uint8_t* from, size_t bytes, size_t characters) const = 0;

  // The character in the character set; the number of its bytes, 0 when there is no room or no such
  // character.
  virtual size_t EncodeCharacter(uint32_t code_point, uint8_t* to, size_t room) const = 0;

  // Derives class, space weights and weight classes. Call once, before any other use. Fails with
  // kNotSupported when a space has no weight, or one that does not fit the segments of the format.
  Status Prepare();

  const CollationProperties& properties() const { return properties_; }
  CollationClass kind() const { return kind_; }
  bool has_levels() const { return levels_.size() > 1; }
  WeightCode weight_code() const { return weight_code_; }

  // A simple collation in which another character sorts like a space.
  bool space_is_ambiguous() const {
    return weight_classes_ != nullptr && weight_classes_->bits_of_byte[' '] != 0;
  }

  // --- Version 14 ---
  OrderLayout order_layout() const { return order_layout_; }
  // False in the collations that compare spaces at the end like other characters, or whose
  // transformation moves characters there.
  bool cuts_spaces() const { return cuts_spaces_; }
  // True when the server's comparison of values that are not CHAR ends at a weight of zero.
  bool ends_at_zero() const { return ends_at_zero_; }
  // False when the server compares otherwise than the transformation sorts.
  bool transforms_as_it_compares() const { return !compares_codes_; }
  // The levels by which values are ordered (see kFirstLevel). One for most.
  const std::vector<uint8_t>& levels() const { return levels_; }
  // All weights of the characters on the level of that position in levels(): Transform, but as the
  // server compares. `to` has room for OrderRoom bytes of the longest value.
  size_t OrderWeights(size_t level, uint8_t* to, size_t to_bytes, const uint8_t* from,
                      size_t from_bytes) const;
  // Most bytes that the weights of one level of so many bytes can have.
  size_t OrderRoom(size_t bytes) const;
  const SegmentShape& order_shape(size_t level) const { return order_shapes_[level]; }

  // --- The versions before: one level. A NO PAD collation need not have a shape: space_bytes is 0
  // then. ---
  const SegmentShape& shape() const { return shape_; }
  // Bytes of a space in the character set itself.
  uint32_t space_bytes() const { return static_cast<uint32_t>(properties_.space.size()); }

  // Only for kSimple; otherwise null.
  const WeightClasses* weight_classes() const { return weight_classes_.get(); }

 protected:
  explicit Collation(CollationProperties properties) : properties_(std::move(properties)) {}
  Collation(const Collation&) = delete;
  Collation& operator=(const Collation&) = delete;

 private:
  Status MakeShape(const uint8_t* weight, size_t bytes, SegmentShape* shape) const;
  Status PrepareOrder();
  Status MakeOrderShapes(size_t from_level);
  size_t WeighCodes(uint8_t* to, size_t to_bytes, const uint8_t* from, size_t from_bytes) const;

  CollationProperties properties_;
  CollationClass kind_ = CollationClass::kOther;
  WeightCode weight_code_ = WeightCode::kLossy;
  OrderLayout order_layout_ = OrderLayout::kAsBefore;
  bool cuts_spaces_ = true;
  bool compares_codes_ = false;
  bool ends_at_zero_ = false;
  SegmentShape shape_;
  std::vector<uint8_t> levels_;
  std::vector<SegmentShape> order_shapes_;  // one a level
  std::unique_ptr<WeightClasses> weight_classes_;
};

// Ids the format treats by name.
inline constexpr uint32_t kCollationBig5ChineseCi = 1;
inline constexpr uint32_t kCollationLatin2CzechCs = 2;
inline constexpr uint32_t kCollationTis620ThaiCi = 18;
inline constexpr uint32_t kCollationTis620ThaiNopadCi = 1042;
inline constexpr uint32_t kCollationCp1250CzechCs = 34;
inline constexpr uint32_t kCollationUtf8mb4Bin = 46;
inline constexpr uint32_t kCollationLatin1Bin = 47;
inline constexpr uint32_t kCollationUtf16Bin = 55;
inline constexpr uint32_t kCollationUtf32Bin = 61;
inline constexpr uint32_t kCollationUtf16leBin = 62;
inline constexpr uint32_t kCollationBinary = 63;
inline constexpr uint32_t kCollationUtf8mb3Bin = 83;
inline constexpr uint32_t kCollationBig5ChineseNopadCi = 1025;

// The class a collation with these properties belongs to. Pure.
CollationClass ClassOf(const CollationProperties& properties);

}  // namespace basalt::codec
