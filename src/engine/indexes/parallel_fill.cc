// SPDX-License-Identifier: GPL-2.0-only
#include "engine/indexes/parallel_fill.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "engine/database.h"
#include "engine/entry_name.h"
#include "engine/indexes/posting_gatherer.h"
#include "txn/cursor.h"

namespace basalt::engine {
namespace {

Status Interrupted() { return Status(Code::kInterrupted, "building an index was interrupted"); }

}  // namespace

struct ParallelFill::Part {
  Part(const Source& source, size_t buffer, std::string first)
      : first_key(std::move(first)),
        buffer_bytes(buffer),
        row(source.table, source.target, nullptr, nullptr, source.room),
        cursor(source.table.database()->store()->base(), source.table.primary().family,
               source.table.primary().reverse, source.table.primary().id,
               source.table.database()->transactions()->idle_cursors()) {
    for (const NewIndex& index : source.indexes) {
      buffers.push_back(std::make_unique<txn::EntryBuffer>(store::IsReverse(index.family)));
      gatherers.push_back(
          IsFullText(*index.codec) ? std::make_unique<PostingGatherer>(index.id.number) : nullptr);
    }
  }

  // In memory, for one of the indexes.
  size_t BytesOf(size_t index) const {
    return buffers[index]->bytes() + (gatherers[index] ? gatherers[index]->bytes() : 0);
  }

  const std::string first_key;  // empty: from the first row on
  std::string end_key;          // the next part's first one; empty: to the last row
  const size_t buffer_bytes;
  NewRow row;
  txn::Cursor cursor;
  std::vector<std::unique_ptr<txn::EntryBuffer>> buffers;   // by index
  std::vector<std::unique_ptr<PostingGatherer>> gatherers;  // by index; null but for FULLTEXT
  size_t bytes = 0;                                         // in both
  std::atomic<uint64_t> rows{0};                            // that have got entries
  std::atomic<uint64_t> entry_bytes{0};                     // of all entries
};

ParallelFill::ParallelFill(const Source& source, std::vector<std::string> first_keys,
                           txn::BulkLoad* load, TaskProgress* progress)
    : source_(source),
      load_(load),
      progress_(progress),
      expected_(source.table.statistics().Rows() + 1) {
  const size_t buffer_bytes =
      std::min(source_.buffer_bytes / (first_keys.size() + 1), PostingGatherer::kMostBytes);
  parts_.push_back(std::make_unique<Part>(source_, buffer_bytes, std::string()));
  for (std::string& key : first_keys) {
    parts_.back()->end_key = key;
    parts_.push_back(std::make_unique<Part>(source_, buffer_bytes, std::move(key)));
  }
}

ParallelFill::~ParallelFill() = default;

uint64_t ParallelFill::rows() const {
  uint64_t sum = 0;
  for (const auto& part : parts_) sum += part->rows.load(std::memory_order_relaxed);
  return sum;
}

Status ParallelFill::Run() {
  std::vector<txn::ParallelWork::Piece> pieces;
  pieces.reserve(parts_.size());
  for (const auto& part : parts_) {
    pieces.emplace_back([this, part = part.get()] { return RunPart(part); });
  }
  Status status = work_.Run(pieces, [this] { return Report(); });
  CountWork();
  return status;
}

Status ParallelFill::RunPart(Part* part) {
  BASALT_RETURN_IF_ERROR(ReadRows(part));
  return HandOver(part);
}

void ParallelFill::CountWork() {
  uint64_t entry_bytes = 0;
  for (const auto& part : parts_) entry_bytes += part->entry_bytes.load(std::memory_order_relaxed);
  const uint64_t done = rows();
  TaskProgress::Work& work = progress_->work();
  work.rows_read.Add(done - std::exchange(reported_rows_, done));
  work.bytes_written.Add(entry_bytes - std::exchange(reported_bytes_, entry_bytes));
}

// False: the statement was killed.
bool ParallelFill::Report() {
  CountWork();
  return progress_->Report(reported_rows_, expected_);
}

Status ParallelFill::ReadRows(Part* part) {
  txn::Cursor& cursor = part->cursor;
  BASALT_RETURN_IF_ERROR(cursor.Bind(source_.snapshot, nullptr, /*fill_cache=*/false));
  const bool listens = part == parts_.front().get();
  uint64_t done = 0;
  for (listens ? cursor.SeekFirst() : cursor.SeekForward(part->first_key); cursor.Valid();
       cursor.Next()) {
    if (!part->end_key.empty() && cursor.key() >= part->end_key) return Status::Ok();
    if (++done % TaskProgress::kEntriesPerReport == 0) {
      if (work_.stopped() || (listens && !Report())) return Interrupted();
    }
    Status decoded = part->row.Decode(cursor.key(), cursor.value());
    if (decoded.code() == Code::kCorruption && source_.skip_undecodable) continue;
    if (!decoded.ok()) {
      return WithEntry(source_.table, source_.table.primary_position(), cursor.key(),
                       std::move(decoded));
    }
    BASALT_RETURN_IF_ERROR(AddEntries(part));
  }
  return WithEntry(source_.table, source_.table.primary_position(), {}, cursor.status());
}

Status ParallelFill::AddEntries(Part* part) {
  uint64_t made = 0;
  for (size_t i = 0; i < source_.indexes.size(); ++i) {
    const size_t before = part->BytesOf(i);
    BASALT_RETURN_IF_ERROR(AddEntriesOf(i, part, &made));
    part->bytes += part->BytesOf(i) - before;
  }
  part->rows.fetch_add(1, std::memory_order_relaxed);
  part->entry_bytes.fetch_add(made, std::memory_order_relaxed);
  return part->bytes < part->buffer_bytes ? Status::Ok() : HandOver(part);
}

Status ParallelFill::AddEntriesOf(size_t index, Part* part, uint64_t* made) {
  NewRow& row = part->row;
  txn::EntryBuffer& buffer = *part->buffers[index];
  if (PostingGatherer* gatherer = part->gatherers[index].get()) {
    codec::PostingEncoder* words = nullptr;
    BASALT_RETURN_IF_ERROR(row.TakeWords(source_.indexes[index], &words));
    const size_t before = gatherer->bytes();
    gatherer->Add(*words, &buffer);
    *made += gatherer->bytes() - before;
    return Status::Ok();
  }
  BASALT_RETURN_IF_ERROR(row.Encode(source_.indexes[index]));
  for (size_t entry = 0; entry < row.size(); ++entry) {
    buffer.Add(row.key(entry), row.value(entry));
    *made += row.key(entry).size() + row.value(entry).size();
  }
  return Status::Ok();
}

// Sorts what has gathered, and gives it to the load.
Status ParallelFill::HandOver(Part* part) {
  part->bytes = 0;
  for (size_t i = 0; i < part->buffers.size(); ++i) {
    if (part->gatherers[i] != nullptr) part->gatherers[i]->Finish(part->buffers[i].get());
    if (part->buffers[i]->count() == 0) continue;
    part->buffers[i]->Sort();
    MutexLock lock(mutex_);
    BASALT_RETURN_IF_ERROR(load_->AddSorted(i, &part->buffers[i]));
  }
  return Status::Ok();
}

}  // namespace basalt::engine
