// SPDX-License-Identifier: GPL-2.0-only
#include "engine/table_statistics.h"

#include <memory>
#include <string>
#include <vector>

#include "unit/engine/engine_fixture.h"

namespace basalt::engine {
namespace {

class TableStatisticsTest : public EngineFixture {
 protected:
  static constexpr int32_t kRows = 18000;

  void SetUp() override {
    block_cache_bytes_ = 512u << 20;  // memtables of 64 MB: nothing is flushed by itself
    Open();
  }

  // Another table each time, so that RocksDB draws the heights of its entries anew.
  void CreateFullTable(const std::string& name) {
    std::vector<catalog::IndexRequest> requests;
    for (const codec::IndexDescriptor& index : Descriptor(false).indexes) {
      catalog::IndexRequest request;
      request.kind = static_cast<catalog::IndexKind>(index.kind);
      requests.push_back(request);
    }
    codec::TableDescriptor descriptor = Descriptor(false);
    descriptor.name = name;
    std::shared_ptr<const catalog::TableRecord> record;
    ASSERT_TRUE(database_->catalog()->CreateTable(name, requests, 0, &record).ok());
    ASSERT_EQ(Table::Open(database_.get(), descriptor, {}, &table_).ToString(), "ok");
    access_ = std::make_unique<RowAccess>(table_);
    transaction_ = database_->transactions()->NewTransaction();
    Begin();
    for (int32_t id = 0; id < kRows; ++id) ASSERT_TRUE(Insert(RowWith(id)).ok());
    Commit();
    ASSERT_TRUE(database_->store()->flushes().Flush().ok());
  }
  static Row RowWith(int32_t id) { return {id, false, id, "row " + std::to_string(id)}; }

  std::string PrefixIn(size_t index, int32_t number) const {
    std::vector<uint8_t> key(table_->max_key_bytes());
    const codec::KeyCodec& codec = *table_->index(index).codec;
    return std::string(
        MakeBytes(key.data(), codec.EncodePrefix(Record(RowWith(number)).data(), 1, key.data())));
  }
  void Delete(int32_t id) {
    std::vector<uint8_t> record(kRecordBytes);
    ASSERT_TRUE(access_->reader().Read(PrefixIn(0, id), record.data()).ok());
    ASSERT_TRUE(access_->writer().Delete(record.data()).ok());
  }
  // All but the first entry, so that it is a range.
  uint64_t EstimateOf(size_t index) {
    Begin();
    const uint64_t estimate =
        access_->EstimateRange(index, PrefixIn(index, 1), PrefixIn(index, kRows));
    Commit();
    return estimate;
  }
};

// Of three rows in files memory takes two away: an error of a third in what memory holds makes the
// estimate wrong by two thirds. The bounds are six standard deviations away; when a single look at
// the skip list told what memory holds, 14 of 360 estimates were outside.
TEST_F(TableStatisticsTest, DeletionsInMemoryAreEstimatedWell) {
  constexpr uint64_t kLeft = kRows / 3;
  for (const char* name : {"d.a", "d.b", "d.c", "d.d", "d.e", "d.f"}) {
    CreateFullTable(name);
    Begin();
    for (int32_t id = 0; id < kRows; ++id) {
      if (id % 3 != 0) Delete(id);
    }
    Commit();
    for (const bool analyzed : {false, true}) {
      if (analyzed) {
        ASSERT_TRUE(table_->statistics().Refresh().ok());
      }
      for (const size_t index : {size_t{0}, by_k()}) {
        const uint64_t estimate = EstimateOf(index);
        EXPECT_GE(estimate, kLeft / 2) << name << ", index " << index << " " << analyzed;
        EXPECT_LE(estimate, kLeft * 2) << name << ", index " << index << " " << analyzed;
      }
    }
  }
}

}  // namespace
}  // namespace basalt::engine
