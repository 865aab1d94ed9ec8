// SPDX-License-Identifier: GPL-2.0-only
#include "server/definitions/definition_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace basalt::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = Repair::Kind;

class DefinitionReconcilerTest : public ::testing::Test {
 protected:
  // A table of the dictionary that keeps a definition of this identity.
  DictionaryTable& AddTable(const std::string& name, const std::string& identity) {
    DictionaryTable& table = state_.tables[name];
    table.parts = {name};
    table.identity = identity;
    table.kept = KeptDefinition{};
    return table;
  }
  DictionaryTable& AddPartitioned(const std::string& name,
                                  const std::vector<std::string>& partitions,
                                  const std::string& identity) {
    DictionaryTable& table = state_.tables[catalog::PartitionsOf(name)];
    for (const std::string& part : partitions) {
      table.parts.push_back(catalog::PartitionsOf(name) + part);
    }
    table.identity = identity;
    table.kept = KeptDefinition{true, partitions.size()};
    return table;
  }
  FrmFile& AddFrm(const std::string& name, const std::string& identity,
                  const std::string& engine = "ROCKSDB") {
    state_.frm_names.insert(name);
    FrmFile file{name, PathOf(name), {engine, false, identity}, false, true};
    return state_.frm_files[name] = file;
  }
  FrmFile& AddPartitionedFrm(const std::string& name, const std::string& identity) {
    FrmFile& file = AddFrm(name, identity);
    file.header.partitioned = file.has_par = true;
    file.par_empty = false;
    return file;
  }
  void AddPar(const std::string& name, bool empty_or_ours) {
    state_.par_files.push_back({name, PathOf(name), empty_or_ours});
  }
  static std::string PathOf(const std::string& name) { return "./" + name; }

  std::vector<Repair> Decide(RepairStep step) const {
    return DefinitionReconciler(state_).Decide(step, notes_);
  }
  std::vector<std::string> Findings() const { return DefinitionReconciler(state_).Findings(); }
  // The kinds of repairs that all steps would make of the state as it is.
  std::vector<Kind> AllKinds() const {
    std::vector<Kind> kinds;
    for (const RepairStep step : kRepairSteps) {
      for (const Repair& repair : Decide(step)) kinds.push_back(repair.kind);
    }
    return kinds;
  }

  DefinitionState state_;
  DdlRecoveryNotes notes_;
};

TEST_F(DefinitionReconcilerTest, NothingIsDoneWhereFilesAndDictionaryAgree) {
  AddTable("d.t", "one");
  AddFrm("d.t", "one");
  AddPartitioned("d.p", {"p0", "p1"}, "two");
  AddPartitionedFrm("d.p", "two");
  AddPar("d.p", true);
  AddFrm("d.innodb", "three", "InnoDB");
  EXPECT_THAT(AllKinds(), IsEmpty());
  EXPECT_THAT(Findings(), IsEmpty());
}

TEST_F(DefinitionReconcilerTest, FindingsNameWhatIsApartButNoLeftovers) {
  AddTable("d.no_file", "one");
  AddTable("d.#sql-1-1", "two");
  AddFrm("d.no_table", "three");
  AddFrm("d.#sql-2-2", "four");
  AddTable("d.other", "five");
  AddFrm("d.other", "six", "InnoDB");
  EXPECT_THAT(Findings(), ElementsAre("table d.no_file has no .frm file",
                                      "d.no_table.frm has no table in the store",
                                      "table d.other has a .frm file of the engine InnoDB"));
}

TEST_F(DefinitionReconcilerTest, ATableThatTheRecoveryHasDroppedGoesUnlessItHasAFile) {
  AddPartitioned("d.gone", {"p0"}, "one");
  AddPartitioned("d.there", {"p0"}, "two");
  AddPartitionedFrm("d.there", "two");
  notes_.dropped = {"d.gone#P#", "d.there#P#", "d.unknown#P#"};
  EXPECT_THAT(Decide(RepairStep::kUndoneTables),
              ElementsAre(Repair{Kind::kDropUndoneTable, "d.gone#P#"}));
}

TEST_F(DefinitionReconcilerTest, ARewrittenTableLosesTheFileOfItsFormerName) {
  AddPartitioned("d.now", {"p0"}, "one");
  AddPartitionedFrm("d.now", "one");
  AddPartitionedFrm("d.before", "one");
  AddPartitionedFrm("d.another", "two");
  EXPECT_THAT(Decide(RepairStep::kFormerNames), IsEmpty());  // nothing was rewritten
  notes_.rewritten = {"d.now#P#"};
  EXPECT_THAT(Decide(RepairStep::kFormerNames),
              ElementsAre(Repair{Kind::kRemoveFormerName, "d.now#P#", "d.before", "./d.before"}));
}

