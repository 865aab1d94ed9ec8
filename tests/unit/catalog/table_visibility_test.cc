// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/table_visibility.h"

#include "unit/catalog/open_catalog.h"

namespace basalt::catalog {
namespace {

using TableVisibilityTest = CatalogFixture;

// What an older snapshot must not read, because the rows are newer.
TEST_F(TableVisibilityTest, NewContentIsReadableFromItsChangeOn) {
  const auto now = [this] { return store_->base()->GetLatestSequenceNumber(); };
  const uint64_t before = now();
  Create("d.t");
  EXPECT_GT(catalog_->visibility().ReadableFrom("d.t"), before);
  EXPECT_LE(catalog_->visibility().ReadableFrom("d.t"), now());
  const uint64_t created = catalog_->visibility().ReadableFrom("d.t");
  ASSERT_TRUE(catalog_->RenameTable("d.t", "d.u").ok());
  EXPECT_EQ(catalog_->visibility().ReadableFrom("d.u"), created) << "a new name changes nothing";
  EXPECT_EQ(catalog_->visibility().ReadableFrom("d.t"), 0u);
  ASSERT_TRUE(catalog_->TruncateTable("d.u", 0, nullptr).ok());
  EXPECT_GT(catalog_->visibility().ReadableFrom("d.u"), created);
  const uint64_t emptied = catalog_->visibility().ReadableFrom("d.u");
  Create("d.#sql-alter-1-2");
  EXPECT_EQ(catalog_->visibility().ReadableFrom("d.#sql-alter-1-2"), 0u) << "one connection's own";
  ASSERT_TRUE(catalog_->DropTable("d.u").ok());
  ASSERT_TRUE(catalog_->RenameTable("d.#sql-alter-1-2", "d.u").ok());
  EXPECT_GT(catalog_->visibility().ReadableFrom("d.u"), emptied)
      << "rows have come before the name";
  const uint64_t altered = catalog_->visibility().ReadableFrom("d.u");
  ASSERT_TRUE(catalog_->RenameTable("d.u", "d.#sqlx-1").ok());
  ASSERT_TRUE(catalog_->RenameTable("d.#sqlx-1", "d.u").ok());
  EXPECT_EQ(catalog_->visibility().ReadableFrom("d.u"), altered) << "EXCHANGE PARTITION";
  Reopen();
  EXPECT_EQ(catalog_->visibility().ReadableFrom("d.u"), 0u)
      << "no snapshot is older than the start";
  ASSERT_TRUE(catalog_->RenameTable("d.u", "d.#sqlx-1").ok());
  ASSERT_TRUE(catalog_->RenameTable("d.#sqlx-1", "d.v").ok());
  EXPECT_EQ(catalog_->visibility().ReadableFrom("d.v"), 0u);
}

}  // namespace
}  // namespace basalt::catalog
