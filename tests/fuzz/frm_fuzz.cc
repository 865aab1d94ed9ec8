// SPDX-License-Identifier: GPL-2.0-only
//
// Any bytes as a .frm file: what is read of it lies inside of it.
#include "fuzz/fuzz_input.h"
#include "server/tables/frm_header.h"

using basalt::fuzz::BytesOf;
using basalt::fuzz::FuzzInput;
using basalt::fuzz::Require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const std::vector<uint8_t> image = input.Rest();
  std::vector<std::string> keys;
  if (basalt::server::ReadFrmKeyNames(BytesOf(image), &keys)) {
    const std::string whole(BytesOf(image));
    for (const std::string& key : keys) {
      Require(whole.find(key) != std::string::npos, "the key's name is in the file");
    }
  } else {
    Require(keys.empty(), "no names of an image that cannot be read");
  }
  basalt::server::FrmHeader header;
  if (!basalt::server::ReadFrmHeader(BytesOf(image), &header)) return 0;
  const std::string text(BytesOf(image));
  Require(text.find(header.engine) != std::string::npos, "the engine's name is in the file");
  Require(text.find(header.identity) != std::string::npos, "the identity is in the file");
  return 0;
}
