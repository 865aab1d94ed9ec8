// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"

namespace basalt::server {

// What the engine reads of the server's definition of a table, the contents of its .frm file:
// whose table it is and which version of its definition. Includes none of the server's headers, so
// that it can be fuzzed alone.
struct FrmHeader {
  // The engine's name as the file spells it, of a partitioned table that of its partitions. Empty
  // when the file does not say (definitions of very old servers).
  std::string engine;
  bool partitioned = false;
  // tabledef_version: 16 bytes, or empty in definitions of servers before 10.0.
  std::string identity;
};

// False for what is no definition of a table: views, damaged or cut files. Reads nothing outside of
// `image`.
bool ReadFrmHeader(Bytes image, FrmHeader* header);

// The names of the keys, in the server's order. False, and no names, when the image ends too early,
// or in a format that this server does not write. Reads nothing outside of `image`.
bool ReadFrmKeyNames(Bytes image, std::vector<std::string>* names);

}  // namespace basalt::server
