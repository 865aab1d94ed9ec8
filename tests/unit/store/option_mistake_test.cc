// SPDX-License-Identifier: GPL-2.0-only
#include "store/option_mistake.h"

#include <gtest/gtest.h>

namespace basalt::store {
namespace {

std::string Mistake(std::string_view text) {
  return DescribeMistake(text, rocksdb::ColumnFamilyOptions());
}

TEST(OptionMistakeTest, RightStringsHaveNone) {
  EXPECT_EQ(Mistake(""), "");
  EXPECT_EQ(Mistake("write_buffer_size=64m; compression=kZSTD;"), "");
  EXPECT_EQ(Mistake("block_based_table_factory={block_size=8k;filter_policy=bloomfilter:10}"), "");
}

TEST(OptionMistakeTest, NamesThatAreAlmostRight) {
  EXPECT_EQ(Mistake("writ_buffer_size=64m"),
            " at character 1: no option 'writ_buffer_size'; is 'write_buffer_size' meant?");
  EXPECT_EQ(Mistake("compression=kZSTD; num_level=7"),
            " at character 20: no option 'num_level'; is 'num_levels' meant?");
}

TEST(OptionMistakeTest, NamesThatAreNothing) {
  EXPECT_EQ(Mistake("zzzzzz=1"), " at character 1: no option 'zzzzzz'");
}

TEST(OptionMistakeTest, Values) {
  EXPECT_EQ(Mistake("num_levels=7;compression=kZSDT"),
            " at character 26: 'kZSDT' is no value of the option 'compression'");
  EXPECT_EQ(Mistake("write_buffer_size = many"),
            " at character 21: 'many' is no value of the option 'write_buffer_size'");
}

TEST(OptionMistakeTest, InsideTheTableFactory) {
  EXPECT_EQ(Mistake("block_based_table_factory={cache_index_and_filter_blocks=1;block_sise=8k}"),
            " at character 60: no option 'block_sise'; is 'block_size' meant?");
}

TEST(OptionMistakeTest, Garbage) {
  for (const char* text :
       {"{", "}", "=", ";;;", "a", "a=", "=a", "a={", "a={b", "a}=;{", "\t\r\n"}) {
    Mistake(text);  // ends
  }
}

}  // namespace
}  // namespace basalt::store
