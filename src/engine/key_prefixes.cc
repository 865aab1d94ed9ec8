// SPDX-License-Identifier: GPL-2.0-only
#include "engine/key_prefixes.h"

namespace basalt::engine {

void KeyPrefixes::Register(IndexId index, std::shared_ptr<const codec::KeyCodec> codec) {
  WriterLock lock(mutex_);
  codecs_[index] = std::move(codec);
}

void KeyPrefixes::Unregister(IndexId index) {
  WriterLock lock(mutex_);
  codecs_.erase(index);
}

std::shared_ptr<const codec::KeyCodec> KeyPrefixes::Find(IndexId index) const {
  ReaderLock lock(mutex_);
  const auto found = codecs_.find(index);
  return found == codecs_.end() ? nullptr : found->second;
}

size_t KeyPrefixes::Parts(IndexId index) {
  const auto codec = Find(index);
  return codec == nullptr ? 0 : codec->total_parts();
}

size_t KeyPrefixes::PrefixBytes(IndexId index, Bytes key, size_t parts) {
  const auto codec = Find(index);
  const size_t bytes = codec == nullptr ? 0 : codec->PrefixBytes(key, static_cast<unsigned>(parts));
  return bytes == 0 ? key.size() : bytes;
}

}  // namespace basalt::engine