TEST_F(DefinitionReconcilerTest, AFormerNameWithoutIdentityTellsNothing) {
  AddPartitioned("d.now", {"p0"}, "");
  AddPartitionedFrm("d.now", "");
  AddPartitionedFrm("d.before", "");
  notes_.rewritten = {"d.now#P#"};
  EXPECT_THAT(Decide(RepairStep::kFormerNames), IsEmpty());
}

TEST_F(DefinitionReconcilerTest, AFinishedAlterGetsItsFilesAnew) {
  AddTable("d.t", "new");
  AddFrm("d.t", "old");
  AddFrm("d.#sql-alter-1-2", "new");
  EXPECT_THAT(
      Decide(RepairStep::kRewrittenFiles),
      ElementsAre(Repair{Kind::kRewriteFiles, "d.t", "d.#sql-alter-1-2", "./d.#sql-alter-1-2"}));
  EXPECT_THAT(Decide(RepairStep::kMoves), IsEmpty());
}

TEST_F(DefinitionReconcilerTest, AnAlterWhoseOldTableIsSetAsideIsNotFinished) {
  AddTable("d.t", "new");
  AddFrm("d.t", "old");
  AddFrm("d.#sql-alter-1-2", "new");
  AddTable("d.#sql-backup-1-2", "old");
  EXPECT_THAT(Decide(RepairStep::kRewrittenFiles), IsEmpty());
}

TEST_F(DefinitionReconcilerTest, ARenameThatTheRecoveryHasNotTakenBackIsFinished) {
  AddTable("d.now", "one");
  AddFrm("d.before", "one");
  const Repair renewal{Kind::kRewriteFiles, "d.now", "d.before", "./d.before"};
  EXPECT_THAT(Decide(RepairStep::kRewrittenFiles), ElementsAre(renewal));
  notes_.renamed = {"d.now"};
  EXPECT_THAT(Decide(RepairStep::kRewrittenFiles), IsEmpty());
  EXPECT_THAT(Decide(RepairStep::kMoves),
              ElementsAre(Repair{Kind::kMoveTable, "d.now", "d.before", "./d.before"}));
}

TEST_F(DefinitionReconcilerTest, AFileThatCannotBeReadStandsInTheWayOfARenewal) {
  AddTable("d.now", "one");
  AddFrm("d.before", "one");
  state_.frm_names.insert("d.now");
  EXPECT_THAT(Decide(RepairStep::kRewrittenFiles), IsEmpty());
}

TEST_F(DefinitionReconcilerTest, FilesAreRenewedOnlyFromACopyThatFits) {
  DictionaryTable& table = AddPartitioned("d.now", {"p0", "p1"}, "one");
  AddPartitionedFrm("d.before", "one");
  EXPECT_EQ(Decide(RepairStep::kRewrittenFiles).size(), 1u);
  table.kept->partitions = 3;
  EXPECT_THAT(Decide(RepairStep::kRewrittenFiles), IsEmpty());
  table.kept = KeptDefinition{false, 0};
  EXPECT_THAT(Decide(RepairStep::kRewrittenFiles), IsEmpty());
  table.kept.reset();
  EXPECT_THAT(Decide(RepairStep::kRewrittenFiles), IsEmpty());
}

TEST_F(DefinitionReconcilerTest, TablesMayChangePlaces) {
  AddTable("d.a", "b");
  AddTable("d.b", "a");
  AddFrm("d.a", "a");
  AddFrm("d.b", "b");
  EXPECT_THAT(Decide(RepairStep::kMoves),
              ElementsAre(Repair{Kind::kMoveTable, "d.a", "d.b", "./d.b"},
                          Repair{Kind::kMoveTable, "d.b", "d.a", "./d.a"}));
}

TEST_F(DefinitionReconcilerTest, NoTableMovesWhereAnotherStays) {
  AddTable("d.a", "b");
  AddTable("d.b", "c");
  AddTable("d.c", "other");
  AddFrm("d.a", "x");
  AddFrm("d.b", "b");
  AddFrm("d.c", "c");  // d.c itself stays: so d.b does, and then d.a
  EXPECT_THAT(Decide(RepairStep::kMoves), IsEmpty());
}

TEST_F(DefinitionReconcilerTest, ACopiedFileTellsNothing) {
  AddTable("d.now", "one");
  AddFrm("d.before", "one");
  AddFrm("d.copy", "one");
  EXPECT_THAT(Decide(RepairStep::kRewrittenFiles), IsEmpty());
  EXPECT_THAT(Decide(RepairStep::kMoves), IsEmpty());
}

