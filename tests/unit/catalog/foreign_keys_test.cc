// SPDX-License-Identifier: GPL-2.0-only
#include "catalog/foreign_keys.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "catalog/foreign_key_record.h"
#include "unit/catalog/open_catalog.h"

namespace basalt::catalog {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ForeignKeysTest : public CatalogFixture {
 protected:
  static ForeignKeySet To(const std::string& parent, const std::vector<std::string>& names) {
    ForeignKeySet set;
    for (const std::string& name : names) {
      ForeignKey foreign;
      foreign.name = name;
      foreign.parent = parent;
      foreign.columns = {{"a", "id"}};
      foreign.on_delete = ReferenceAction::kCascade;
      set.keys.push_back(std::move(foreign));
    }
    return set;
  }

  Status CreateChild(const std::string& name, const ForeignKeySet& set) {
    return catalog_->CreateTable(name, Requests(), 0, nullptr, nullptr, &set);
  }

  // "name>parent" of each constraint. Reads the dictionary's record as well, which says the same.
  std::vector<std::string> Of(const std::string& child) {
    const ForeignKeyMap::Keys keys = catalog_->foreign_keys().OfChild(child);
    const std::string stored = System(ForeignKeysKey(child));
    std::vector<std::string> shown;
    if (keys == nullptr) {
      EXPECT_EQ(stored, "absent");
      return shown;
    }
    EXPECT_EQ(stored, EncodeForeignKeys(*keys));
    EXPECT_EQ(keys->primary_number, catalog_->FindTable(child)->Primary()->id.number);
    for (const ForeignKey& foreign : keys->keys) {
      shown.push_back(foreign.name + ">" + foreign.parent);
    }
    return shown;
  }

