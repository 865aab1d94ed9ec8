// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <vector>

#include "server/server_headers.h"

namespace basalt::server {

// Which parts of a table's keys an entry of the index gives back as columns, remembered: the
// optimizer asks again and again, and the answer takes hundreds of instructions.
//
// One thread. For one definition of a table.
class ReadableParts {
 public:
  // IndexGivesColumnBack() for part number `part` of key number `index`. `version` is the index's
  // format, which TRUNCATE may change.
  bool Has(const TABLE_SHARE& share, uint index, uint part, uint16_t version);

 private:
  // Of one key. Bit n stands for its n-th part.
  struct Known {
    uint16_t version = 0;
    uint32_t asked = 0;
    uint32_t readable = 0;
  };

  std::vector<Known> keys_;
};

}  // namespace basalt::server