TEST_F(DefinitionReconcilerTest, ATableAndPartitionsUnderOneNameAreTwo) {
  AddTable("d.t", "plain");
  AddPartitioned("d.t", {"p0"}, "parts");
  AddPartitionedFrm("d.t", "parts");
  AddFrm("d.u", "plain");
  // d.t has its name from a statement that did not end: the file d.t is the partitions'
  EXPECT_THAT(Decide(RepairStep::kMoves),
              ElementsAre(Repair{Kind::kMoveTable, "d.t", "d.u", "./d.u"}));
}

TEST_F(DefinitionReconcilerTest, LeftoverTablesAndUnfinishedPartitionsAreDropped) {
  AddTable("d.#sql-1-1", "one");
  AddPartitioned("d.#sql-2-2", {"p0#TMP#"}, "two");
  AddTable("d.#sql-3-3", "three");
  AddFrm("d.#sql-3-3", "three");  // is somebody's
  AddPartitioned("d.p", {"p0", "p1#TMP#"}, "four");
  AddPartitionedFrm("d.p", "four");
  EXPECT_THAT(Decide(RepairStep::kLeftoverTables),
              ElementsAre(Repair{Kind::kDropLeftoverTable, "d.#sql-1-1"},
                          Repair{Kind::kDropLeftoverTable, "d.#sql-2-2#P#"},
                          Repair{Kind::kDropPartition, "d.p#P#", "d.p#P#p1#TMP#"}));
}

TEST_F(DefinitionReconcilerTest, LostFilesAreWrittenFromACopyThatFits) {
  AddTable("d.t", "one");
  AddPartitioned("d.fits", {"p0", "p1"}, "two");
  AddPartitioned("d.more", {"p0", "p1"}, "three").kept->partitions = 1;
  AddTable("d.no_copy", "").kept.reset();
  AddTable("d.#sql-1-1", "four");
  EXPECT_THAT(Decide(RepairStep::kLostFiles),
              ElementsAre(Repair{Kind::kWriteLostFiles, "d.fits#P#"},
                          Repair{Kind::kWriteLostFiles, "d.t"}));
}

TEST_F(DefinitionReconcilerTest, NoFileIsWrittenOverOneThatIsThere) {
  AddPartitioned("d.t", {"p0"}, "one");
  AddFrm("d.t", "two", "InnoDB");
  EXPECT_THAT(Decide(RepairStep::kLostFiles), IsEmpty());
}

TEST_F(DefinitionReconcilerTest, ACopyThatCannotBeReadIsReported) {
  DictionaryTable& table = AddTable("d.t", "one");
  table.kept.reset();
  table.read_error = "it hurts";
  EXPECT_THAT(Decide(RepairStep::kLostFiles),
              ElementsAre(Repair{Kind::kReportUnreadable, "d.t", {}, {}, "it hurts"}));
}

TEST_F(DefinitionReconcilerTest, FilesThatStatementsLeftAreRemoved) {
  AddFrm("d.#sql-1-1", "one");
  AddPartitionedFrm("d.empty", "two").par_empty = true;
  AddPar("d.empty", true);  // goes with its .frm file
  AddFrm("d.mine", "three");
  state_.unfinished = {"./d/t.frm.basalt-new"};
  EXPECT_THAT(Decide(RepairStep::kLeftoverFiles),
              ElementsAre(Repair{Kind::kRemoveFiles, {}, "d.#sql-1-1", "./d.#sql-1-1"},
                          Repair{Kind::kRemoveFiles, {}, "d.empty", "./d.empty"},
                          Repair{Kind::kRemoveUnfinished, {}, {}, "./d/t.frm.basalt-new"}));
}

TEST_F(DefinitionReconcilerTest, AMissingParFileIsNoLeftover) {
  FrmFile& file = AddPartitionedFrm("d.t", "one");
  file.has_par = false;
  file.par_empty = true;
  EXPECT_THAT(Decide(RepairStep::kLeftoverFiles), IsEmpty());
}

TEST_F(DefinitionReconcilerTest, ParFilesOfNoTableAreRemoved) {
  AddPar("d.gone", true);
  AddPar("d.others", false);
  AddPar("d.#sql-1-1", false);
  AddPartitioned("d.lost", {"p0"}, "one");
  AddPar("d.lost", true);
  AddPar("d.unreadable", true);
  state_.frm_names.insert("d.unreadable");
  EXPECT_THAT(Decide(RepairStep::kLeftoverFiles),
              ElementsAre(Repair{Kind::kRemoveParFile, {}, "d.gone", "./d.gone"},
                          Repair{Kind::kRemoveParFile, {}, "d.#sql-1-1", "./d.#sql-1-1"}));
}

