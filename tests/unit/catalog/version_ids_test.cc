// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/version_ids.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "catalog/dictionary_records.h"
#include "unit/catalog/open_catalog.h"

namespace basalt::catalog {
namespace {

using VersionIdsTest = CatalogFixture;

const std::string& Key() {
  static const std::string key = TypeKey(RecordType::kVersionIds);
  return key;
}

uint64_t Take(VersionIds* ids) {
  uint64_t id = 0;
  const Status taken = ids->Take(&id);
  EXPECT_TRUE(taken.ok()) << taken.ToString();
  return id;
}

TEST_F(VersionIdsTest, GrowAlsoAcrossRestarts) {
  EXPECT_EQ(System(Key()), "absent");
  uint64_t last = 0;
  for (int start = 0; start < 3; ++start) {
    VersionIds ids(store_.get());
    for (int i = 0; i < 10000; ++i) {
      const uint64_t id = Take(&ids);
      ASSERT_GT(id, last);
      last = id;
    }
    uint64_t next = 0;
    ASSERT_TRUE(DecodeVersionIds(Key(), System(Key()), &next).ok());
    EXPECT_GT(next, last);
    Reopen();
  }
}

TEST_F(VersionIdsTest, TheFirstIsAboveThoseOfInnoDb) {
  VersionIds ids(store_.get());
  EXPECT_GE(Take(&ids), uint64_t{1} << 48);
}

TEST_F(VersionIdsTest, AreTakenOnceByManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kEach = 5000;
  VersionIds ids(store_.get());
  std::vector<std::vector<uint64_t>> taken(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (auto& mine : taken) {
    threads.emplace_back([&ids, &mine] {
      for (int i = 0; i < kEach; ++i) mine.push_back(Take(&ids));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<uint64_t> all;
  for (const auto& mine : taken) {
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    all.insert(all.end(), mine.begin(), mine.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST_F(VersionIdsTest, GiveNothingWithARecordThatDoesNotDecode) {
  for (const std::string& value : {std::string("garbage"), std::string(), std::string(10, '\0'),
                                   EncodeVersionIds(UINT64_MAX)}) {
    PutSystem(Key(), value);
    Reopen();  // which is none of its business
    VersionIds ids(store_.get());
    uint64_t id = 0;
    EXPECT_EQ(ids.Take(&id).code(), Code::kCorruption);
    EXPECT_EQ(System(Key()), value);
  }
}

}  // namespace
}  // namespace basalt::catalog
