// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

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
};

// What a server collation says about itself. The border fills it in; everything that the format
// derives from it is computed here, once, so that tests and server agree.
struct CollationProperties {
  uint32_t id = 0;  // the number in INFORMATION_SCHEMA.COLLATIONS
  std::string name;
  uint32_t bytes_per_character_min = 1;
  uint32_t bytes_per_character_max = 1;  // mbmaxlen
  uint32_t transform_multiplier = 1;     // strxfrm_multiply
  uint32_t levels = 1;                   // levels_for_order
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

  // Derives class, space weight and weight classes. Call once, before any other use. Fails with
  // kNotSupported when a space has no weight, or one that does not fit the segments of the format.
  Status Prepare();

  const CollationProperties& properties() const { return properties_; }
  CollationClass kind() const { return kind_; }

  // Weight bytes in a segment of a space-padded VARCHAR (a marker byte comes on top): 9 for the
  // collations with weights of 3 bytes, 8 for all others.
  uint32_t segment_payload() const { return segment_payload_; }

  // The weight of a space, repeated: valid for the whole array. A padding that starts at a
  // multiple of space_weight_bytes() reads from its start.
  const uint8_t* space_weights() const { return space_weights_.data(); }
  uint32_t space_weight_bytes() const { return space_weight_bytes_; }
  // Bytes of a space in the character set itself.
  uint32_t space_bytes() const { return static_cast<uint32_t>(properties_.space.size()); }

  // Only for kSimple; otherwise null.
  const WeightClasses* weight_classes() const { return weight_classes_.get(); }

  // A multiple of every possible length of a weight.
  static constexpr size_t kSpaceWeightsBytes = 36;

 protected:
  explicit Collation(CollationProperties properties) : properties_(std::move(properties)) {}
  Collation(const Collation&) = delete;
  Collation& operator=(const Collation&) = delete;

 private:
  CollationProperties properties_;
  CollationClass kind_ = CollationClass::kOther;
  uint32_t segment_payload_ = 8;
  uint32_t space_weight_bytes_ = 1;
  std::array<uint8_t, kSpaceWeightsBytes> space_weights_{};
  std::unique_ptr<WeightClasses> weight_classes_;
};

// Ids the format treats by name.
inline constexpr uint32_t kCollationUtf8mb4Bin = 46;
inline constexpr uint32_t kCollationLatin1Bin = 47;
inline constexpr uint32_t kCollationUtf16Bin = 55;
inline constexpr uint32_t kCollationUtf32Bin = 61;
inline constexpr uint32_t kCollationUtf16leBin = 62;
inline constexpr uint32_t kCollationBinary = 63;
inline constexpr uint32_t kCollationUtf8mb3Bin = 83;

// The class a collation with these properties belongs to. Pure.
CollationClass ClassOf(const CollationProperties& properties);

}  // namespace basalt::codec
