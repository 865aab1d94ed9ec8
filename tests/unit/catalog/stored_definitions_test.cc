// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/stored_definitions.h"

#include <string>
#include <vector>

#include "catalog/dictionary_records.h"
#include "unit/catalog/open_catalog.h"

namespace basalt::catalog {
namespace {

class Definitions : public CatalogFixture {
 protected:
  static TableDefinition Made(const std::string& identity) {
    return {0, identity, "frm of " + identity, ""};
  }

  void CreateWith(const std::string& name, const std::string& identity) {
    const TableDefinition definition = Made(identity);
    const Status status = catalog_->CreateTable(name, Requests(), 0, nullptr, &definition);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  // The identity of what is kept, "none" without; the same in memory and on disk.
  std::string Kept(const std::string& name) {
    TableDefinition definition;
    if (!catalog_->definitions().Read(name, &definition).ok()) return "none";
    EXPECT_TRUE(catalog_->definitions().Has(name, definition.identity));
    EXPECT_EQ(definition.frm, "frm of " + definition.identity);
    return definition.identity;
  }
};

TEST_F(Definitions, ComeWithTheTableAndGoWithIt) {
  CreateWith("d.t", "one");
  EXPECT_EQ(Kept("d.t"), "one");
  EXPECT_TRUE(catalog_->definitions().Has("d.t", "one"));
  EXPECT_FALSE(catalog_->definitions().Has("d.t", "two"));
  Reopen();
  EXPECT_EQ(Kept("d.t"), "one");
  ASSERT_TRUE(catalog_->DropTable("d.t").ok());
  EXPECT_EQ(Kept("d.t"), "none");
  EXPECT_EQ(System(TableDefinitionKey("d.t")), "absent");
  EXPECT_EQ(catalog_->StoreDefinition("d.t", Made("two"), true).code(), Code::kNotFound);
}

TEST_F(Definitions, TellWhoseAnIdentityIs) {
  CreateWith("d.t", "t");
  CreateWith("d.u", "u");
  EXPECT_FALSE(catalog_->definitions().IsOfAnother("d.t", "t"));
  EXPECT_TRUE(catalog_->definitions().IsOfAnother("d.t", "u"));
  EXPECT_TRUE(catalog_->definitions().IsOfAnother("d.absent", "u"));
  EXPECT_FALSE(catalog_->definitions().IsOfAnother("d.t", "nobody's"));
  EXPECT_FALSE(catalog_->definitions().IsOfAnother("d.t", ""));
}

TEST_F(Definitions, FollowRenamesAlsoSwaps) {
  CreateWith("d.t", "t");
  CreateWith("d.u", "u");
  ASSERT_TRUE(catalog_->RenameTable("d.t", "d.x").ok());
  ASSERT_TRUE(catalog_->RenameTable("d.u", "d.t").ok());
  ASSERT_TRUE(catalog_->RenameTable("d.x", "d.u").ok());
  Reopen();
  EXPECT_EQ(Kept("d.t"), "u");
  EXPECT_EQ(Kept("d.u"), "t");
  EXPECT_EQ(Kept("d.x"), "none");
}

TEST_F(Definitions, SurviveTruncateAndChangesOfIndexes) {
  CreateWith("d.t", "one");
  std::shared_ptr<const TableRecord> table;
  ASSERT_TRUE(catalog_->TruncateTable("d.t", 0, &table).ok());
  Reopen();
  EXPECT_EQ(Kept("d.t"), "one");
  const TableDefinition changed = Made("two");
  ASSERT_TRUE(catalog_->ReplaceIndexes({{"d.t", {table->indexes[0]}}}, &changed).ok());
  EXPECT_EQ(Kept("d.t"), "two");
  ASSERT_TRUE(catalog_->StoreDefinition("d.t", Made("three"), true).ok());
  Reopen();
  EXPECT_EQ(Kept("d.t"), "three");
}

TEST_F(Definitions, OfPartitionsAreThoseOfTheTable) {
  for (const char* name : {"d.t#P#p0", "d.t#P#p1", "d.t#P#p2"}) CreateWith(name, "one");
  EXPECT_EQ(Kept("d.t"), "one");
  EXPECT_EQ(Kept("d.t#P#p1"), "one");
  ASSERT_TRUE(catalog_->RenameTable("d.t#P#p0", "d.u#P#p0").ok());
  ASSERT_TRUE(catalog_->RenameTable("d.t#P#p1", "d.u#P#p1").ok());
  EXPECT_EQ(Kept("d.u"), "one");
  EXPECT_EQ(Kept("d.t"), "none");
  ASSERT_TRUE(catalog_->TruncateTable("d.u#P#p0", 0, nullptr).ok());
  ASSERT_TRUE(catalog_->DropTable("d.u#P#p0").ok());
  Reopen();
  ASSERT_TRUE(catalog_->DropTable("d.u#P#p1").ok());
  EXPECT_EQ(Kept("d.u"), "one");
  ASSERT_TRUE(catalog_->DropTable("d.u#P#p2").ok());
  EXPECT_EQ(Kept("d.u"), "none");
}

TEST_F(Definitions, PartitionsAreRenamedTogether) {
  for (const char* name : {"d.t#P#p0", "d.t#P#p1", "d.t#P#p2#SP#s"}) CreateWith(name, "one");
  Create("d.t2#P#p0");
  ASSERT_TRUE(catalog_->RenameTable("d.t#P#p1", "d.u#P#p1").ok());
  Reopen();
  EXPECT_EQ(catalog_->TablesOf("d"), (std::vector<std::string>{"t2", "u"}));
  for (const char* name : {"d.u#P#p0", "d.u#P#p1", "d.u#P#p2#SP#s"}) {
    EXPECT_NE(catalog_->FindTable(name), nullptr) << name;
  }
  EXPECT_TRUE(catalog_->RenameTable("d.t#P#p0", "d.u#P#p0").ok()) << "done already";
  EXPECT_EQ(catalog_->RenameTable("d.t#P#p7", "d.u#P#p7").code(), Code::kNotFound);
  // One of the names is taken: none is changed.
  Create("d.w#P#p2#SP#s");
  EXPECT_EQ(catalog_->RenameTable("d.u#P#p0", "d.w#P#p0").code(), Code::kInvalidArgument);
  EXPECT_NE(catalog_->FindTable("d.u#P#p0"), nullptr);
  // Within a table (REORGANIZE), and out of it (EXCHANGE), each goes alone.
  ASSERT_TRUE(catalog_->RenameTable("d.u#P#p0", "d.u#P#p9").ok());
  ASSERT_TRUE(catalog_->RenameTable("d.u#P#p9", "d.x").ok());
  EXPECT_NE(catalog_->FindTable("d.u#P#p1"), nullptr);
}

TEST_F(Definitions, StayWhenATableGetsOrLosesItsPartitions) {
  CreateWith("d.t", "plain");
  CreateWith("d.#sql-a#P#p0", "parts");
  // The server makes the new table, gives it the name, and drops the old one last.
  ASSERT_TRUE(catalog_->RenameTable("d.#sql-a#P#p0", "d.t#P#p0").ok());
  ASSERT_TRUE(catalog_->DropTable("d.t").ok());
  EXPECT_EQ(Kept("d.t"), "parts");
  CreateWith("d.#sql-a", "again");
  ASSERT_TRUE(catalog_->RenameTable("d.#sql-a", "d.t").ok());
  ASSERT_TRUE(catalog_->DropTable("d.t#P#p0").ok());
  Reopen();
  EXPECT_EQ(Kept("d.t"), "again");
}

TEST_F(Definitions, DoNotCrossOverBetweenTablesAndPartitions) {
  CreateWith("d.t#P#p0", "parts");
  CreateWith("d.t#P#p1", "parts");
  CreateWith("d.u", "plain");
  ASSERT_TRUE(catalog_->RenameTable("d.u", "d.x").ok());
  ASSERT_TRUE(catalog_->RenameTable("d.t#P#p0", "d.u").ok());
  ASSERT_TRUE(catalog_->RenameTable("d.x", "d.t#P#p0").ok());
  EXPECT_EQ(Kept("d.t"), "parts");
  EXPECT_EQ(Kept("d.u"), "none");
  EXPECT_EQ(Kept("d.x"), "none");
}

// As a RENAME of two tables leaves them that a crash has cut off.
TEST_F(Definitions, OfATableAndOfPartitionsUnderOneNameStayApart) {
  CreateWith("d.t", "plain");
  CreateWith("d.u#P#p0", "parts");
  CreateWith("d.u#P#p1", "parts");
  ASSERT_TRUE(catalog_->RenameTable("d.t", "d.x").ok());
  ASSERT_TRUE(catalog_->RenameTable("d.u#P#p0", "d.t#P#p0").ok());
  ASSERT_TRUE(catalog_->RenameTable("d.x", "d.t").ok());
  Reopen();
  EXPECT_EQ(Kept("d.t"), "plain");
  EXPECT_EQ(catalog_->definitions().All(),
            (std::map<std::string, std::string>{{"d.t", "plain"}, {"d.t#P#", "parts"}}));
  ASSERT_TRUE(catalog_->RenameTable("d.t#P#p1", "d.u#P#p1").ok());
  EXPECT_EQ(Kept("d.t"), "plain");
  EXPECT_EQ(Kept("d.u"), "parts");
  EXPECT_EQ(catalog_->StoreDefinition("d.t#P#", Made("x"), true).code(), Code::kNotFound);
}

TEST_F(Definitions, OfEarlierTablesCountAsAbsent) {
  CreateWith("d.t", "one");
  const std::string key = TableDefinitionKey("d.t");
  const std::string record = System(key);
  ASSERT_TRUE(catalog_->DropTable("d.t").ok());
  Create("d.t");
  // The old engine leaves the record alone.
  PutSystem(key, record);
  PutSystem(TableDefinitionKey("d.gone"), record);
  PutSystem(TableDefinitionKey("d.bad"), "x");
  Reopen();
  EXPECT_EQ(Kept("d.t"), "none");
  EXPECT_FALSE(catalog_->definitions().Has("d.t", "one"));
  for (const char* name : {"d.t", "d.gone", "d.bad"}) {
    EXPECT_EQ(System(TableDefinitionKey(name)), "absent") << name;
  }
}

TEST_F(Definitions, ThatCannotBeKeptAreRefused) {
  Create("d.t");
  TableDefinition definition = Made(std::string(256, 'x'));
  EXPECT_EQ(catalog_->StoreDefinition("d.t", definition, true).code(), Code::kInvalidArgument);
  definition = Made("x");
  definition.frm.clear();
  EXPECT_EQ(catalog_->StoreDefinition("d.t", definition, true).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace basalt::catalog
