// SPDX-License-Identifier: GPL-2.0-only
#include "server/handler/readable_parts.h"

#include "server/tables/table_descriptor_builder.h"

namespace basalt::server {

bool ReadableParts::Has(const TABLE_SHARE& share, uint index, uint part, uint16_t version) {
  static_assert(MAX_REF_PARTS <= 32);
  if (keys_.size() < share.keys) keys_.resize(share.keys);
  Known& known = keys_[index];
  if (known.version != version) known = {version, 0, 0};
  const uint32_t bit = uint32_t{1} << part;
  if ((known.asked & bit) == 0) {
    known.asked |= bit;
    if (IndexGivesColumnBack(share, share.key_info[index], part, version)) known.readable |= bit;
  }
  return (known.readable & bit) != 0;
}

}  // namespace basalt::server
