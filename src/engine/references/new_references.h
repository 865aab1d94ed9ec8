// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "catalog/table_record.h"
#include "codec/key_codec.h"
#include "codec/reference_copy.h"
#include "codec/row_codec.h"
#include "codec/table_descriptor.h"
#include "engine/indexes/change_log_reader.h"
#include "engine/indexes/logged_table.h"
#include "engine/references/orphan_search.h"
#include "engine/table.h"
#include "engine/task_progress.h"
#include "txn/transaction.h"

namespace basalt::engine {

// A foreign key that a statement adds. Plain data.
struct NewReference {
  // The parent, which may be the child: then its index and its columns are those of before the
  // statement.
  std::shared_ptr<Table> parent;
  // Of the parent, and of the child as it is going to be: each begins with the columns and tells
  // their values apart (FindReferenceIndex).
  size_t parent_index = 0;
  size_t child_index = 0;
  // In the order of both indexes, from the child as it is going to be to the parent. Types match,
  // and the columns are stored.
  std::vector<codec::ReferenceCopy::Pair> pairs;
  // The text of kNoReferencedRow: what the client is told when a row has no parent.
  std::string refusal;
};

// Whether all rows of a child have their parents, for foreign keys that are being added while
// others write the child and the parents.
//
// Writers do not know of the foreign keys before the statement commits. Until then both sides log
// what they change. All rows of the child are looked at in one snapshot, which is taken after the
// logs have been opened. Passes over the logs follow: of the child's log each row that is new or
// has other values, of a parent's log each value that a row has lost. What they find is looked at
// in a state that is committed by then (OrphanSearch). The last pass runs while nobody writes, and
// so no orphan is left.
//
// Why none is: suppose that in the end a row R of the child has values V and no parent has them.
//  - The last change C of R which gave it V, or its key, is in the snapshot or in the child's log;
//    so R's parent was looked for in a state S that has C. None there: found, for R is there, too.
//  - Else a parent with V was in S, and the last one went after S, and so after the parents' logs
//    were opened, by a change D. D is in the log of the parent, and V was looked for in a state T
//    that has D. No parent has V in T, nor any time later.
//  - If C is in T, and the child's index has R's entry when it is asked, R was found.
//  - Else C came behind T, or the index is being built and C is yet to be applied. Then C is taken
//    from the child's log later, and R's parent is looked for in a state behind T: none. Found.
// A table that refers to itself has one log, and each change in it counts as one of the child and
// as one of the parent. What it has put into an index that is being built is written before values
// that were lost are looked for, so that C is either applied or yet to be taken.
// Only committed changes are in the logs and in states, so what is rolled back, to a savepoint too,
// never counts; a change that is taken back by another one is two changes. What cascades and
// statements with foreign_key_checks=0 do is logged like all else. A row that expires is no orphan.
//
// A row without a parent in any state that is looked at ends the statement, even if it is mended
// before the end: once it is there, the foreign key would refuse what had led to that state.
//
// The caller sees to it, by metadata locks, that nobody writes the child during BeginChild, or the
// parents during BeginParents, or any of them from before the last ApplyChanges until the foreign
// keys are in the dictionary; and that nobody alters one of the tables all the time. Prepared
// transactions without a connection have no metadata locks: they must have ended by each of these
// moments, too. One thread. Memory is bounded.
class NewReferences final : public ChangeConsumer {
 public:
  // Borrows the child, as it is before the statement, and the progress.
  NewReferences(const Table* child, std::vector<NewReference> references, TaskProgress* progress);
  ~NewReferences() override;
  NewReferences(const NewReferences&) = delete;
  NewReferences& operator=(const NewReferences&) = delete;

  // `target` describes the child as it is going to be: with the rows that are there. indexes[i] is
  // what the dictionary knows of target.indexes[i], which may be being built. With `log_changes`
  // the child's changes are logged from now on; else somebody else hands them to this object,
  // from its log that is open, after they have been applied to indexes that are being built. Errors
  // are those of LoggedTable::Begin and of a definition that cannot be compiled.
  Status BeginChild(const codec::TableDescriptor& target,
                    const std::vector<catalog::IndexRecord>& indexes, bool log_changes);
  // The parents but the child, each once.
  std::vector<const Table*> parents() const;
  // After BeginChild: opens the logs of the parents. Errors as LoggedTable::Begin.
  Status BeginParents();

  // Looks at all rows of the child. kNoReferencedRow, with the refusal, when one has no parent;
  // kInterrupted after a KILL; kCorruption and errors of the store.
  Status Search();
  // After Search: one pass over the logs of this object. *applied: how many changes it found.
  // Results as those of Search.
  Status ApplyChanges(uint64_t* applied);

  // Ends the logs, however the statement has ended. Without effect before, and the second time. On
  // error a log stays until the next start.
  Status End();

 private:
  // A parent's log, and the searches that it is for.
  class Parent;

  // Of changes in the child.
  Status Take(const codec::RowChange& change, rocksdb::WriteBatch* batch) override;
  bool IsFull() const override;
  Status NoteWritten() override { return CheckAll(nullptr); }

  Status CompileChild(const codec::TableDescriptor& target,
                      const std::vector<catalog::IndexRecord>& indexes);
  Status AddSearch(const NewReference& reference, const catalog::IndexRecord& index);
  bool IsChild(const Table& table) const { return table.primary().id == child_.primary().id; }
  void AddToParent(const std::shared_ptr<Table>& parent, OrphanSearch* search);
  RowSource Source() const { return {child_, target_, *primary_, rows_}; }
  Status SearchRows(txn::Transaction* reader);
  Status AddRow(Bytes row_key, Bytes value);
  bool Report(uint64_t done, uint64_t expected);
  Status CheckFull(txn::Transaction* reader);
  Status CheckAll(txn::Transaction* reader);
  Status CheckOne(size_t position, txn::Transaction* reader);

  const Table& child_;
  const std::vector<NewReference> references_;
  TaskProgress* const progress_;
  codec::TableDescriptor target_;
  std::unique_ptr<codec::KeyCodec> primary_;
  codec::RowCodec rows_;
  std::vector<std::unique_ptr<codec::KeyCodec>> index_codecs_;  // of references_[i]
  std::vector<std::unique_ptr<OrphanSearch>> searches_;         // likewise
  std::unique_ptr<ColumnImage> row_;                            // all columns that are needed
  std::unique_ptr<LoggedTable> log_;                            // the child's; null: another's
  std::vector<std::unique_ptr<Parent>> parents_;
  std::vector<OrphanSearch*> own_;  // for which the child is the parent
  bool has_applied_ = false;
  uint64_t done_ = 0;  // as last reported
  uint64_t expected_ = 1;
};

}  // namespace basalt::engine
