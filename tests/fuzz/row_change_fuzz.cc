// SPDX-License-Identifier: GPL-2.0-only
//
// Changes of rows, as writers log them while an index is built. Any bytes as one: what is accepted
// comes back as the same bytes, and nothing outside of them is read. And a change that the input
// makes up: it comes back, and cut off or longer it is none.
#include "codec/row_change.h"

#include <string>

#include "fuzz/fuzz_input.h"

using basalt::Bytes;
using basalt::codec::DecodeRowChange;
using basalt::codec::EncodeRowChange;
using basalt::codec::RowChange;
using basalt::fuzz::BytesOf;
using basalt::fuzz::FuzzInput;
using basalt::fuzz::Require;

namespace {

constexpr size_t kLongestPart = 300;

std::string Encoded(const RowChange& change) {
  std::string bytes;
  EncodeRowChange(change, &bytes);
  return bytes;
}

bool Decode(const std::vector<uint8_t>& block, RowChange* change) {
  return DecodeRowChange(BytesOf(block), change).ok();
}

// Reads each byte of it, for the sanitizer.
void RequireSameBytes(const RowChange& change, Bytes bytes) {
  Require(change.before.exists || change.after.exists, "one of the rows exists");
  Require(Encoded(change) == bytes, "a change comes back");
}

void ReadAny(const std::vector<uint8_t>& block) {
  RowChange change;
  if (Decode(block, &change)) RequireSameBytes(change, BytesOf(block));
}

void ReadMadeUp(FuzzInput* input) {
  const uint8_t kind = input->Byte();
  const std::vector<uint8_t> parts[] = {input->Block(kLongestPart), input->Block(kLongestPart),
                                        input->Block(kLongestPart), input->Block(kLongestPart)};
  RowChange change;
  if (kind % 3 != 1) change.before = {true, BytesOf(parts[0]), BytesOf(parts[1])};
  if (kind % 3 != 0) change.after = {true, BytesOf(parts[2]), BytesOf(parts[3])};
  const std::string bytes = Encoded(change);
  std::vector<uint8_t> block(bytes.begin(), bytes.end());
  block.shrink_to_fit();
  RowChange decoded;
  Require(Decode(block, &decoded), "what was encoded is a change");
  RequireSameBytes(decoded, bytes);
  Require(decoded.before.key == change.before.key && decoded.after.value == change.after.value,
          "its parts come back");
  std::vector<uint8_t> shorter(block.begin(), block.begin() + input->Number() % block.size());
  shorter.shrink_to_fit();
  Require(!Decode(shorter, &decoded), "a beginning is no change");
  block.push_back(input->Byte());
  Require(!Decode(block, &decoded), "a longer one is no change");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  if (input.Byte() % 2 == 0) {
    ReadAny(input.Rest());
  } else {
    ReadMadeUp(&input);
  }
  return 0;
}
