// SPDX-License-Identifier: GPL-2.0-only
#include "engine/full_text/kept_postings.h"

namespace basalt::engine {

void KeptPostings::Add(Bytes document, Bytes positions) {
  postings_.push_back({bytes_.size(), static_cast<uint32_t>(document.size()),
                       static_cast<uint32_t>(positions.size())});
  bytes_.append(document).append(positions);
}

}  // namespace basalt::engine
