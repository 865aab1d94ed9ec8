// SPDX-License-Identifier: GPL-2.0-only

// Torn ends of the write-ahead log.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "store/wal/wal_repair.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteAll(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

// A log as RocksDB writes it: small records and ones that go over several blocks.
std::string MakeLog(const std::string& directory, std::vector<size_t>* ends) {
  rocksdb::Options options;
  options.create_if_missing = true;
  std::unique_ptr<rocksdb::DB> db;
  EXPECT_TRUE(rocksdb::DB::Open(options, directory, &db).ok());
  const auto log = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().extension() == ".log") return entry.path().string();
    }
    return std::string();
  }();
  for (int i = 0; i < 12; ++i) {
    const std::string value(i % 4 == 3 ? 70000 : 100 * i, 'v');
    EXPECT_TRUE(db->Put(rocksdb::WriteOptions(), "key" + std::to_string(i), value).ok());
    ends->push_back(std::filesystem::file_size(log));
  }
  return ReadAll(log);
}

TEST(WalRepairTest, MeasuresWholeRecordsAtEveryCut) {
  test::TemporaryDirectory directory;
  std::vector<size_t> ends;
  const std::string log = MakeLog(directory.path(), &ends);
  EXPECT_EQ(MeasureWal(log).whole, log.size());
  EXPECT_EQ(MeasureWal("").whole, 0u);
  for (size_t cut = 1; cut < log.size(); cut += cut < 4000 ? 1 : 97) {
    const WalExtent extent = MeasureWal(std::string_view(log).substr(0, cut));
    const auto next = std::upper_bound(ends.begin(), ends.end(), cut);
    const size_t expected = next == ends.begin() ? 0 : *(next - 1);
    // The filling at the end of a block may count or not.
    EXPECT_GE(extent.whole, expected) << cut;
    EXPECT_LE(extent.whole, expected + 6) << cut;
    EXPECT_FALSE(extent.more_behind) << cut;
  }
}

TEST(WalRepairTest, SpaceMadeReadyIsNoTornEnd) {
  test::TemporaryDirectory directory;
  std::vector<size_t> ends;
  const std::string log = MakeLog(directory.path(), &ends);
  for (const size_t end : ends) {
    for (const size_t zeros : {1, 6, 7, 4000, 70000}) {
      const std::string content = log.substr(0, end) + std::string(zeros, '\0');
      EXPECT_EQ(MeasureWal(content).whole, content.size()) << end << " + " << zeros;
    }
  }
}

TEST(WalRepairTest, ZerosBehindAPieceAreATornEnd) {
  test::TemporaryDirectory directory;
  std::vector<size_t> ends;
  const std::string log = MakeLog(directory.path(), &ends);
  for (size_t cut = ends[2] + 1; cut < ends[3]; cut += 501) {
    const std::string content = log.substr(0, cut) + std::string(70000, '\0');
    const WalExtent extent = MeasureWal(content);
    EXPECT_GE(extent.whole, ends[2]) << cut;
    EXPECT_LE(extent.whole, ends[2] + 6) << cut;
    EXPECT_FALSE(extent.more_behind) << cut;
  }
}

TEST(WalRepairTest, ZerosInFrontOfRecordsAreAHole) {
  test::TemporaryDirectory directory;
  std::vector<size_t> ends;
  std::string log = MakeLog(directory.path(), &ends);
  std::fill(log.begin() + ends[1], log.begin() + ends[2], '\0');
  const WalExtent extent = MeasureWal(log);
  EXPECT_EQ(extent.whole, ends[1]);
  EXPECT_TRUE(extent.more_behind);
}

TEST(WalRepairTest, AHoleIsNoTornEnd) {
  test::TemporaryDirectory directory;
  std::vector<size_t> ends;
  std::string log = MakeLog(directory.path(), &ends);
  log[ends[1] + 20] ^= 1;
  const WalExtent extent = MeasureWal(log);
  EXPECT_EQ(extent.whole, ends[1]);
  EXPECT_TRUE(extent.more_behind);
}

