// SPDX-License-Identifier: GPL-2.0-only
//
// Any bytes as the name of a prepared transaction: an XID that gives the same name, or no XID.
#include "server/connections/xid_name.h"
// The server's headers come first.
#include "fuzz/fuzz_input.h"

using basalt::fuzz::BytesOf;
using basalt::fuzz::FuzzInput;
using basalt::fuzz::Require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const std::vector<uint8_t> name = input.Rest();
  XID xid;
  if (!basalt::server::XidOfName(BytesOf(name), &xid)) return 0;
  Require(basalt::server::NameOfXid(xid) == std::string(BytesOf(name)), "the name of the XID");
  return 0;
}
