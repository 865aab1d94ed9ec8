// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>

namespace basalt::store {

// The bytes that are to stay free on the file system of `directory`: `wanted`, but at most a
// twentieth of its size. `wanted` when the size cannot be told.
uint64_t ReserveOn(const std::string& directory, uint64_t wanted);

// A reserve file in the store's directory. It only takes space, and is removed when the store must
// open on a full disk: an opening writes a manifest and, as SST files, what the log holds. Without
// the reserve, a store whose disk is full to the last byte could not even be read.
//
// Not thread-safe.
class Ballast {
 public:
  static constexpr const char* kName = "basalt.ballast";

  // It takes 1 / `share` of the reserve `wanted` (see ReserveOn); with no reserve there is none.
  Ballast(const std::string& directory, uint64_t wanted, uint64_t share);

  // Makes the file if it is missing and there is space to spare: twice the reserve. What does not
  // work now is tried at the next call; no error, for nothing else depends on it.
  void Ensure();
  // Removes it. False when there was none.
  bool Remove();

 private:
  const std::string directory_, path_;
  const uint64_t wanted_, share_;
  bool loaded_ = false;
};

}  // namespace basalt::store
