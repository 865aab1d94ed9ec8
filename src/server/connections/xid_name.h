// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include "base/bytes.h"
#include "server/server_headers.h"

namespace basalt::server {

// The name of a prepared transaction in the log: format id (8 bytes, big-endian), length of the
// global and of the branch part (1 byte each), the parts. See docs/format/wal.md.
std::string NameOfXid(const XID& xid);

// The reverse; false when the bytes are no such name.
[[nodiscard]] bool XidOfName(Bytes name, XID* xid);

}  // namespace basalt::server
