// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>

namespace basalt::store {

// The bytes that are to stay free on the file system of `directory`: `wanted`, but at most a
// twentieth of its size. `wanted` when the size cannot be told.
uint64_t ReserveOn(const std::string& directory, uint64_t wanted);

// A file in the store's directory that does nothing but take space, so that there is something to
// throw overboard: opening a store writes a manifest and what the log holds, as table files. One
// whose disk was filled to the last byte could not even be read otherwise.
//
// Not thread-safe.
class Ballast {
 public:
  static constexpr const char* kName = "basalt.ballast";

  // It takes 1 / `share` of the reserve `wanted` (see ReserveOn); with no reserve there is none.
  Ballast(const std::string& directory, uint64_t wanted, uint64_t share);

  // Makes the file if it is missing and there is space to spare: twice the reserve. What does not
  // work now is tried at the next call; no error, for nothing else depends on it.
  void Load();
  // Removes it. False when there was none.
  bool Drop();

 private:
  const std::string directory_, path_;
  const uint64_t wanted_, share_;
  bool loaded_ = false;
};

}  // namespace basalt::store