TEST_F(DefinitionReconcilerTest, ParFilesOfFormerPartitionsAreRemoved) {
  AddFrm("d.ours", "one");
  AddPar("d.ours", false);
  AddFrm("d.innodb", "two", "InnoDB");
  AddPar("d.innodb", false);
  AddFrm("d.moved", "three", "InnoDB");
  AddPar("d.moved", true);
  AddPartitionedFrm("d.p", "four");
  AddPar("d.p", true);
  EXPECT_THAT(Decide(RepairStep::kLeftoverFiles),
              ElementsAre(Repair{Kind::kRemoveParFile, {}, "d.ours", "./d.ours"},
                          Repair{Kind::kRemoveParFile, {}, "d.moved", "./d.moved"}));
}

TEST_F(DefinitionReconcilerTest, ARunningServersParFilesAreLeftAlone) {
  AddPar("d.gone", true);
  state_.server_started = true;
  EXPECT_THAT(Decide(RepairStep::kLeftoverFiles), IsEmpty());
}

TEST_F(DefinitionReconcilerTest, ForeignFilesAreReplacedBeforeDefinitionsAreKept) {
  AddTable("d.a", "").identity.reset();
  AddFrm("d.a", "one");
  AddTable("d.b", "two");
  AddFrm("d.b", "three");
  AddTable("d.c", "three");
  AddFrm("d.c", "four");
  EXPECT_THAT(Decide(RepairStep::kDefinitions),
              ElementsAre(Repair{Kind::kReplaceForeignFiles, "d.b", "d.b", "./d.b"},
                          Repair{Kind::kKeepDefinition, "d.a", "d.a", "./d.a"},
                          Repair{Kind::kKeepDefinition, "d.c", "d.c", "./d.c"}));
}

TEST_F(DefinitionReconcilerTest, AForeignFileWithoutACopyThatFitsIsKept) {
  AddTable("d.b", "two").kept.reset();
  AddFrm("d.b", "three");
  AddTable("d.c", "three");
  AddFrm("d.c", "three");
  EXPECT_THAT(Decide(RepairStep::kDefinitions),
              ElementsAre(Repair{Kind::kKeepDefinition, "d.b", "d.b", "./d.b"}));
}

TEST_F(DefinitionReconcilerTest, AnIdentityThatIsEmptyIsNoOtherTables) {
  AddTable("d.a", "one");
  AddFrm("d.a", "");
  AddTable("d.b", "");
  AddFrm("d.b", "");
  EXPECT_THAT(Decide(RepairStep::kDefinitions),
              ElementsAre(Repair{Kind::kKeepDefinition, "d.a", "d.a", "./d.a"}));
}

TEST_F(DefinitionReconcilerTest, ALostParFileIsWrittenFromTheCopyOfThatIdentity) {
  AddPartitioned("d.same", {"p0"}, "one");
  AddPartitionedFrm("d.same", "one").par_empty = true;
  AddPartitioned("d.other", {"p0"}, "two");
  AddPartitionedFrm("d.other", "three").par_empty = true;
  EXPECT_THAT(Decide(RepairStep::kDefinitions),
              ElementsAre(Repair{Kind::kReportLostParFile, "d.other#P#", "d.other", "./d.other"},
                          Repair{Kind::kWriteLostParFile, "d.same#P#", "d.same", "./d.same"}));
}

TEST_F(DefinitionReconcilerTest, WhatCannotBeRepairedIsReportedLast) {
  AddTable("d.no_file", "").kept.reset();
  AddTable("d.#sql-1-1", "one");  // could not be dropped
  AddFrm("d.no_table", "two");
  AddTable("d.other", "three");
  AddFrm("d.other", "four", "InnoDB");
  AddTable("d.unnamed", "five");
  AddFrm("d.unnamed", "five", "");  // a very old server's
  AddTable("d.kept", "six");
  AddFrm("d.kept", "seven");
  EXPECT_THAT(Decide(RepairStep::kDefinitions),
              ElementsAre(Repair{Kind::kKeepDefinition, "d.kept", "d.kept", "./d.kept"},
                          Repair{Kind::kReportNoFile, "d.no_file"},
                          Repair{Kind::kReportNoTable, {}, "d.no_table", "./d.no_table"},
                          Repair{Kind::kReportOtherEngine, {}, "d.other", {}, "InnoDB"}));
}

TEST_F(DefinitionReconcilerTest, ATableThatTheRecoveryHasNotDroppedIsReported) {
  AddTable("d.t", "new");
  AddFrm("d.t", "new");
  AddTable("d.#sql-backup-1-2", "old");
  AddFrm("d.#sql-backup-1-2", "old");
  EXPECT_THAT(Decide(RepairStep::kDefinitions),
              ElementsAre(Repair{Kind::kReportSetAside, "d.#sql-backup-1-2"}));
  state_.server_started = true;  // an ALTER may be about to drop it
  EXPECT_THAT(Decide(RepairStep::kDefinitions), IsEmpty());
}

}  // namespace
}  // namespace basalt::server
