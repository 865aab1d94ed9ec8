// SPDX-License-Identifier: GPL-2.0-only
#include "store/reports/dividing_keys.h"

#include <gmock/gmock.h>
#include <rocksdb/utilities/stackable_db.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "store/store.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

using test::TemporaryDirectory;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Ge;
using testing::IsEmpty;
using testing::Le;
using testing::SizeIs;

class DividingKeysTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    StoreOptions options;
    options.directory = directory_.path() + "/store";
    ASSERT_EQ(Store::Open(options, &store_).ToString(), "ok");
    const std::string name = std::string(GetParam() ? "rev:" : "") + "entries";
    ASSERT_TRUE(store_->families().GetOrCreate(name, &family_).ok());
    rocksdb::DB* db = store_->base();
    ASSERT_TRUE(db->SetOptions(family_, {{"disable_auto_compactions", "true"}}).ok());
  }
  static std::string Key(uint32_t number) {
    std::string key;
    AppendBigEndian32(&key, kNumber);
    AppendBigEndian32(&key, number);
    return key;
  }
  static std::string RandomBytes(size_t count, uint32_t* random) {
    std::string bytes(count, '\0');
    for (char& c : bytes) c = static_cast<char>((*random = *random * 1103515245u + 12345u) >> 16);
    return bytes;
  }
  // A file of entries, of a hundred bytes of which nothing can be left out.
  void WriteFile(const std::vector<std::string>& keys) {
    uint32_t random = 1;
    for (const std::string& key : keys) {
      ASSERT_TRUE(store_->base()->Put({}, family_, key, RandomBytes(100, &random)).ok());
    }
    ASSERT_TRUE(store_->base()->Flush({}, family_).ok());
  }
  static std::vector<std::string> Keys(uint32_t first, uint32_t end) {
    std::vector<std::string> keys;
    for (uint32_t number = first; number < end; ++number) keys.push_back(Key(number));
    return keys;
  }
  // Entries of each part.
  std::vector<size_t> Sizes(const std::vector<std::string>& keys, size_t parts) {
    const std::vector<std::string> borders = Divided(parts);
    EXPECT_TRUE(std::is_sorted(borders.begin(), borders.end()));
    std::vector<size_t> sizes(borders.size() + 1);
    for (const std::string& key : keys) {
      const auto part = std::upper_bound(borders.begin(), borders.end(), key) - borders.begin();
      ++sizes[static_cast<size_t>(part)];
    }
    return sizes;
  }
  std::vector<std::string> Divided(size_t parts, uint32_t number = kNumber) {
    return DividingKeys(store_->base(), family_, {family_->GetID(), number}, parts);
  }

  static constexpr uint32_t kNumber = 300;
  TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  rocksdb::ColumnFamilyHandle* family_ = nullptr;
};

TEST_P(DividingKeysTest, PartsOfTheSameSizeOfSeveralFiles) {
  const auto keys = Keys(0, 12'000);
  WriteFile(Keys(0, 9'000));
  WriteFile(Keys(9'000, 12'000));
  EXPECT_THAT(Divided(1), IsEmpty());
  EXPECT_THAT(Sizes(keys, 2), Each(AllOf(Ge(5'500u), Le(6'500u))));
  EXPECT_THAT(Sizes(keys, 4), AllOf(SizeIs(4), Each(AllOf(Ge(2'600u), Le(3'400u)))));
  EXPECT_THAT(Divided(4, kNumber - 1), IsEmpty());
  EXPECT_THAT(Divided(4, kNumber + 1), IsEmpty());
}

TEST_P(DividingKeysTest, PartsOfTheSameSizeWithinOneFile) {
  const auto keys = Keys(1'000'000, 1'010'000);
  WriteFile(keys);
  EXPECT_THAT(Sizes(keys, 3), AllOf(SizeIs(3), Each(AllOf(Ge(3'000u), Le(3'700u)))));
}

// Also such that agree in many bytes.
TEST_P(DividingKeysTest, KeysOfAnyBytes) {
  for (const size_t alike : {0u, 40u}) {
    uint32_t random = 7;
    std::set<std::string> keys;
    for (int i = 0; i < 10'000; ++i) {
      keys.insert(Key(alike).substr(0, 4) + std::string(alike, 'a') + RandomBytes(9, &random));
    }
    const std::vector<std::string> sorted(keys.begin(), keys.end());
    WriteFile(sorted);
    EXPECT_THAT(Sizes(sorted, 4), SizeIs(4)) << alike;
  }
}

TEST_P(DividingKeysTest, TooFewOrTooAlikeToDivide) {
  EXPECT_THAT(Divided(4), IsEmpty());
  WriteFile({Key(1), Key(2)});
  EXPECT_THAT(Divided(4), IsEmpty()) << "one block";
  std::vector<std::string> keys = Keys(0, 5'000);
  for (std::string& key : keys) key.insert(4, std::string(100, 'a'));
  WriteFile(keys);
  EXPECT_THAT(Sizes(keys, 4), Contains(Ge(4'900u))) << "the first 64 bytes agree";
}

// A database whose files grow three times as large after some questions, as by flushes.
class GrowingDatabase : public rocksdb::StackableDB {
 public:
  GrowingDatabase(rocksdb::DB* db, int questions)
      : StackableDB(std::shared_ptr<rocksdb::DB>(db, [](rocksdb::DB*) {})), left_(questions) {}
  using StackableDB::GetApproximateSizes;
  rocksdb::Status GetApproximateSizes(const rocksdb::SizeApproximationOptions& options,
                                      rocksdb::ColumnFamilyHandle* family,
                                      const rocksdb::Range* ranges, int n,
                                      uint64_t* sizes) override {
    rocksdb::Status status = StackableDB::GetApproximateSizes(options, family, ranges, n, sizes);
    if (left_-- <= 0) sizes[0] *= 3;
    return status;
  }

 private:
  int left_;
};

// Else two threads would read the same rows.
TEST_P(DividingKeysTest, KeysAscendWhileFilesChange) {
  WriteFile(Keys(0, 10'000));
  for (int questions = 0; questions < 200; ++questions) {
    GrowingDatabase database(store_->base(), questions);
    const auto keys = DividingKeys(&database, family_, {family_->GetID(), kNumber}, 4);
    EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()), keys.end())
        << questions;
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, DividingKeysTest, testing::Bool(),
                         [](const auto& order) { return order.param ? "Backwards" : "Forwards"; });

}  // namespace
}  // namespace basalt::store
