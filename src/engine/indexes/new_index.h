// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <rocksdb/db.h>

#include <cstddef>
#include <memory>

#include "base/bytes.h"
#include "base/index_id.h"
#include "codec/key_codec.h"

namespace basalt::engine {

// An index that is being built. The column family is borrowed.
struct NewIndex {
  size_t position = 0;  // in the table that is going to have it
  IndexId id;
  rocksdb::ColumnFamilyHandle* family = nullptr;
  std::shared_ptr<const codec::KeyCodec> codec;
  bool primary = false;      // or hidden primary: its entries are the rows
  bool unique = false;       // of a secondary index
  uint64_t ttl_seconds = 0;  // its entries expire after so long; 0: never

  // How many bytes at the beginning of the key of one of its entries no other entry may share.
  // 0: any number may.
  size_t UniqueBytes(Bytes key) const {
    if (primary) return key.size();
    if (!unique || codec->UserPartsHaveNull(key)) return 0;
    return codec->PrefixBytes(key, codec->user_parts());
  }
};

}  // namespace basalt::engine
