// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <memory>
#include <unordered_map>

#include "base/index_id.h"
#include "base/mutex.h"
#include "codec/key_codec.h"
#include "store/statistics/key_prefix_provider.h"

namespace basalt::engine {

// Lends the codecs of open tables to the store, which counts distinct key prefixes with them while
// it writes files. A codec stays known after its table was closed: flushes come later.
//
// Thread-safety: any thread.
class KeyPrefixes final : public store::KeyPrefixProvider {
 public:
  void Register(IndexId index, std::shared_ptr<const codec::KeyCodec> codec);
  void Unregister(IndexId index);

  size_t Parts(IndexId index) override;
  size_t PrefixBytes(IndexId index, Bytes key, size_t parts) override;

 private:
  std::shared_ptr<const codec::KeyCodec> Find(IndexId index) const;

  mutable SharedMutex mutex_;
  std::unordered_map<IndexId, std::shared_ptr<const codec::KeyCodec>> codecs_
      BASALT_GUARDED_BY(mutex_);
};

}  // namespace basalt::engine
