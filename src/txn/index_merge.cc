// SPDX-License-Identifier: GPL-2.0-only
#include "txn/index_merge.h"

#include <utility>

namespace basalt::txn {
namespace {

Status Interrupted() { return Status(Code::kInterrupted, "the load was interrupted"); }

}  // namespace

// What one thread does. The others' members are looked at when all have ended, but for `done`.
struct IndexMerge::Range {
  Range(const Input& input, size_t number)
      : files(input.store, input.index->id, SortedFiles::Purpose::kFinal,
              input.prefix + std::to_string(number)) {}

  KeyRange keys;
  bool is_first = false;
  SortedFiles files;
  std::optional<Entry> first;      // entry
  std::string last;                // key so far
  std::optional<Entry> duplicate;  // the range has been left there
  std::atomic<uint64_t> done{0};   // entries
};

IndexMerge::IndexMerge(Input input, std::vector<std::string> borders) : input_(std::move(input)) {
  ranges_.push_back(std::make_unique<Range>(input_, 0));
  ranges_.front()->is_first = true;
  for (std::string& border : borders) {
    ranges_.back()->keys.end = border;
    ranges_.push_back(std::make_unique<Range>(input_, ranges_.size()));
    ranges_.back()->keys.begin = std::move(border);
  }
}

IndexMerge::~IndexMerge() = default;

uint64_t IndexMerge::entries() const {
  uint64_t sum = 0;
  for (const auto& range : ranges_) sum += range->done.load(std::memory_order_relaxed);
  return sum;
}

Status IndexMerge::Run(const Progress& progress) {
  progress_ = &progress;
  std::vector<ParallelWork::Piece> pieces;
  pieces.reserve(ranges_.size());
  for (const auto& range : ranges_) {
    pieces.emplace_back([this, range = range.get()] { return MergeRange(range); });
  }
  BASALT_RETURN_IF_ERROR(work_.Run(pieces, [&] { return progress(entries()); }));
  FindDuplicate();
  return duplicate_ ? Status(Code::kDuplicateKey) : Status::Ok();
}

void IndexMerge::MoveTo(SortedFiles* files) {
  for (const auto& range : ranges_) files->Adopt(&range->files);
}

Status IndexMerge::MergeRange(Range* range) {
  std::vector<std::unique_ptr<MergeSource>> sources;
  BASALT_RETURN_IF_ERROR(input_.open(range->keys, &sources));
  Merge merge(std::move(sources), input_.reverse);
  BASALT_RETURN_IF_ERROR(MergeEntries(&merge, range));
  if (range->duplicate) return Status::Ok();
  BASALT_RETURN_IF_ERROR(merge.status());
  return range->files.EndFile();
}

// A range with a duplicate does not end the others, so that the same one is always told.
Status IndexMerge::MergeEntries(Merge* merge, Range* range) {
  uint64_t done = 0;
  while (const MergeSource* next = merge->present()) {
    if (input_.index->AreAlike(range->last, next->key())) {
      range->duplicate = Entry{std::string(next->key()), std::string(next->value())};
      return Status::Ok();
    }
    if (!range->first) range->first = Entry{std::string(next->key()), std::string(next->value())};
    range->last.assign(next->key());
    if (!next->in_place()) BASALT_RETURN_IF_ERROR(AddEntry(*next, range));
    merge->Next();
    range->done.store(++done, std::memory_order_relaxed);
    if (done % kEntriesPerReport == 0 && !Goes(*range)) return Interrupted();
  }
  return Status::Ok();
}

Status IndexMerge::AddEntry(const MergeSource& entry, Range* range) {
  if (input_.check) BASALT_RETURN_IF_ERROR(input_.check(entry.key(), entry.value()));
  return range->files.Add(entry.key(), entry.value());
}

// The caller's thread reports for all.
bool IndexMerge::Goes(const Range& range) {
  if (work_.stopped()) return false;
  return !range.is_first || (*progress_)(entries());
}

void IndexMerge::FindDuplicate() {
  Bytes before;
  for (const auto& range : ranges_) {
    const bool is_alike = range->first && input_.index->AreAlike(before, range->first->key);
    duplicate_ = is_alike ? range->first : range->duplicate;
    if (duplicate_) return;
    if (range->first) before = range->last;
  }
}

}  // namespace basalt::txn
