// SPDX-License-Identifier: GPL-2.0-only
#include "store/status_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basalt::store {
namespace {

using rocksdb::Status;

struct Case {
  Status from;
  Code to;
};

TEST(MapStatus, EveryKindHasItsCode) {
  const Case cases[] = {
      {Status::OK(), Code::kOk},
      {Status::NotFound(), Code::kNotFound},
      {Status::Corruption("x"), Code::kCorruption},
      {Status(Status::Corruption("x"), Status::kUnrecoverableError), Code::kReadOnly},
      {Status::NotSupported("x"), Code::kNotSupported},
      {Status::InvalidArgument("x"), Code::kInvalidArgument},
      {Status::IOError("x"), Code::kIoError},
      {Status::NoSpace(), Code::kNoSpace},
      {Status::SpaceLimit(), Code::kNoSpace},
      {Status(Status::IOError("x"), Status::kHardError), Code::kReadOnly},
      {Status(Status::NoSpace(), Status::kHardError), Code::kNoSpace},
      {Status::Incomplete(Status::kManualCompactionPaused), Code::kInterrupted},
      {Status::ShutdownInProgress(), Code::kReadOnly},
      {Status::TimedOut(Status::kLockTimeout), Code::kLockTimeout},
      {Status::Busy(), Code::kLockBusy},
      {Status::Busy(Status::kDeadlock), Code::kDeadlock},
      {Status::TryAgain(), Code::kSnapshotConflict},
      {Status::MemoryLimit(), Code::kOutOfMemory},
      {Status::Aborted(), Code::kInternal},
  };
  for (const Case& c : cases) EXPECT_EQ(MapStatus(c.from).code(), c.to) << c.from.ToString();
}

TEST(MapStatus, TheMessageSaysWhatWasDone) {
  const basalt::Status status = MapStatus(Status::IOError("disk"), "reading t");
  EXPECT_THAT(std::string(status.message()), ::testing::StartsWith("reading t: "));
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("disk"));
}

}  // namespace
}  // namespace basalt::store
