// SPDX-License-Identifier: GPL-2.0-only
#include "store/reports/dividing_keys.h"

#include <gmock/gmock.h>

#include "base/bytes.h"
#include "store/store.h"
#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::IsEmpty;

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
  // A file with one large entry at its begin and one at its end.
  void WriteFile(uint32_t first, uint32_t last) {
    for (const uint32_t number : {first, last}) {
      std::string value(1000, 'v');
      for (char& c : value) c = static_cast<char>(++random_ * 40503u >> 8);
      ASSERT_TRUE(store_->base()->Put({}, family_, Key(number), value).ok());
    }
    ASSERT_TRUE(store_->base()->Flush({}, family_).ok());
  }
  std::vector<std::string> Divided(size_t parts, uint32_t number = kNumber) {
    return DividingKeys(store_->base(), family_, {family_->GetID(), number}, parts);
  }

  static constexpr uint32_t kNumber = 300;
  TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  rocksdb::ColumnFamilyHandle* family_ = nullptr;
  uint32_t random_ = 1;
};

TEST_P(DividingKeysTest, PartsOfTheSameSize) {
  EXPECT_THAT(Divided(4), IsEmpty());
  for (uint32_t file = 0; file < 6; ++file) WriteFile(file * 10, file * 10 + 5);
  EXPECT_THAT(Divided(1), IsEmpty());
  // In a family that runs backwards a file is known by its last key.
  const uint32_t in_file = GetParam() ? 5 : 0;
  EXPECT_THAT(Divided(2), ElementsAre(Key(30 + in_file)));
  EXPECT_THAT(Divided(3), ElementsAre(Key(20 + in_file), Key(40 + in_file)));
  EXPECT_EQ(Divided(100).size(), 5u) << "no more than there are files";
  EXPECT_THAT(Divided(4, kNumber - 1), IsEmpty());
  EXPECT_THAT(Divided(4, kNumber + 1), IsEmpty());
}

TEST_P(DividingKeysTest, AnIndexWithinOneFile) {
  WriteFile(1, 1000);
  EXPECT_THAT(Divided(4), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Orders, DividingKeysTest, testing::Bool(),
                         [](const auto& order) { return order.param ? "Backwards" : "Forwards"; });

}  // namespace
}  // namespace basalt::store
