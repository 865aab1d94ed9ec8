// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

#include <rocksdb/env.h>

namespace basalt::store {

// A file in the store's directory that does nothing but take a megabyte, so that there is something
// to throw overboard: opening a store needs a little space (a manifest, the options), and one that
// was filled to the last byte could not even be read otherwise.
//
// Not thread-safe.
class Ballast {
 public:
  static constexpr const char* kName = "basalt.ballast";

  // `env` must outlive the object.
  Ballast(rocksdb::Env* env, std::string directory);

  // Makes the file if it is missing and fits twice. What does not work now is tried at the next
  // call; no error, for nothing depends on it.
  void Load();
  // Removes it. False when there was none.
  bool Drop();

 private:
  rocksdb::Env* const env_;
  const std::string directory_, path_;
  bool loaded_ = false;
};

}  // namespace basalt::store