  std::vector<std::string> ChildrenOf(const std::string& parent) {
    return catalog_->foreign_keys().ChildrenOf(parent);
  }
};

TEST_F(ForeignKeysTest, ComeWithTheChildAndGoWithIt) {
  const uint64_t before = catalog_->foreign_keys().generation();
  ASSERT_TRUE(CreateChild("d.c", To("d.p", {"one", "two"})).ok());
  EXPECT_NE(catalog_->foreign_keys().generation(), before);
  EXPECT_THAT(Of("d.c"), ElementsAre("one>d.p", "two>d.p"));
  EXPECT_THAT(ChildrenOf("d.p"), ElementsAre("d.c"));
  Reopen();
  EXPECT_THAT(Of("d.c"), ElementsAre("one>d.p", "two>d.p"));
  EXPECT_THAT(ChildrenOf("d.p"), ElementsAre("d.c"));
  EXPECT_EQ(catalog_->foreign_keys().OwnerOfName("d", "ONE"), "d.c");
  ASSERT_TRUE(catalog_->DropTable("d.c").ok());
  EXPECT_THAT(Of("d.c"), IsEmpty());
  EXPECT_THAT(ChildrenOf("d.p"), IsEmpty());
}

TEST_F(ForeignKeysTest, ATruncateKeepsThem) {
  ASSERT_TRUE(CreateChild("d.c", To("d.p", {"one"})).ok());
  ASSERT_TRUE(catalog_->TruncateTable("d.c", 0, nullptr).ok());
  EXPECT_THAT(Of("d.c"), ElementsAre("one>d.p"));
  Reopen();
  EXPECT_THAT(Of("d.c"), ElementsAre("one>d.p"));
}

// Its primary index is another one then, and a constraint belongs to that.
TEST_F(ForeignKeysTest, ATableThatIsRebuiltKeepsThem) {
  ASSERT_TRUE(CreateChild("d.c", To("d.p", {"one"})).ok());
  for (const bool dropped : {false, true}) {
    std::vector<IndexRecord> built;
    ASSERT_TRUE(catalog_->BeginIndexBuild(Requests(), &built).ok());
    NewForeignKeys changed;
    if (dropped) changed["d.c"] = To("d.p", {"two"});
    ASSERT_TRUE(catalog_->ReplaceIndexes({{"d.c", built}}, nullptr, changed).ok());
    const std::string name = dropped ? "two>d.p" : "one>d.p";
    EXPECT_THAT(Of("d.c"), ElementsAre(name));
    Reopen();
    EXPECT_THAT(Of("d.c"), ElementsAre(name));
  }
}

TEST_F(ForeignKeysTest, FollowTheirChild) {
  ASSERT_TRUE(CreateChild("d.c", To("d.p", {"c_ibfk_1", "own", "c_ibfk_x"})).ok());
  ASSERT_TRUE(catalog_->RenameTable("d.c", "e.n", {"c", "n"}).ok());
  EXPECT_THAT(Of("d.c"), IsEmpty());
  EXPECT_THAT(Of("e.n"), ElementsAre("n_ibfk_1>d.p", "own>d.p", "n_ibfk_x>d.p"));
  EXPECT_THAT(ChildrenOf("d.p"), ElementsAre("e.n"));
  Reopen();
  EXPECT_THAT(Of("e.n"), ElementsAre("n_ibfk_1>d.p", "own>d.p", "n_ibfk_x>d.p"));
}

TEST_F(ForeignKeysTest, FollowTheirParentAlsoTheirOwn) {
  Create("d.p");
  ASSERT_TRUE(CreateChild("d.c", To("d.p", {"one"})).ok());
  ForeignKeySet self = To("d.self", {"self"});
  self.keys.push_back(To("d.p", {"other"}).keys[0]);
  ASSERT_TRUE(CreateChild("d.self", self).ok());
  ASSERT_TRUE(catalog_->RenameTable("d.p", "e.q", {"p", "q"}).ok());
  EXPECT_THAT(Of("d.c"), ElementsAre("one>e.q"));
  ASSERT_TRUE(catalog_->RenameTable("d.self", "d.me", {"self", "me"}).ok());
  EXPECT_THAT(Of("d.me"), ElementsAre("self>d.me", "other>e.q"));
  EXPECT_THAT(ChildrenOf("d.me"), ElementsAre("d.me"));
  EXPECT_THAT(ChildrenOf("d.self"), IsEmpty());
  EXPECT_THAT(ChildrenOf("e.q"), ElementsAre("d.c", "d.me"));
}

// ALTER by copy: the copy is made under a temporary name with the same constraints, the table is
// set aside, the copy gets its name, the old one is dropped.
TEST_F(ForeignKeysTest, ACopyTakesThePlaceOfTheChild) {
  ASSERT_TRUE(CreateChild("d.c", To("d.p", {"one"})).ok());
  ASSERT_TRUE(CreateChild("d.#sql-alter-1", To("d.p", {"one", "two"})).ok());
  EXPECT_THAT(ChildrenOf("d.p"), ElementsAre("d.c"));
  ASSERT_TRUE(catalog_->RenameTable("d.c", "d.#sql-backup-1", {"c", "c"}).ok());
  EXPECT_THAT(ChildrenOf("d.p"), IsEmpty());
  ASSERT_TRUE(catalog_->RenameTable("d.#sql-alter-1", "d.c", {"c", "c"}).ok());
  ASSERT_TRUE(catalog_->DropTable("d.#sql-backup-1").ok());
  EXPECT_THAT(Of("d.c"), ElementsAre("one>d.p", "two>d.p"));
  EXPECT_THAT(ChildrenOf("d.p"), ElementsAre("d.c"));
  EXPECT_EQ(catalog_->foreign_keys().OwnerOfName("d", "one"), "d.c");
}

// The same of a parent: constraints go on to name the table, and not its copy.
TEST_F(ForeignKeysTest, ACopyTakesThePlaceOfTheParent) {
  Create("d.p");
  ASSERT_TRUE(CreateChild("d.c", To("d.p", {"one"})).ok());
  Create("d.#sql-alter-1");
  ASSERT_TRUE(catalog_->RenameTable("d.p", "d.#sql-backup-1", {}).ok());
  ASSERT_TRUE(catalog_->RenameTable("d.#sql-alter-1", "d.p", {}).ok());
  ASSERT_TRUE(catalog_->DropTable("d.#sql-backup-1").ok());
  EXPECT_THAT(Of("d.c"), ElementsAre("one>d.p"));
}

TEST_F(ForeignKeysTest, NamesAreUniqueInADatabase) {
  ASSERT_TRUE(CreateChild("d.c", To("d.p", {"one"})).ok());
  const Status taken = CreateChild("d.b", To("d.p", {"fine", "One"}));
  EXPECT_EQ(taken.code(), Code::kDuplicateKey);
  EXPECT_EQ(taken.message(), "One");
  EXPECT_EQ(catalog_->FindTable("d.b"), nullptr);
  EXPECT_EQ(CreateChild("d.b", To("d.p", {"two", "TWO"})).code(), Code::kDuplicateKey);
  ASSERT_TRUE(CreateChild("e.c", To("d.p", {"one"})).ok());
  EXPECT_EQ(catalog_->RenameTable("e.c", "d.b", {"c", "b"}).code(), Code::kDuplicateKey);
  EXPECT_NE(catalog_->FindTable("e.c"), nullptr);
}

TEST_F(ForeignKeysTest, AnAlterReplacesThoseOfSeveralTables) {
  const auto table = Create("d.c");
  ASSERT_TRUE(CreateChild("d.b", To("d.c", {"b"})).ok());
  const NewForeignKeys sets = {{"d.c", To("d.p", {"c"})}, {"d.b", ForeignKeySet()}};
  const TableDefinition definition = {0, "identity", "frm", ""};
  ASSERT_TRUE(catalog_->ReplaceForeignKeys(sets, "d.c", &definition).ok());
  EXPECT_THAT(Of("d.c"), ElementsAre("c>d.p"));
  EXPECT_THAT(Of("d.b"), IsEmpty());
  EXPECT_TRUE(catalog_->definitions().Has("d.c", "identity"));
  EXPECT_EQ(catalog_->ReplaceForeignKeys({{"d.absent", To("d.p", {"x"})}}, "", nullptr).code(),
            Code::kNotFound);
  ASSERT_TRUE(catalog_->ReplaceIndexes({*table}, nullptr, {{"d.c", ForeignKeySet()}}).ok());
  EXPECT_THAT(Of("d.c"), IsEmpty());
}

// The old engine knows nothing of foreign keys: it drops their table, and may make another one.
TEST_F(ForeignKeysTest, ThoseOfAnEarlierTableCountAsAbsent) {
  ASSERT_TRUE(CreateChild("d.c", To("d.p", {"one"})).ok());
  ForeignKeySet set = *catalog_->foreign_keys().OfChild("d.c");
  set.primary_number += 1000;
  PutSystem(ForeignKeysKey("d.c"), EncodeForeignKeys(set));
  PutSystem(ForeignKeysKey("d.gone"), EncodeForeignKeys(set));
  Reopen();
  EXPECT_THAT(Of("d.c"), IsEmpty());
  EXPECT_THAT(Of("d.gone"), IsEmpty());
}

TEST_F(ForeignKeysTest, ADamagedRecordIsRefused) {
  ASSERT_TRUE(CreateChild("d.c", To("d.p", {"one"})).ok());
  PutSystem(ForeignKeysKey("d.c"), "x");
  OpenStore();
  const Status status = Catalog::Load(store_.get(), &catalog_);
  EXPECT_EQ(status.code(), Code::kCorruption);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("'d.c'"));
}

}  // namespace
}  // namespace basalt::catalog
