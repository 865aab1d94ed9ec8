// SPDX-License-Identifier: GPL-2.0-only
#include "engine/references/new_references.h"

#include <algorithm>
#include <utility>

#include "engine/database.h"
#include "engine/indexes/index_walk.h"

namespace basalt::engine {

// Takes what has changed in one parent.
class NewReferences::Parent final : public ChangeConsumer {
 public:
  Parent(NewReferences* owner, std::shared_ptr<Table> table)
      : owner_(owner), table_(std::move(table)), log_(table_.get()) {}

  bool Is(const Table& table) const { return table_->primary().id == table.primary().id; }
  void Add(OrphanSearch* search) { searches_.push_back(search); }
  LoggedTable& log() { return log_; }

  Status Take(const codec::RowChange& change, rocksdb::WriteBatch*) override {
    for (OrphanSearch* search : searches_) BASALT_RETURN_IF_ERROR(search->AddParent(change));
    return Status::Ok();
  }
  bool IsFull() const override { return owner_->IsFull(); }
  Status NoteWritten() override { return owner_->CheckAll(nullptr); }

 private:
  NewReferences* const owner_;
  const std::shared_ptr<Table> table_;
  LoggedTable log_;
  std::vector<OrphanSearch*> searches_;
};

NewReferences::NewReferences(const Table* child, std::vector<NewReference> references,
                             TaskProgress* progress)
    : child_(*child), references_(std::move(references)), progress_(progress) {}

NewReferences::~NewReferences() = default;

Status NewReferences::BeginChild(const codec::TableDescriptor& target,
                                 const std::vector<catalog::IndexRecord>& indexes,
                                 bool log_changes) {
  BASALT_RETURN_IF_ERROR(CompileChild(target, indexes));
  for (const NewReference& reference : references_) {
    BASALT_RETURN_IF_ERROR(AddSearch(reference, indexes[reference.child_index]));
  }
  if (!log_changes) return Status::Ok();
  log_ = std::make_unique<LoggedTable>(&child_);
  return log_->Begin();
}

Status NewReferences::CompileChild(const codec::TableDescriptor& target,
                                   const std::vector<catalog::IndexRecord>& indexes) {
  target_ = target;
  for (size_t i = 0; i < indexes.size(); ++i) {
    target_.indexes[i].number = indexes[i].id.number;
    target_.indexes[i].kv_format_version = indexes[i].key_value_format_version;
    target_.indexes[i].has_ttl = (indexes[i].flags & catalog::kIndexHasTtl) != 0;
  }
  BASALT_RETURN_IF_ERROR(codec::KeyCodec::Compile(target_, target_.primary, &primary_));
  BASALT_RETURN_IF_ERROR(codec::RowCodec::Compile(target_, *primary_, &rows_));
  std::vector<uint32_t> columns;
  for (const NewReference& reference : references_) {
    for (const codec::ReferenceCopy::Pair& pair : reference.pairs) columns.push_back(pair.from);
  }
  row_ = std::make_unique<ColumnImage>(Source(), columns);
  return Status::Ok();
}

Status NewReferences::AddSearch(const NewReference& reference, const catalog::IndexRecord& index) {
  std::unique_ptr<codec::KeyCodec> codec;
  BASALT_RETURN_IF_ERROR(codec::KeyCodec::Compile(target_, reference.child_index, &codec));
  OrphanSearch::ChildIndex child_index;
  child_index.id = index.id;
  child_index.family = child_.database()->store()->FindColumnFamily(index.id.column_family);
  child_index.reverse = store::IsReverse(child_index.family);
  child_index.codec = codec.get();
  child_index.name = target_.indexes[reference.child_index].name;
  searches_.push_back(std::make_unique<OrphanSearch>(
      Source(), child_index, OrphanSearch::Parent{reference.parent, reference.parent_index},
      reference.pairs));
  index_codecs_.push_back(std::move(codec));
  AddToParent(reference.parent, searches_.back().get());
  return Status::Ok();
}

void NewReferences::AddToParent(const std::shared_ptr<Table>& parent, OrphanSearch* search) {
  if (IsChild(*parent)) {
    own_.push_back(search);
    return;
  }
  const auto known = std::find_if(parents_.begin(), parents_.end(),
                                  [&](const auto& each) { return each->Is(*parent); });
  if (known != parents_.end()) {
    (*known)->Add(search);
    return;
  }
  parents_.push_back(std::make_unique<Parent>(this, parent));
  parents_.back()->Add(search);
}

std::vector<const Table*> NewReferences::parents() const {
  std::vector<const Table*> tables;
  tables.reserve(parents_.size());
  for (const auto& parent : parents_) tables.push_back(&parent->log().table());
  return tables;
}

Status NewReferences::BeginParents() {
  for (const auto& parent : parents_) BASALT_RETURN_IF_ERROR(parent->log().Begin());
  return Status::Ok();
}

Status NewReferences::Search() {
  const auto reader = child_.database()->transactions()->NewTransaction();
  reader->Begin({});
  BASALT_RETURN_IF_ERROR(SearchRows(reader.get()));
  return CheckAll(reader.get());
}

Status NewReferences::SearchRows(txn::Transaction* reader) {
  const uint64_t expected = child_.statistics().Rows() + 1;
  IndexWalk walk(child_, child_.primary_position(), reader);
  Status status = walk.Next();
  for (uint64_t done = 1; status.ok(); status = walk.Next(), ++done) {
    if (done % TaskProgress::kEntriesPerReport == 0 && !Report(done, expected)) {
      return Status(Code::kInterrupted, "looking for parents was interrupted");
    }
    if (walk.EntryHasExpired()) continue;
    BASALT_RETURN_IF_ERROR(AddRow(walk.key(), walk.value()));
    BASALT_RETURN_IF_ERROR(CheckFull(reader));
    progress_->work().rows_read.Add(1);
  }
  return status.code() == Code::kEndOfRange ? Status::Ok() : std::move(status);
}

Status NewReferences::AddRow(Bytes row_key, Bytes value) {
  BASALT_RETURN_IF_ERROR(row_->Decode(row_key, value));
  if (!row_->IsAlive()) return Status::Ok();
  for (const auto& search : searches_) search->AddChild(row_key, row_->record());
  return Status::Ok();
}

Status NewReferences::Take(const codec::RowChange& change, rocksdb::WriteBatch*) {
  if (change.after.exists) {
    BASALT_RETURN_IF_ERROR(AddRow(change.after.key, change.after.value));
  }
  for (OrphanSearch* search : own_) BASALT_RETURN_IF_ERROR(search->AddParent(change));
  return Status::Ok();
}

bool NewReferences::IsFull() const {
  return std::any_of(searches_.begin(), searches_.end(),
                     [](const auto& search) { return search->full(); });
}

Status NewReferences::ApplyChanges(uint64_t* applied) {
  *applied = 0;
  if (!std::exchange(has_applied_, true) && log_ != nullptr) progress_->NextStage();
  const auto report = [this](uint64_t done) { return Report(done, done + 1); };
  if (log_ != nullptr) BASALT_RETURN_IF_ERROR(log_->ReadCommitted(this, report, applied));
  for (const auto& parent : parents_) {
    uint64_t taken = 0;
    BASALT_RETURN_IF_ERROR(parent->log().ReadCommitted(parent.get(), report, &taken));
    *applied += taken;
  }
  return Status::Ok();
}

bool NewReferences::Report(uint64_t done, uint64_t expected) {
  done_ = done;
  expected_ = expected;
  return progress_->Report(done, expected);
}

Status NewReferences::CheckFull(txn::Transaction* reader) {
  for (size_t i = 0; i < searches_.size(); ++i) {
    if (searches_[i]->full()) BASALT_RETURN_IF_ERROR(CheckOne(i, reader));
  }
  return Status::Ok();
}

Status NewReferences::CheckAll(txn::Transaction* reader) {
  for (size_t i = 0; i < searches_.size(); ++i) BASALT_RETURN_IF_ERROR(CheckOne(i, reader));
  return Status::Ok();
}

// Without a reader: in the state that is committed now.
Status NewReferences::CheckOne(size_t position, txn::Transaction* reader) {
  std::unique_ptr<txn::Transaction> own;
  if (reader == nullptr) {
    own = child_.database()->transactions()->NewTransaction();
    own->Begin({});
    reader = own.get();
  }
  bool orphan = false;
  const auto goes_on = [this] { return progress_->Report(done_, expected_); };
  BASALT_RETURN_IF_ERROR(searches_[position]->Check(reader, goes_on, &orphan));
  return orphan ? Status(Code::kNoReferencedRow, references_[position].refusal) : Status::Ok();
}

Status NewReferences::End() {
  Status ended = log_ == nullptr ? Status::Ok() : log_->End();
  for (const auto& parent : parents_) {
    Status status = parent->log().End();
    if (ended.ok()) ended = std::move(status);
  }
  return ended;
}

}  // namespace basalt::engine
