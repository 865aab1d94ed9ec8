// SPDX-License-Identifier: GPL-2.0-only
#include "store/opening/options_file.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/store/temporary_directory.h"

namespace basalt::store {
namespace {

using ::testing::HasSubstr;

constexpr char kOfMyRocks[] = R"(# This is a RocksDB option file.
[Version]
  rocksdb_version=6.29.5
  options_file_version=1.1

[DBOptions]
  compression=nonsense
[CFOptions "default"]
  compaction_filter_factory=Rdb_compact_filter_factory
  merge_operator=nullptr
[TableOptions/BlockBasedTable "default"]
  merge_operator=not of a column family
[CFOptions "__system__"]
  merge_operator=Rdb_system_merge_op
[CFOptions "rev\:cf"]
  merge_operator={id=Other;x=1}
)";

// What a directory says whose newest OPTIONS file has this text.
OptionsFile Read(std::string_view text) {
  const test::TemporaryDirectory directory;
  std::ofstream(directory / "OPTIONS-000004") << "[Version]\n  rocksdb_version=1.2.3\n";
  std::ofstream(directory / "OPTIONS-000007") << text;
  OptionsFile use;
  EXPECT_TRUE(ReadOptionsFile(rocksdb::Env::Default(), directory.path(), &use).ok());
  return use;
}

TEST(OptionsFileTest, ReadsWhatMyRocksWrites) {
  const OptionsFile use = Read(kOfMyRocks);
  EXPECT_TRUE(use.known);
  EXPECT_TRUE(use.by_myrocks);
  EXPECT_EQ(use.rocksdb_version, "6.29.5");
  const std::map<std::string, std::string> expected = {{"__system__", "Rdb_system_merge_op"},
                                                       {"rev:cf", "Other"}};
  EXPECT_EQ(use.merge_operators, expected);
  const Status status = CheckOptionsFile(use);
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr("'rev:cf' has the merge operator 'Other'"));
}

TEST(OptionsFileTest, RefusesALaterRocksDB) {
  OptionsFile use;
  EXPECT_TRUE(CheckOptionsFile(use).ok()) << "unknown is allowed";
  for (const char* allowed : {"", "x", "6.29.5", "11.8.1", "11.8.99", "11.7.0", "2"}) {
    use.rocksdb_version = allowed;
    EXPECT_TRUE(CheckOptionsFile(use).ok()) << allowed;
  }
  for (const char* later : {"11.9.0", "12.0.1", "100.1"}) {
    use.rocksdb_version = later;
    const Status status = CheckOptionsFile(use);
    EXPECT_EQ(status.code(), Code::kNotSupported) << later;
    EXPECT_THAT(status.message(), HasSubstr(later));
    EXPECT_THAT(status.message(), HasSubstr("use the plugin that has written it"));
  }
}

TEST(OptionsFileTest, AnyTextIsRead) {
  for (const char* text :
       {"", "\n\n", "[", "[CFOptions \"", "=", "[CFOptions \"a\"]\nmerge_operator",
        "rocksdb_version", "merge_operator={", "[CFOptions \"a\\"}) {
    EXPECT_TRUE(Read(text).merge_operators.empty()) << text;
  }
}

}  // namespace
}  // namespace basalt::store
