// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/table_map.h"

#include <string>
#include <vector>

#include "unit/catalog/open_catalog.h"

namespace basalt::catalog {
namespace {

using TableMapTest = CatalogFixture;

TEST_F(TableMapTest, TablesOfADatabase) {
  for (const char* name : {"c.z", "d.a", "d.b#P#p0", "d.b#P#p1", "d.bb", "d2.y"}) Create(name);
  EXPECT_EQ(catalog_->TablesOf("d"), (std::vector<std::string>{"a", "b", "bb"}));
  EXPECT_TRUE(catalog_->TablesOf("e").empty());
  EXPECT_TRUE(catalog_->IsTable("d.a"));
  EXPECT_TRUE(catalog_->IsTable("d.b"));
  EXPECT_FALSE(catalog_->IsTable("d.c"));
}

}  // namespace
}  // namespace basalt::catalog