// Everything in one block, whichever byte of a record is damaged: its checksum, length, kind, rows.
TEST(WalRepairTest, AHoleInTheLastBlockIsNoTornEnd) {
  test::TemporaryDirectory directory;
  std::vector<size_t> ends;
  const std::string log = MakeLog(directory.path(), &ends).substr(0, ends[2]);
  for (size_t at = ends[0]; at < ends[1]; ++at) {
    std::string damaged = log;
    damaged[at] ^= 0x40;
    const WalExtent extent = MeasureWal(damaged);
    EXPECT_EQ(extent.whole, ends[0]) << at;
    EXPECT_TRUE(extent.more_behind) << at;
  }
  std::string damaged = log;
  damaged[ends[1] + 20] ^= 1;
  EXPECT_EQ(MeasureWal(damaged).whole, ends[1]);
  EXPECT_FALSE(MeasureWal(damaged).more_behind) << "the last record: a torn end looks the same";
}

class CutTornLogsTest : public ::testing::Test {
 protected:
  CutTornLogsTest() {
    test::TemporaryDirectory source;
    whole_ = MakeLog(source.path(), &ends_);
    torn_ = whole_.substr(0, whole_.size() - 5);
    options_.directory = directory_.path();
  }
  Status Cut(const std::vector<uint64_t>& first_logs) {
    TornWalFiles torn;
    Status status = FindTornWalFiles(options_, first_logs, &torn);
    if (status.ok()) status = CutTornWalFiles(options_, torn);
    return status;
  }
  std::string Path(int number) { return directory_ / ("00000" + std::to_string(number) + ".log"); }

  test::TemporaryDirectory directory_;
  std::vector<size_t> ends_;
  std::string whole_, torn_;
  StoreOptions options_;
};

TEST_F(CutTornLogsTest, OfThisCrashWithWhatLiesBehind) {
  WriteAll(Path(4), whole_);
  WriteAll(Path(5), torn_);
  WriteAll(Path(6), whole_);
  ASSERT_TRUE(Cut({4, 5}).ok());
  EXPECT_EQ(ReadAll(Path(4)), whole_);
  EXPECT_EQ(ReadAll(Path(5)), whole_.substr(0, ends_[ends_.size() - 2]));
  EXPECT_EQ(ReadAll(Path(6)), "");
}

TEST_F(CutTornLogsTest, SpaceMadeReadyStaysAndSoDoesWhatLiesBehind) {
  const std::string ready = whole_ + std::string(200000, '\0');
  WriteAll(Path(5), ready);
  WriteAll(Path(6), ready);
  ASSERT_TRUE(Cut({4, 5}).ok());
  EXPECT_EQ(ReadAll(Path(5)), ready);
  EXPECT_EQ(ReadAll(Path(6)), ready);
}

TEST_F(CutTornLogsTest, OfAnEarlierCrashAlone) {
  WriteAll(Path(5), torn_);
  WriteAll(Path(6), whole_);
  ASSERT_TRUE(Cut({6, 7}).ok());
  EXPECT_EQ(ReadAll(Path(5)), whole_.substr(0, ends_[ends_.size() - 2]));
  EXPECT_EQ(ReadAll(Path(6)), whole_) << "written since, and acknowledged";
}

TEST_F(CutTornLogsTest, LeavesWhatIsNotClear) {
  WriteAll(Path(5), torn_);
  WriteAll(Path(6), whole_);
  ASSERT_TRUE(Cut({5, 6}).ok());
  EXPECT_EQ(ReadAll(Path(5)), torn_);
  EXPECT_EQ(ReadAll(Path(6)), whole_);
}

TEST_F(CutTornLogsTest, KeepsWhatLiesBehindAHole) {
  std::string hole = whole_;
  hole[ends_[1] + 20] ^= 1;
  WriteAll(Path(5), hole);
  WriteAll(Path(6), whole_);
  ASSERT_TRUE(Cut({6, 7}).ok()) << "an earlier start has gone past it";
  EXPECT_EQ(ReadAll(Path(5)), hole);
  ASSERT_TRUE(Cut({5, 5}).ok());
  EXPECT_EQ(ReadAll(Path(5)), whole_.substr(0, ends_[1]));
  EXPECT_EQ(ReadAll(Path(6)), "");
  const std::string suffix(kDamagedSuffix);
  EXPECT_EQ(ReadAll(Path(5) + suffix), hole);
  EXPECT_EQ(ReadAll(Path(6) + suffix), whole_);
}

}  // namespace
}  // namespace basalt::store
