// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/ingest_jobs.h"

#include <vector>

#include <gmock/gmock.h>

#include "unit/catalog/open_catalog.h"

namespace basalt::catalog {
namespace {

using ::testing::ElementsAre;

using IngestJobsTest = CatalogFixture;

TEST_F(IngestJobsTest, AreListedUntilRemoved) {
  const uint64_t first = catalog_->ingest_jobs().NewNumber();
  const uint64_t second = catalog_->ingest_jobs().NewNumber();
  EXPECT_NE(first, second);
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(catalog_->ingest_jobs().Append(&batch, {first, {{0, "a.sst"}, {1, "b.sst"}}}).ok());
  ASSERT_TRUE(catalog_->ingest_jobs().Append(&batch, {second, {}}).ok());
  EXPECT_FALSE(catalog_->ingest_jobs().Append(&batch, {second, {{0, "../x"}}}).ok());
  ASSERT_TRUE(store_->Write(&batch, true).ok());
  Reopen();
  EXPECT_GT(catalog_->ingest_jobs().NewNumber(), second);
  std::vector<IngestJob> jobs;
  ASSERT_TRUE(catalog_->ingest_jobs().Pending(&jobs).ok());
  EXPECT_THAT(jobs,
              ElementsAre(IngestJob{first, {{0, "a.sst"}, {1, "b.sst"}}}, IngestJob{second, {}}));
  batch.Clear();
  ASSERT_TRUE(catalog_->ingest_jobs().AppendRemoval(&batch, first).ok());
  ASSERT_TRUE(store_->Write(&batch, true).ok());
  ASSERT_TRUE(catalog_->ingest_jobs().Pending(&jobs).ok());
  EXPECT_EQ(jobs.size(), 1u);
}

}  // namespace
}  // namespace basalt::catalog
