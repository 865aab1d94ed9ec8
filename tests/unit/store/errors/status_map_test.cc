// SPDX-License-Identifier: GPL-2.0-only
#include "store/errors/status_map.h"

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

TEST(MapStatus, DamageIsCountedWhereItIsMet) {
  const uint64_t before = CorruptionErrors();
  (void)MapStatus(Status::OK());
  (void)MapStatus(Status::IOError("x"));
  (void)MapStatus(Status(Status::Corruption("x"), Status::kUnrecoverableError));  // a write, later
  CountIfCorruption(Status::NotFound());
  EXPECT_EQ(CorruptionErrors(), before);
  (void)MapStatus(Status::Corruption("x"), "reading");
  EXPECT_EQ(CorruptionErrors(), before + 1);
  CountIfCorruption(Status(Status::Corruption("x"), Status::kUnrecoverableError));
  EXPECT_EQ(CorruptionErrors(), before + 2);
}

TEST(MapStatus, TheMessageSaysWhatWasDone) {
  const basalt::Status status = MapStatus(Status::IOError("disk"), "reading t");
  EXPECT_THAT(std::string(status.message()), ::testing::StartsWith("reading t: "));
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("disk"));
}

TEST(MapStatus, TheMessageBeginsWithThePlaceInAFile) {
  const auto text = [](const std::string& of_rocksdb) {
    return std::string(MapStatus(Status::Corruption(of_rocksdb), "reading").message());
  };
  EXPECT_EQ(
      text("block checksum mismatch: stored = 1 in /a long/#rocksdb/000123.sst offset 47 size 9"),
      "reading: 000123.sst, offset 47: Corruption: block checksum mismatch: stored = 1 in "
      "/a long/#rocksdb/000123.sst offset 47 size 9");
  EXPECT_EQ(text("truncated block read from 7.sst offset 8"),
            "reading: 7.sst, offset 8: Corruption: truncated block read from 7.sst offset 8");
  EXPECT_EQ(text("bad entry"), "reading: Corruption: bad entry");
}

TEST(MapStatus, AFailedOptionsFileIsToldApart) {
  EXPECT_TRUE(OnlyOptionsFileFailed(Status::IOError("Unable to persist options.", "No space")));
  EXPECT_FALSE(OnlyOptionsFileFailed(Status::IOError("No space")));
  EXPECT_FALSE(OnlyOptionsFileFailed(Status::OK()));
}

}  // namespace
}  // namespace basalt::store
