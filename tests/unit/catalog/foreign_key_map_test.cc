// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/foreign_key_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/foreign_key_record.h"

namespace basalt::catalog {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ForeignKey Constraint(const std::string& name, const std::string& parent) {
  ForeignKey foreign;
  foreign.name = name;
  foreign.parent = parent;
  foreign.columns = {{"a", "id"}};
  return foreign;
}

ForeignKeyMap::Keys Set(std::vector<ForeignKey> keys) {
  auto set = std::make_shared<ForeignKeySet>();
  set->keys = std::move(keys);
  return set;
}

TEST(ForeignKeyMap, FindsByChildByParentAndByName) {
  ForeignKeyMap map;
  EXPECT_TRUE(map.empty());
  map.Set("d.c", Set({Constraint("one", "d.p"), Constraint("two", "e.p")}));
  map.Set("d.b", Set({Constraint("three", "d.p")}));
  EXPECT_EQ(map.OfChild("d.c")->keys.size(), 2u);
  EXPECT_EQ(map.OfChild("d.p"), nullptr);
  EXPECT_THAT(map.ChildrenOf("d.p"), ElementsAre("d.b", "d.c"));
  EXPECT_THAT(map.ChildrenOf("e.p"), ElementsAre("d.c"));
  EXPECT_THAT(map.ChildrenOf("d.c"), IsEmpty());
  EXPECT_THAT(map.Children(), ElementsAre("d.b", "d.c"));
  EXPECT_EQ(map.OwnerOfName("d", "two"), "d.c");
  EXPECT_EQ(map.OwnerOfName("d", "TWO"), "d.c");
  EXPECT_EQ(map.OwnerOfName("e", "two"), "");
}

TEST(ForeignKeyMap, ReplacesAndRemoves) {
  ForeignKeyMap map;
  map.Set("d.c", Set({Constraint("one", "d.p"), Constraint("two", "e.p")}));
  map.Set("d.c", Set({Constraint("two", "e.p")}));
  EXPECT_THAT(map.ChildrenOf("d.p"), IsEmpty());
  EXPECT_EQ(map.OwnerOfName("d", "one"), "");
  EXPECT_EQ(map.OwnerOfName("d", "two"), "d.c");
  map.Set("d.c", nullptr);
  EXPECT_TRUE(map.empty());
  EXPECT_THAT(map.ChildrenOf("e.p"), IsEmpty());
  map.Set("d.c", nullptr);  // again: nothing to remove
}

// A rename sets the new name first or the old one to nothing first: the name stays with the child.
TEST(ForeignKeyMap, ARenameKeepsTheNamesOwner) {
  ForeignKeyMap map;
  map.Set("d.c", Set({Constraint("one", "d.p")}));
  map.Set("d.n", Set({Constraint("one", "d.p")}));
  map.Set("d.c", nullptr);
  EXPECT_EQ(map.OwnerOfName("d", "one"), "d.n");
  EXPECT_THAT(map.ChildrenOf("d.p"), ElementsAre("d.n"));
}

// Two constraints to one parent, of which one goes.
TEST(ForeignKeyMap, AParentKeepsAChildThatHasAnotherConstraint) {
  ForeignKeyMap map;
  map.Set("d.c", Set({Constraint("one", "d.p"), Constraint("two", "d.p")}));
  map.Set("d.c", Set({Constraint("two", "d.p")}));
  EXPECT_THAT(map.ChildrenOf("d.p"), ElementsAre("d.c"));
}

TEST(ForeignKeyNames, AreMadeAndReadAsInnoDbDoes) {
  EXPECT_EQ(GeneratedName("t-odd", 3), "t-odd_ibfk_3");
  EXPECT_EQ(NumberOfGeneratedName("t", "t_ibfk_12"), 12u);
  for (const char* other : {"t_ibfk_", "t_ibfk_0", "t_ibfk_01", "t_ibfk_1x", "u_ibfk_1", "fk",
                            "t_ibfk_99999999999", "t_ibfk_-1", ""}) {
    EXPECT_EQ(NumberOfGeneratedName("t", other), 0u) << other;
  }
}

TEST(ForeignKeyRecord, RefusesWhatTheFormatHasNoRoomFor) {
  ForeignKeySet set;
  EXPECT_EQ(CheckForeignKeys(set).code(), Code::kInvalidArgument);
  set.keys = {Constraint("fk", "d.p")};
  EXPECT_TRUE(CheckForeignKeys(set).ok());
  set.keys[0].columns.clear();
  EXPECT_EQ(CheckForeignKeys(set).code(), Code::kInvalidArgument);
  set.keys = {Constraint(std::string(65536, 'x'), "d.p")};
  EXPECT_EQ(CheckForeignKeys(set).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace basalt::catalog
